import { Context, Effect, Layer } from "effect"
import * as Trust from "../Trust.ts"
import type { Broker } from "./Broker.ts"
import { settings } from "./settings.ts"

/** The event bus beside the database. `api` is undefined in an installation without one. */
export class Kafka extends Context.Service<Kafka, { readonly api: Broker | undefined }>()(
  "portico/upstream/kafka/Kafka"
) {
  /** Connects to the brokers of `KAFKA_BROKERS` at the first send or receive. */
  static readonly layer = Layer.effect(
    Kafka,
    Effect.gen(function* () {
      const given = yield* settings
      if (given === undefined) return Kafka.of({ api: undefined })
      // Loads the large library only when Kafka is configured.
      const { connect } = yield* Effect.promise(() => import("./client.ts"))
      return Kafka.of({ api: yield* connect(given, yield* Trust.Trust) })
    })
  )
}
