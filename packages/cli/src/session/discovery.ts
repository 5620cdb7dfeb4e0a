import { PorticoError } from "@portico/client/PorticoError"
import { Effect, Option, Schema } from "effect"
import { CliFailure } from "../CliFailure.ts"
import type { Plane } from "./Profile.ts"

/** How people log in at a gateway, as it says itself. */
export interface Discovered {
  readonly issuer: string
  /** The public client of the command line. */
  readonly clientId: string | undefined
  readonly scope: string
  /** Where the agent plane takes MCP. */
  readonly agentUrl: string | undefined
}

const Metadata = Schema.Struct({
  resource: Schema.String,
  authorization_servers: Schema.NonEmptyArray(Schema.String),
  scopes_supported: Schema.optionalKey(Schema.Array(Schema.String)),
  portico_cli_client_id: Schema.optionalKey(Schema.String),
  portico_agent_url: Schema.optionalKey(Schema.String)
})

const wellKnown = "/.well-known/oauth-protected-resource"

/** RFC 9728, section 3.1: before the path of the resource; or below it, where a proxy passes nothing else on. */
const placesOf = (url: string): ReadonlyArray<string> => {
  const { origin, pathname } = new URL(url)
  return pathname === "/" ? [`${origin}${wellKnown}`] : [`${origin}${wellKnown}${pathname}`, `${url}${wellKnown}`]
}

const patienceMillis = 15_000

/** OpenSSL's own sentences name lines of its source. */
const reasonOf = (code: string, message: string): string =>
  code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "EPROTO" ? "it does not speak TLS there" : message

const certificate = /CERT|SELF_SIGNED|ISSUER|ALTNAME/

/** Why no answer came. */
const unreached = (url: string, error: unknown): CliFailure => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  const reason = cause instanceof Error ? reasonOf(code, cause.message) : String(cause)
  return new CliFailure({
    exit: "platform",
    message: `${url} cannot be reached: ${reason}`,
    hint: certificate.test(code)
      ? "If an authority of your own signed the certificate, name its file with '--ca-file'"
      : undefined
  })
}

const asked = (url: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const headers = { accept: "application/json" }
      const answer = await fetch(url, {
        headers,
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMillis)])
      })
      const body: unknown = await answer.json().catch(() => undefined)
      return { status: answer.status, body }
    },
    catch: (error) => unreached(url, error)
  })

/** Host and path: behind a proxy that ends TLS a gateway without a public address takes itself for plain HTTP. */
const placeOf = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { host, pathname } = new URL(url)
  return `${host}${pathname.replace(/\/$/, "")}`
}

/** Undefined for a gateway that says nothing of it. */
export const discover = Effect.fnUntraced(function* (url: string) {
  for (const place of placesOf(url)) {
    const { body, status } = yield* asked(place)
    const metadata = Option.getOrUndefined(Schema.decodeUnknownOption(Metadata)(body))
    if (status !== 200 || metadata === undefined) continue
    // RFC 9728, section 3.3.
    if (placeOf(metadata.resource) !== placeOf(url)) {
      return yield* new CliFailure({
        exit: "usage",
        message: `The gateway at ${url} says that its address is ${metadata.resource}`,
        hint: `Log in there, or say how with '--issuer', '--client-id' and '--scope'`
      })
    }
    const [issuer] = metadata.authorization_servers
    return {
      issuer,
      clientId: metadata.portico_cli_client_id,
      scope: (metadata.scopes_supported ?? ["openid"]).join(" "),
      agentUrl: metadata.portico_agent_url
    } satisfies Discovered
  }
  return undefined
})

/** An operators' route asks for a token on their plane, and is not there on the customers'. */
export const planeOf = Effect.fnUntraced(function* (url: string) {
  const { body, status } = yield* asked(`${url}/v1/journal`)
  const isOurs = typeof body === "object" && body !== null && "detail" in body
  const plane: Plane | undefined = !isOurs
    ? undefined
    : status === 401
      ? "operator"
      : status === 404
        ? "customer"
        : undefined
  if (plane !== undefined) return plane
  return yield* new CliFailure({
    exit: status >= 500 ? "platform" : "usage",
    message: `${url} does not answer as a Portico gateway: status ${status}`
  })
})

/** A failure of the client's modules for logins. */
export const loginFailure = (error: unknown): PorticoError => {
  if (error instanceof PorticoError) return error
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new PorticoError("unreachable", {
    detail: `The identity provider cannot be reached: ${reason}`,
    status: 0,
    cause: error
  })
}
