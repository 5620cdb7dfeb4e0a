import { Context, Effect, Layer } from "effect"
import * as Trust from "../Trust.ts"
import type { Broker } from "./Broker.ts"
import { settings } from "./settings.ts"

/** The event bus beside the database, which an installation may lack: then there is no `api`. */
export class Kafka extends Context.Service<Kafka, { readonly api: Broker | undefined }>()(
  "portico/upstream/kafka/Kafka"
) {
  /** The brokers of `KAFKA_BROKERS`. Nobody is called before something is to be sent or received. */
  static readonly layer = Layer.effect(
    Kafka,
    Effect.gen(function* () {
      const given = yield* settings
      if (given === undefined) return Kafka.of({ api: undefined })
      // The library is a lot to load for those who have no Kafka.
      const { connect } = yield* Effect.promise(() => import("./client.ts"))
      return Kafka.of({ api: yield* connect(given, yield* Trust.Trust) })
    })
  )
}
