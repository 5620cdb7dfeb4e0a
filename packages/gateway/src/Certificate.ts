import { Config, ConfigProvider, Duration, Effect, Option, type Scope, Schedule } from "effect"
import { readFile } from "node:fs/promises"
import { createSecureContext } from "node:tls"

/** The TLS certificate of a plane, with its intermediate certificates, and its private key. Both are PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** The settings that name the files. */
export interface CertificateSettings {
  readonly cert: string
  readonly key: string
}

/** Interval at which the files are read again. Issuers renew a certificate weeks before it expires. */
const interval = Duration.seconds(10)

const settingError = (message: string): Config.ConfigError =>
  new Config.ConfigError(new ConfigProvider.SourceError({ message }))

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Reads both files and checks that the key belongs to the certificate. */
const read = Effect.fnUntraced(function* (files: Certificate, { cert, key }: CertificateSettings) {
  const textOf = (file: string, setting: string) =>
    Effect.tryPromise({
      try: () => readFile(file, "utf8"),
      catch: (cause) => settingError(`the file that ${setting} names cannot be read: ${messageOf(cause)}`)
    })
  const pair = { cert: yield* textOf(files.cert, cert), key: yield* textOf(files.key, key) }
  yield* Effect.try({
    try: () => createSecureContext(pair),
    catch: (cause) => settingError(`${cert} and ${key} do not name a certificate and its key: ${messageOf(cause)}`)
  })
  return pair
})

/** The current certificate of a plane, and a subscription to later ones. */
export interface Renewed {
  readonly first: Certificate
  /** Calls `renew` with each later certificate, until the scope ends. */
  watch(renew: (certificate: Certificate) => void): Effect.Effect<void, never, Scope.Scope>
}

/**
 * The certificate that the settings name; undefined when they name none. The gateway reads the files again every ten
 * seconds and takes a renewed certificate without a restart. When the new files cannot be used, it logs the reason
 * and keeps the previous certificate.
 */
export const certificateOf = Effect.fnUntraced(function* (settings: CertificateSettings) {
  const [cert, key] = [
    yield* Config.option(Config.String(settings.cert)),
    yield* Config.option(Config.String(settings.key))
  ]
  if (Option.isNone(cert) && Option.isNone(key)) return undefined
  if (Option.isNone(cert) || Option.isNone(key)) {
    return yield* Effect.fail(settingError(`${settings.cert} and ${settings.key} are set together, or neither is`))
  }
  const files = { cert: cert.value, key: key.value }
  const first = yield* read(files, settings)
  let current = first
  let lastError = ""
  const reload = (renew: (certificate: Certificate) => void) =>
    Effect.matchEffect(read(files, settings), {
      onFailure: ({ cause: { message } }) =>
        Effect.suspend(() => {
          if (lastError === message) return Effect.void
          lastError = message
          return Effect.logError("the renewed certificate cannot be used; the previous one stays in use", message)
        }),
      onSuccess: (next) =>
        Effect.suspend(() => {
          lastError = ""
          if (next.cert === current.cert && next.key === current.key) return Effect.void
          current = next
          renew(next)
          return Effect.logInfo("the renewed certificate is in use", settings.cert)
        })
    })
  return {
    first,
    watch: (renew) =>
      Effect.asVoid(Effect.forkScoped(Effect.repeat(Effect.delay(reload(renew), interval), Schedule.forever)))
  } satisfies Renewed
})
