import { Config, ConfigProvider, Effect, Redacted } from "effect"
import { readFile } from "node:fs/promises"

/** Where a PostgreSQL is, and what its address says of TLS. */
export interface DatabaseAddress {
  /** A folder for a Unix socket. */
  readonly host: string
  readonly port: number
  /** Whether there is no other way than TLS. */
  readonly isEncrypted: boolean
  /** The file with the authorities of the server's certificate; undefined for the usual ones. */
  readonly authorities: string | undefined
}

const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536

/**
 * Reads an address as the driver and libpq do, undefined for what is none: of a key that is there twice the last one counts. As libpq has it,
 * `sslrootcert` names a file with authorities instead of the usual ones. It asks for TLS where `sslmode` does not say
 * otherwise.
 */
export const addressOf = (text: string): DatabaseAddress | undefined => {
  // In a query a plus is a space for URL, and a plus for libpq.
  const url = URL.parse(text.replaceAll("+", "%2B"))
  if (url === null) return undefined
  const last = (key: string) => url.searchParams.getAll(key).at(-1) || undefined
  const named = last("sslrootcert")
  const mode = last("sslmode") ?? (named === undefined ? "disable" : "verify-full")
  const port = Number(last("port") ?? (url.port || "5432"))
  if (!isPort(port)) return undefined
  return {
    host: last("host") ?? url.hostname.replace(/^\[|\]$/g, ""),
    port,
    isEncrypted: ["require", "verify-ca", "verify-full"].includes(mode),
    authorities: named === "system" ? undefined : named
  }
}

const unusable = (reason: string) =>
  new Config.ConfigError(
    new ConfigProvider.SourceError({ message: `the file that sslrootcert in DATABASE_URL names ${reason}` })
  )

/**
 * The authorities in the file that the address names, as PEM; undefined where it asks for no TLS or names none. A file
 * that cannot be used stops the process at start, as a missing setting does.
 */
export const authoritiesOf = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const address = addressOf(Redacted.value(url))
  const file = address?.authorities
  if (address?.isEncrypted !== true || file === undefined) return undefined
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => unusable(`cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
  // Node takes an empty text for none, and would trust everybody's authorities.
  return text.includes("-----BEGIN CERTIFICATE-----") ? text : yield* Effect.fail(unusable("has no certificate in PEM"))
})
