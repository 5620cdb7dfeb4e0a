import { Config, Effect, Option, type Redacted, Schema } from "effect"

/** The connection to the brokers, and the properties of new topics. */
export interface Settings {
  /** `host:port` each. */
  readonly brokers: ReadonlyArray<string>
  readonly tls: boolean
  readonly login: Login | undefined
  /** The prefix of the topics and of the consumer group. */
  readonly prefix: string
  readonly partitions: number
  readonly replication: number
}

export interface Login {
  readonly mechanism: Mechanism
  readonly username: string
  readonly password: Redacted.Redacted
}

export const mechanisms = ["plain", "scram-sha-256", "scram-sha-512"] as const
type Mechanism = (typeof mechanisms)[number]

const split = (text: string): ReadonlyArray<string> => text.split(",").map((_) => _.trim())

const isBroker = (text: string): boolean => /^[^\s:,/]+:\d{1,5}$/.test(text)

export const Brokers = Schema.String.check(
  Schema.makeFilter((text) => split(text).every(isBroker), {
    expected: "brokers as host:port, separated by commas"
  })
)

/** The characters that Kafka allows in topic names. */
export const Prefix = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._-]{0,100}$/, { expected: "letters, digits, dots, dashes and underscores" })
)

const positive = Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThan(0))

/** The settings `KAFKA_*`; undefined without `KAFKA_BROKERS`. */
export const settings: Effect.Effect<Settings | undefined, Config.ConfigError> = Effect.gen(function* () {
  const brokers = yield* Config.option(Config.schema(Brokers, "KAFKA_BROKERS"))
  if (Option.isNone(brokers)) return undefined
  const username = yield* Config.option(Config.NonEmptyString("KAFKA_USERNAME"))
  return {
    brokers: split(brokers.value),
    tls: yield* Config.Boolean("KAFKA_TLS").pipe(Config.withDefault(false)),
    login: Option.isNone(username)
      ? undefined
      : {
          mechanism: yield* Config.Literals(mechanisms, "KAFKA_SASL_MECHANISM").pipe(
            Config.withDefault("scram-sha-512" as const)
          ),
          username: username.value,
          password: yield* Config.Redacted("KAFKA_PASSWORD")
        },
    prefix: yield* Config.schema(Prefix, "KAFKA_TOPIC_PREFIX").pipe(Config.withDefault("")),
    partitions: yield* Config.schema(positive, "KAFKA_PARTITIONS").pipe(Config.withDefault(6)),
    replication: yield* Config.schema(positive, "KAFKA_REPLICATION").pipe(Config.withDefault(3))
  }
})
