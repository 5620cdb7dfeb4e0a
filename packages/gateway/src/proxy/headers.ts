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
  "x-tenant-",
  "x-trustor-",
  "x-user"
] as const

type Received = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The client's headers without what belongs to its connection, and without any claim of identity. */
export const forwardedHeaders = (received: Received): Record<string, string | Array<string>> => {
  const named = namedByConnection(received["connection"])
  const kept: Record<string, string | Array<string>> = {}
  for (const [name, value] of Object.entries(received)) {
    if (value === undefined || hopByHop.has(name) || named.has(name) || isIdentity(name)) continue
    kept[name] = typeof value === "string" ? value : [...value]
  }
  return kept
}

/** A WSGI server takes a low line for a hyphen, so that `x_project_id` would be believed as well. */
const isIdentity = (name: string): boolean => {
  const spelled = name.replaceAll("_", "-")
  return identity.has(spelled) || hopByHop.has(spelled) || identityPrefixes.some((_) => spelled.startsWith(_))
}

const namedByConnection = (value: string | ReadonlyArray<string> | undefined): ReadonlySet<string> =>
  new Set(
    String(value ?? "")
      .split(",")
      .map((_) => _.trim().toLowerCase())
  )

/** Upstream headers that name internal hosts or belong to the upstream's connection. */
const internal: ReadonlySet<string> = new Set(["www-authenticate", "server", "x-request-id"])

/**
 * The upstream's headers as the client gets them. An address of the upstream
 * itself is rewritten to the gateway's; any other internal one is dropped.
 *
 * @param raw name, value, name, value, as they came, so that repeated ones stay apart
 */
export const returnedHeaders = (
  raw: ReadonlyArray<Buffer | string>,
  rewrite: (location: string) => string | undefined
): Array<string> => {
  const kept: Array<string> = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = String(raw[i])
    const lower = name.toLowerCase()
    if (hopByHop.has(lower) || internal.has(lower)) continue
    const value = lower === "location" || lower === "content-location" ? rewrite(text(raw[i + 1])) : text(raw[i + 1])
    if (value !== undefined) kept.push(name, value)
  }
  return kept
}

/** Header bytes are Latin-1 on the wire, in both directions. */
const text = (value: Buffer | string | undefined): string =>
  typeof value === "string" ? value : (value?.toString("latin1") ?? "")
