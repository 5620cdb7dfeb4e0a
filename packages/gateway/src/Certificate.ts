import { Config, ConfigProvider, Duration, Effect, Option, type Scope, Schedule } from "effect"
import { readFile } from "node:fs/promises"
import { createSecureContext } from "node:tls"

/** What a plane proves itself with, in PEM: its certificate, with those between it and the authority, and its key. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** The settings that name the files. */
export interface CertificateSettings {
  readonly cert: string
  readonly key: string
}

/** How often the files are looked at: a certificate is renewed weeks before it ends. */
const interval = Duration.seconds(10)

const illSet = (message: string): Config.ConfigError =>
  new Config.ConfigError(new ConfigProvider.SourceError({ message }))

const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Both files, which must belong together. */
const read = Effect.fnUntraced(function* (files: Certificate, { cert, key }: CertificateSettings) {
  const textOf = (file: string, setting: string) =>
    Effect.tryPromise({
      try: () => readFile(file, "utf8"),
      catch: (cause) => illSet(`the file that ${setting} names cannot be read: ${wordsOf(cause)}`)
    })
  const pair = { cert: yield* textOf(files.cert, cert), key: yield* textOf(files.key, key) }
  yield* Effect.try({
    try: () => createSecureContext(pair),
    catch: (cause) => illSet(`${cert} and ${key} do not name a certificate and its key: ${wordsOf(cause)}`)
  })
  return pair
})

/** The certificate of a plane now, and how to hear of later ones. */
export interface Renewed {
  readonly first: Certificate
  /** Calls back with each later one, until the scope ends. */
  watch(renew: (certificate: Certificate) => void): Effect.Effect<void, never, Scope.Scope>
}

/**
 * The certificate that the settings name, if they name one. The files are read
 * again every ten seconds, so that a renewed one is taken without a restart;
 * what cannot be used then is logged, and the one before stays.
 */
export const certificateOf = Effect.fnUntraced(function* (settings: CertificateSettings) {
  const [cert, key] = [
    yield* Config.option(Config.String(settings.cert)),
    yield* Config.option(Config.String(settings.key))
  ]
  if (Option.isNone(cert) && Option.isNone(key)) return undefined
  if (Option.isNone(cert) || Option.isNone(key)) {
    return yield* Effect.fail(illSet(`${settings.cert} and ${settings.key} are set together, or neither is`))
  }
  const files = { cert: cert.value, key: key.value }
  const first = yield* read(files, settings)
  let current = first
  let complaint = ""
  const look = (renew: (certificate: Certificate) => void) =>
    Effect.matchEffect(read(files, settings), {
      onFailure: ({ cause: { message } }) =>
        Effect.suspend(() => {
          if (complaint === message) return Effect.void
          complaint = message
          return Effect.logError("a renewed certificate cannot be used, and the one before stays", message)
        }),
      onSuccess: (next) =>
        Effect.suspend(() => {
          complaint = ""
          if (next.cert === current.cert && next.key === current.key) return Effect.void
          current = next
          renew(next)
          return Effect.logInfo("a renewed certificate is used from now on", settings.cert)
        })
    })
  return {
    first,
    watch: (renew) =>
      Effect.asVoid(Effect.forkScoped(Effect.repeat(Effect.delay(look(renew), interval), Schedule.forever)))
  } satisfies Renewed
})
