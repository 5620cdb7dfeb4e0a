/**
 * The text before the operations of each document, in Markdown. Customers read
 * theirs too, so it names no route of the operator plane.
 */

const overview = `
Portico is one HTTP/JSON API in front of a private cloud: its infrastructure platform, Kubernetes, object storage,
managed databases, networks and billing, for many tenants at once.

- An **account** is a customer. It has members (people) and owns projects.
- A **tenant** is one project with its quotas, users and credentials. Every call acts in the tenant that the caller's
  credential belongs to; nothing in a request can widen that. A resource of another tenant answers 404, as one that does
  not exist.
- A **permission tier** (0, 1, 2) is how much a caller may do. The **quota tier** of a tenant (\`discovery\`, \`standard\`,
  \`extension\`) is how much it may have.
- A **plane** is one of the two addresses of the gateway. The customer plane serves tenants. The operator plane serves
  the platform team, on an administrative address, and has the customer plane's routes too.
`

const authentication = `
## Authentication

Every call needs \`Authorization: Bearer <token>\`, except those whose description says that they need none. There are
these ways to a token:

| caller | way |
| --- | --- |
| a person with a browser | OAuth 2 authorization code flow with PKCE at the identity provider |
| a person without a browser | the device authorization grant (RFC 8628) |
| a machine | the client credentials grant, with the \`client_id\` and \`client_secret\` of a credential |
| a machine, more simply | the credential's personal access token (\`pat\`), sent as it is |
| a pod | \`POST /v1/workload-identity/token-exchange\`: the token of its service account for a Bearer of one hour |

The security scheme \`oauth2\` has the identity provider's addresses and scopes. A token needs the scopes for the roles
and for the audience of this API; a token without the audience is answered 401. People refresh their tokens with
\`offline_access\`.

\`POST /v1/credentials\` mints a machine credential. Its response is the only one that shows the \`client_secret\` and the
\`pat\`. \`GET /v1/whoami\` shows the caller and its rights.
`

const tiers = `
## Permission tiers

| tier | name | allows |
| --- | --- | --- |
| 0 | read-only | GET, HEAD and OPTIONS |
| 1 | operate | also POST, PUT and PATCH |
| 2 | destructive | also DELETE |

Some operations need another tier than their method; the **Access** list at the end of each description says which. A
credential never has more rights than its creator. Below the tier an operation answers 403 \`tier_too_low\`.

An **access policy** can lower the tier of a part of the account, and deny areas. \`databases:operate\` denies all calls
of the area \`databases\` that need tier 1 or 2, \`databases\` denies all of them, \`databases:destroy\` those that need
tier 2. The Access list has the area and level of each operation.

The Access list is there for programs too, as extensions of the operation:

| extension | value |
| --- | --- |
| \`x-portico-planes\` | the planes that have the operation: \`customer\`, \`operator\` |
| \`x-portico-tier\` | the permission tier that it needs; absent where no tier counts |
| \`x-portico-role\` | \`platform-administrator\` or \`billing\`, where a role is needed |
| \`x-portico-idempotency-key\` | \`true\`: it takes an \`Idempotency-Key\` |
| \`x-portico-secret\` | the kind of secret in the response: \`new\` (shown once), \`stored\` (kept, not shown to agents), \`grant\` (an address that works for a while) |
| \`x-portico-while-closing\` | of a write: \`allowed\` or \`refused\` while the project is being deleted or its account closed |
| \`x-portico-while-suspended\` | of a write: \`allowed\`, \`refused\` or \`partly\` while the tenant is suspended |
| \`x-portico-policy\` | the denial of an access policy that covers it, such as \`dns:operate\` |
| \`x-portico-billed\` | \`true\`: the resource that it creates or enlarges is billed |
| \`x-portico-long-running\` | how to wait: the operation to \`read\`, its \`field\`, the values when \`done\` and when \`failed\` |
`

