import { agentTopic, relayedTopics } from "@portico/contract/Events"
import { innermost } from "@portico/domain/innermost"
import { isLoginRefused } from "@portico/upstream/kafka/errors"
import { examine } from "@portico/upstream/kafka/examine"
import { settings } from "@portico/upstream/kafka/settings"
import { reach } from "@portico/upstream/mail/Mail"
import { Trust, trusting } from "@portico/upstream/Trust"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Cause, Effect, type Scope } from "effect"
import { connection, redisSettings, refusal } from "../limits/redis.ts"
import { type Check, failed, type Finding, ok, skipped, warning } from "./Check.ts"

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (error instanceof UpstreamError) return error.summary
  return error instanceof Error ? innermost(error).message : "an unknown error"
}

const busFailure = (cause: Cause.Cause<unknown>): Finding => {
  const error = Cause.squash(cause)
  const words = `Kafka: ${messageOf(cause)}`
  if (error instanceof UpstreamError && isLoginRefused(error)) {
    return failed(words, "Check KAFKA_USERNAME, KAFKA_PASSWORD and KAFKA_SASL_MECHANISM")
  }
  // The brokers answered, with an error of the protocol.
  return error instanceof UpstreamError && error.status !== null
    ? failed(words, "Grant the user of KAFKA_USERNAME what docs/operators/bus.md lists, or make the topics yourself")
    : failed(words, "Look whether KAFKA_BROKERS are reached from here, and whether KAFKA_TLS is right")
}

/** Kafka: the login, the brokers, and whether the gateway may make the topics that are not there. */
export const bus: Check<Scope.Scope> = {
  name: "bus",
  run: Effect.gen(function* () {
    const given = yield* settings
    if (given === undefined) return [skipped("KAFKA_BROKERS is not set: events stay in PostgreSQL")]
    const { absent, brokers } = yield* examine(given, yield* Trust, { topics: relayedTopics, from: [agentTopic] })
    const about = `Kafka: ${brokers} ${brokers === 1 ? "broker" : "brokers"}, ${relayedTopics.length - absent.length} of ${relayedTopics.length} topics`
    if (brokers < given.replication && absent.length > 0) {
      return [
        warning(
          `${about}: new topics are to have ${given.replication} copies`,
          "Add brokers, or lower KAFKA_REPLICATION"
        )
      ]
    }
    const all = absent.length === 0 ? about : `${about}; the brokers let the gateway make the others`
    return [ok(`${all}; they do not say whether it may write to each, and read ${given.prefix}${agentTopic}`)]
  }).pipe(Effect.catchCause((cause) => Effect.succeed([busFailure(cause)])))
}

/** Redis: the login, and whether it runs the script that counts. */
export const sharedLimits: Check<Scope.Scope> = {
  name: "rate-limits",
  run: Effect.gen(function* () {
    const settings = yield* redisSettings
    if (settings === undefined) return [skipped("REDIS_URL is not set: each replica counts for itself")]
    const redis = yield* connection(settings, trusting(yield* Trust))
    yield* redis.send("PING")
    yield* redis.send("EVAL", "return 1", "0")
    return [ok("Redis answers, and runs scripts")]
  }).pipe(
    Effect.catchCause((cause) => {
      const isRefused = refusal.test(Cause.pretty(cause))
      const fix = isRefused
        ? "Check the user and the password in REDIS_URL, and REDIS_SENTINEL_PASSWORD; the user needs EVAL on keys portico:*"
        : "Look whether REDIS_URL is reached from here; until then each replica counts for itself"
      return Effect.succeed([failed(`Redis: ${messageOf(cause)}`, fix)])
    })
  )
}

/** The mail server: TLS and the login. No mail is sent. */
export const mail: Check<never> = {
  name: "mail",
  run: reach.pipe(
    Effect.map((isThere) => [
      isThere ? ok("the mail server lets the gateway in") : skipped("SMTP_URL is not set: nothing goes by e-mail")
    ]),
    Effect.catch((error) =>
      Effect.succeed([
        failed(
          `the mail server: ${"detail" in error ? error.detail : error.message}`,
          "Check SMTP_URL, with its user and password"
        )
      ])
    )
  )
}
