/** Hop-by-hop headers (RFC 9110, section 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Headers by which a client could claim another identity or another source address upstream. */
const identity: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "forwarded",
  "host",
  "expect",
  "openstack-dns-hide-counts",
  "openstack-system-scope",
  "x-auth-token",
  "x-service-token",
  "x-subject-token",
  "x-storage-token",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-url",
  "x-real-ip",
  "x-rewrite-url"
])

const identityPrefixes = [
  "impersonate-",
  "x-auth-",
  "x-designate-",
  "x-domain-",
  "x-forwarded-",
  "x-identity-",
  "x-is-admin-",
  "x-project-",
  "x-remote-",
  "x-role",
  "x-service-",
  "x-tenant",
  "x-trustor-",
  "x-user"
] as const

/**
 * A WSGI server treats an underscore as a hyphen, and some servers treat a dot as one: `X_Project_Id` would count as
 * `X-Project-Id`. No header that the platform's services know is spelled with other characters.
 */
const ambiguous = /[^a-z0-9-]/

const cacheLimit = 2_000
const longestKnown = 64

/** Remembers the decision on each name: clients and upstreams send few different names. */
const remembered = <A>(decide: (lowerCase: string) => A): ((name: string) => A) => {
  const decisions = new Map<string, A>()
  return (name) => {
    const known = decisions.get(name)
    if (known !== undefined) return known
    const decision = decide(name.toLowerCase())
    if (decisions.size < cacheLimit && name.length <= longestKnown) decisions.set(name, decision)
    return decision
  }
}

const isDropped = remembered(
  (name) =>
    ambiguous.test(name) || hopByHop.has(name) || identity.has(name) || identityPrefixes.some((_) => name.startsWith(_))
)

/**
 * The client's headers without hop-by-hop headers, without claims of identity, and without names that two readers
 * might read differently. Of repeated content types only the first is forwarded: Node shows that one, and the rules
 * check it.
 *
 * @param raw name, value, name, value, as they were sent; their spelling and order are kept
 * @param connection the Connection header, which may name further hop-by-hop headers
 */
export const forwardedHeaders = (raw: ReadonlyArray<string>, connection: string | undefined): Array<string> => {
  const connectionNames =
    connection === undefined || commonConnectionValues.has(connection) ? none : namesIn(connection)
  const kept: Array<string> = []
  let hasContentType = false
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? ""
    if (isDropped(name) || (connectionNames.size > 0 && connectionNames.has(name.toLowerCase()))) continue
    if (name.length === contentType.length && name.toLowerCase() === contentType) {
      if (hasContentType) continue
      hasContentType = true
    }
    kept.push(name, raw[i + 1] ?? "")
  }
  return kept
}

const contentType = "content-type"

const commonConnectionValues: ReadonlySet<string> = new Set(["keep-alive", "close", "Keep-Alive", "Close"])
const none: ReadonlySet<string> = new Set()

/**
 * The content type is an end-to-end header (RFC 9110, section 7.6.1). If it were dropped, a service would parse the
 * body differently than the rules.
 */
const namesIn = (connection: string): ReadonlySet<string> =>
  new Set(
    connection
      .split(",")
      .map((_) => _.trim().toLowerCase())
      .filter((_) => _ !== contentType)
  )

/** Upstream headers that name internal hosts or belong to the upstream's connection. */
const internal: ReadonlySet<string> = new Set(["www-authenticate", "server", "via", "x-request-id"])
/**
 * What a browser takes for the whole origin, and keeps: a tenant's pods answer below the origin of the console too, and
 * would end its session, fill it with cookies that no service gets back, send its people elsewhere or have its failures
 * reported to themselves.
 */
const ofOrigin: ReadonlySet<string> = new Set([
  "accept-ch",
  "alt-svc",
  "clear-site-data",
  "nel",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "set-cookie",
  "set-cookie2",
  "strict-transport-security"
])
/** The upstream's rate limit of the gateway itself. Clients have a limit of their own. */
const limits = /^(x-)?ratelimit(-|$)/
/** Headers whose value is or contains an address (RFC 9110, sections 10.2.2 and 8.7; RFC 8288). */
const addressed: ReadonlySet<string> = new Set(["location", "content-location", "link"])

/** The treatment of an upstream's header: dropped, kept, or its addresses rewritten to the gateway's. */
const handlingOf = remembered((name): "dropped" | "kept" | "rewritten" => {
  if (hopByHop.has(name) || internal.has(name) || ofOrigin.has(name) || limits.test(name)) return "dropped"
  return addressed.has(name) ? "rewritten" : "kept"
})

/**
 * The upstream's headers as they are returned to the client.
 *
 * @param raw name, value, name, value, as they were received; repeated headers stay separate
 * @param rewrite rewrites an upstream's address to the gateway's; undefined for the address of an internal host,
 *   whose header is dropped
 */
export const returnedHeaders = (
  raw: ReadonlyArray<Buffer | string>,
  rewrite: (name: "link" | "location", value: string) => string | undefined
): Array<string> => {
  const kept: Array<string> = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = text(raw[i])
    const what = handlingOf(name)
    if (what === "dropped") continue
    const value = text(raw[i + 1])
    const returned = what === "kept" ? value : rewrite(name.toLowerCase() === "link" ? "link" : "location", value)
    if (returned !== undefined) kept.push(name, returned)
  }
  return kept
}

/** Header bytes are Latin-1 on the wire, in both directions. */
const text = (value: Buffer | string | undefined): string =>
  typeof value === "string" ? value : (value?.toString("latin1") ?? "")

/** @param headers name, value, name, value */
export const withoutHeaders = (
  headers: ReadonlyArray<string>,
  isDropped: (lowerCase: string) => boolean
): Array<string> =>
  headers.flatMap((name, i) => (i % 2 === 0 && !isDropped(name.toLowerCase()) ? [name, headers[i + 1] ?? ""] : []))

/** For a body that may have changed. */
export const withoutLength = (headers: ReadonlyArray<string>): Array<string> =>
  withoutHeaders(headers, (_) => _ === "content-length")