const errors = `
## Errors

A failure has a JSON body with a \`detail\` for people and a stable \`code\` for programs:

\`\`\`json
{ "detail": "Credential 'cred-0123456789ab' not found", "code": "credential_not_found" }
\`\`\`

A request that does not match its schema is a 422 \`validation_error\`, whose \`detail\` is a list with the place (\`loc\`),
the message (\`msg\`) and the \`type\` of each error. Unknown fields and query parameters are refused, never ignored. Each
operation lists its codes, with an example each. Decide by status and \`code\`, not by the text of \`detail\`.

- 401: the token is missing or not valid. 403: the caller may not do this. 404: there is no such resource in the tenant.
- 409 may succeed later; 422 never does with the same values.
- 502: a service behind the gateway refused or failed. \`transient\`, where it is there, says whether to repeat the call.
- 503: the gateway could not decide, and did nothing or stopped. Repeat the call.

Every response has the header \`X-Request-Id\`. Name its value when you report a problem; audit records and events have it
as \`request_id\`.

Responses under \`/v1/iaas\` and \`/v1/kubernetes\` come from the service behind, unchanged. The gateway's own refusals
under \`/v1/kubernetes\` have the shape of the cluster's API, a \`Status\`.
`

const requests = `
## Requests

Bodies are JSON in UTF-8, of at most 64 KiB and 32 levels, without repeated keys. Times are RFC 3339 in UTC. Paths have
one spelling: dot segments, doubled slashes and encoded slashes are refused.

Names, labels, titles, descriptions and messages are text that people see. The space (U+0020) is their only blank. They
have no control, invisible, private-use or unassigned characters, and none that change the direction of text. Joiners
and selectors that are a part of a word or of a pictograph are taken.

### Pages

Lists come in pages: \`limit\` (1 to 1000, 100 by default) is the most rows, and \`next_cursor\` of a response is the
\`cursor\` of the next request; null means that this page is the last. \`count\` is the number of all rows. Events and
audit records have a \`last_cursor\` as well: keep it, and read on from it later.

### Repeating a request

Operations that take an \`Idempotency-Key\` are carried out once for each key: send a new key (a UUID) with each new
request, and the same key when you repeat a request whose response was lost. The repeated response has the header
\`Idempotent-Replayed: true\`, and null in place of secrets that are shown once; \`Idempotency-Redacted\` names those
fields. The gateway keeps a key for 24 hours.

Other requests can be repeated as they are, except POST and PATCH under \`/v1/iaas\` and \`/v1/kubernetes\`: the services
behind take no key, so look whether such a request took effect before you send it again.

### Limits

On the customer plane all callers of a tenant share an allowance of calls a minute, which its quota tier sets. The
headers \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` of each response say how much is left. A call
above it is a 429 \`rate_limited\` with \`Retry-After\` in seconds, and does nothing. Open streams have limits of their own.

### Long-running work

Some operations answer before the work is done. The line "Completion" of their Access list names the operation to call
repeatedly, and the values that say that the work is done or has stopped.
`

const events = `
## Events and webhooks

Changes in a tenant are events: \`GET /v1/events\` has those of the last 30 days in order, \`GET /v1/events/tail\` streams
them, and webhooks and integrations send them to your systems. An event may arrive more than once; its \`id\` stays the
same. Webhooks are signed as Standard Webhooks are, with one difference: the key of the HMAC is the SHA-256 of the
secret, in hexadecimal. \`GET /v1/audit\` has a record of every write.
`

const versions = `
## Versions

\`info.version\` is the version of this contract: a change raises its second number, a correction the third. All routes
but \`/health\` are under \`/v1\`. A later version may add operations, optional request fields, response fields, failure
codes and event kinds, so ignore unknown ones in a response.
`

const operators = `
## The operator plane

This document is that of the operator plane. A platform administrator is a person or machine with the administrator's
role at the identity provider. It has no tenant: operations of a tenant answer 409 \`tenant_required\`, except those that
take a project as a parameter, and the lists that span tenants. The operator plane has no rate limit. Operations under
"Operators" exist on this plane alone; a customer who calls them on the customer plane gets a 404.
`

const common = [overview, authentication, tiers, errors, requests, events, versions]

const textOf = (parts: ReadonlyArray<string>): string => parts.map((_) => _.trim()).join("\n\n")

export const introductions = { customer: textOf(common), operator: textOf([...common, operators]) } as const

export const summaries = {
  customer: "The API of a private cloud for its tenants.",
  operator: "The API of a private cloud for its tenants and its operators."
} as const
