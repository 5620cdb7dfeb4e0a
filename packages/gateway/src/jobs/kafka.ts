import { receiveActions } from "@portico/domain/bus/actions"
import { relayBus } from "@portico/domain/bus/relay"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** Between two attempts to listen to brokers that cannot be listened to. */
const pause = Duration.seconds(5)

/**
 * Sends the event log on to Kafka, and takes from there what agents report. Every replica runs both: of one topic one
 * sends at a time, and the messages are shared out among all. Without Kafka there is nothing to do.
 */
export const KafkaJob = Layer.effectDiscard(
  Effect.gen(function* () {
    if ((yield* Kafka).api === undefined) return
    const seconds = yield* Config.Int("KAFKA_RELAY_SECONDS").pipe(Config.withDefault(1))
    const relay = run("kafka_relay", "events are not sent on to Kafka", relayBus)
    yield* Effect.forkScoped(Effect.repeat(relay, Schedule.spaced(Duration.seconds(seconds))))
    // No round of it ends well: its trouble is told by the readiness of the bus.
    yield* Effect.forkScoped(Effect.repeat(receiveActions, Schedule.spaced(pause)))
  })
)
