/** How a server behind the gateway may fold the name of a header before it is looked up. */
export type Folding = (name: string) => string

export const foldings: ReadonlyArray<readonly [name: string, folding: Folding]> = [
  ["as sent", (name) => name.toLowerCase()],
  ["as WSGI does", (name) => name.toLowerCase().replaceAll("_", "-")],
  ["by a careless server", (name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "-")]
]

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

const claims: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "host",
  "forwarded",
  "x-auth-token",
  "x-service-token",
  "x-subject-token",
  "x-storage-token",
  "x-identity-status",
  "x-is-admin-project",
  "x-roles",
  "x-role",
  "x-user",
  "x-tenant",
  "x-service-catalog",
  "openstack-system-scope",
  "x-real-ip",
  "x-original-url",
  "x-rewrite-url",
  "x-http-method-override",
  "x-http-method",
  "x-method-override"
])

/** Whole families: of a project, a domain, a user, a role, of another service's token, and of who came from where. */
const families = [
  "x-project-",
  "x-domain-",
  "x-user-",
  "x-role-",
  "x-tenant-",
  "x-identity-",
  "x-is-admin-",
  "x-service-",
  "x-auth-sudo-",
  "x-auth-all-",
  "x-auth-project-",
  "x-auth-user-",
  "x-designate-",
  "x-forwarded-",
  "x-remote-",
  "impersonate-"
] as const

/** What a header, under the name that a server looks up, would make the server believe; undefined for an ordinary one. */
export const meaning = (name: string): "identity" | "hop-by-hop" | undefined => {
  if (hopByHop.has(name)) return "hop-by-hop"
  return claims.has(name) || families.some((_) => name.startsWith(_)) ? "identity" : undefined
}

export const claimNames: ReadonlyArray<string> = [
  ...claims,
  ...hopByHop,
  "x-project-id",
  "x-project-name",
  "x-project-domain-id",
  "x-project-domain-name",
  "x-domain-id",
  "x-domain-name",
  "x-user-id",
  "x-user-name",
  "x-user-domain-id",
  "x-tenant-id",
  "x-tenant-name",
  "x-service-project-id",
  "x-service-roles",
  "x-service-user-id",
  "x-service-identity-status",
  "x-auth-sudo-project-id",
  "x-auth-sudo-tenant-id",
  "x-auth-all-projects",
  "x-auth-project-id",
  "x-auth-user-id",
  "x-designate-edit-managed-records",
  "x-designate-hard-delete",
  "x-designate-delete-shares",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-prefix",
  "x-remote-user",
  "x-remote-group",
  "x-remote-extra-scopes",
  "impersonate-user",
  "impersonate-group",
  "impersonate-uid",
  "impersonate-extra-scopes"
]

/** What clients need upstream as they said it. */
export const ordinaryHeaders: ReadonlyArray<readonly [name: string, value: string]> = [
  ["accept", "application/json"],
  ["accept", "text/plain, */*;q=0.1"],
  ["accept-encoding", "gzip, deflate"],
  ["accept-language", "de"],
  ["content-type", "application/json"],
  ["content-type", "application/openstack-images-v2.1-json-patch"],
  ["content-encoding", "base64"],
  ["range", "bytes=0-99"],
  ["if-match", "revision_number=3"],
  ["if-none-match", '"abc"'],
  ["if-modified-since", "Sat, 01 Jan 2022 00:00:00 GMT"],
  ["openstack-api-version", "compute 2.90"],
  ["openstack-api-version", "volume 3.59"],
  ["x-openstack-nova-api-version", "2.90"],
  ["x-openstack-request-id", "req-0b1f9a3e-1111-4222-8333-944455556666"],
  ["x-image-meta-store", "fast"],
  ["user-agent", "openstacksdk/4.0.0"],
  ["cache-control", "no-cache"],
  ["x-customer-trace", "1"],
  ["tracestate", "a=b"]
]
