import { authoritiesOf } from "@portico/store/address"
import { certificatesIn } from "@portico/upstream/certificates"
import { readServer } from "@portico/upstream/mail/settings"
import { Config, Effect, Exit, Layer, Option, Predicate, Redacted, Schema } from "effect"
import { certificateOf } from "../Certificate.ts"
import { messagesOf, missing, settingSentence, wrong } from "./sentences.ts"
import { type Setting, table } from "./table.ts"

/** Settings with which the gateway cannot start: one sentence each, without any value. */
export class IllSet extends Schema.TaggedError<IllSet>()("IllSet", { sentences: Schema.Array(Schema.String) }) {}

/** The value of a setting; undefined when it is unset or empty. */
const settingOf = (name: string) =>
  Effect.orElseSucceed(Effect.map(Config.option(Config.NonEmptyString(name)), Option.getOrUndefined), () => undefined)

/** The reasons why a setting prevents the start. */
const problemsOf = Effect.fnUntraced(function* (name: string, { needed, value }: Setting) {
  const text = yield* settingOf(name)
  if (text !== undefined) {
    const exit = Schema.decodeUnknownExit(value)(text)
    return Exit.isSuccess(exit)
      ? []
      : exit.cause.reasons.flatMap((_) =>
          _._tag === "Fail" ? messagesOf(_.error.issue).map((message) => wrong(name, message)) : []
        )
  }
  if (needed === undefined) return []
  if (needed === true) return [missing(name)]
  if ((yield* settingOf(needed.with)) === undefined) return []
  if (needed.unless !== undefined && (yield* settingOf(needed.unless)) !== undefined) return []
  const instead = needed.unless === undefined ? "" : `, unless ${needed.unless} is set`
  return [`${missing(name)}: it is required with ${needed.with}${instead}`]
})

const certificates = Effect.fnUntraced(function* (name: string) {
  const file = yield* settingOf(name)
  if (file !== undefined) yield* certificatesIn(name)(file)
})

const certificateOfPlane = Effect.fnUntraced(function* (plane: "CUSTOMER" | "OPERATOR" | "AGENT") {
  const names = { cert: `${plane}_TLS_CERT_FILE`, key: `${plane}_TLS_KEY_FILE` }
  const both = [yield* settingOf(names.cert), yield* settingOf(names.key)]
  if (both.every(Predicate.isNotUndefined)) yield* certificateOf(names)
})

const mailServer = Effect.gen(function* () {
  const text = yield* settingOf("SMTP_URL")
  if (text !== undefined) yield* readServer(Redacted.make(text))
})

const databaseAuthorities = Effect.gen(function* () {
  const url = yield* settingOf("DATABASE_URL")
  if (url !== undefined) yield* authoritiesOf(Redacted.make(url))
})

/** Checks beyond a single setting: that files can be read, and that settings fit together. */
const jointChecks: ReadonlyArray<Effect.Effect<void, Config.ConfigError>> = [
  certificates("UPSTREAM_CA_FILE"),
  certificates("KUBERNETES_CA_FILE"),
  certificates("DATABASE_ARCHIVE_CA_FILE"),
  databaseAuthorities,
  certificateOfPlane("CUSTOMER"),
  certificateOfPlane("OPERATOR"),
  certificateOfPlane("AGENT"),
  mailServer
]

/**
 * Fails with all missing and invalid settings, where a start would stop at the first one.
 *
 * @param names the settings to check: a gateway with an embedded store needs no `DATABASE_URL`
 */
export const check = Effect.fnUntraced(function* (names: ReadonlyArray<string> = Object.keys(table)) {
  const single = yield* Effect.forEach(names, (name) => {
    const setting = table[name]
    return setting === undefined ? Effect.succeed([]) : problemsOf(name, setting)
  })
  const joint = yield* Effect.forEach(jointChecks, (_) =>
    Effect.match(_, { onFailure: (error) => [settingSentence(error)], onSuccess: () => [] })
  )
  const sentences = [...single.flat(), ...joint.flat()]
  if (sentences.length > 0) return yield* new IllSet({ sentences })
})

/** Runs {@link check} before anything else is built. */
export const layer = Layer.effectDiscard(check())

/** The same for a gateway that uses an embedded store when `DATABASE_URL` is not set. */
export const layerWithoutDatabase = Layer.effectDiscard(check(Object.keys(table).filter((_) => _ !== "DATABASE_URL")))
