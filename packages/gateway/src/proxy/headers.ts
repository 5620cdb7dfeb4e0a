/** RFC 9110, section 7.6.1: they belong to one connection. */
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

/** What a client could say to be somebody else upstream, or to be believed about where it comes from. */
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
 * A WSGI server takes a low line for a hyphen, and some take a dot for one: `Content_Type` would be believed like
 * `X_Project_Id`. No header that a service of the platform knows is spelled so.
 */
const odd = /[^a-z0-9-]/

const stays = (name: string): boolean => {
  const spelled = name.toLowerCase()
  return (
    odd.test(spelled) ||
    hopByHop.has(spelled) ||
    identity.has(spelled) ||
    identityPrefixes.some((_) => spelled.startsWith(_))
  )
}

/** Clients send few names over and over; whether one stays is looked up, not worked out again. */
const decided = new Map<string, boolean>()
const decidedAtMost = 2_000

const staysHere = (name: string): boolean => {
  const known = decided.get(name)
  if (known !== undefined) return known
  const fresh = stays(name)
  if (decided.size < decidedAtMost) decided.set(name, fresh)
  return fresh
}

/**
 * The client's headers without what belongs to its connection, without any
 * claim of identity, and without names that two readers might take for
 * different ones. Of repeated content types only the first goes on, which is
 * the one that Node shows and the rules look at.
 *
 * @param raw name, value, name, value, as they came; so they go on
 * @param connection the Connection header, which may name further ones
 */
export const forwardedHeaders = (raw: ReadonlyArray<string>, connection: string | undefined): Array<string> => {
  const named = connection === undefined || usual.has(connection) ? none : namedIn(connection)
  const kept: Array<string> = []
  let typed = false
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? ""
    if (staysHere(name) || (named.size > 0 && named.has(name.toLowerCase()))) continue
    if (name.length === contentType.length && name.toLowerCase() === contentType) {
      if (typed) continue
      typed = true
    }
    kept.push(name, raw[i + 1] ?? "")
  }
  return kept
}

const contentType = "content-type"

const usual: ReadonlySet<string> = new Set(["keep-alive", "close", "Keep-Alive", "Close"])
const none: ReadonlySet<string> = new Set()

/** The content type is meant for the end (RFC 9110, section 7.6.1): without it a service would read another body than the rules. */
const namedIn = (connection: string): ReadonlySet<string> =>
  new Set(
    connection
      .split(",")
      .map((_) => _.trim().toLowerCase())
      .filter((_) => _ !== contentType)
  )

/** Upstream headers that name internal hosts or belong to the upstream's connection. */
const internal: ReadonlySet<string> = new Set(["www-authenticate", "server", "via", "x-request-id"])
/** How often the gateway itself may call an upstream is nothing for its clients, who have a limit of their own. */
const limits = /^(x-)?ratelimit(-|$)/
/** Headers whose value is an address, or holds some (RFC 9110, sections 10.2.2 and 8.7; RFC 8288). */
const addressed: ReadonlySet<string> = new Set(["location", "content-location", "link"])

/** What is done with an upstream's header: gone, as it is, or with its addresses made the gateway's. */
const handling = (name: string): "dropped" | "kept" | "rewritten" => {
  const lower = name.toLowerCase()
  if (hopByHop.has(lower) || internal.has(lower) || limits.test(lower)) return "dropped"
  return addressed.has(lower) ? "rewritten" : "kept"
}

const handlings = new Map<string, ReturnType<typeof handling>>()

const handlingOf = (name: string): ReturnType<typeof handling> => {
  const known = handlings.get(name)
  if (known !== undefined) return known
  const fresh = handling(name)
  if (handlings.size < decidedAtMost) handlings.set(name, fresh)
  return fresh
}

/**
 * The upstream's headers as the client gets them.
 *
 * @param raw name, value, name, value, as they came, so that repeated ones stay apart
 * @param rewrite makes an upstream's address the gateway's; undefined when it names an internal host, and is dropped
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
