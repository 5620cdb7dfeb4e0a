/**
 * Every stable `code` of an error body, with what causes it and what the
 * caller can do. `docs/errors.md` is generated from this table, and a failure
 * with a code that is not listed here does not compile.
 */
export const failureCodes = {
  path_not_canonical: {
    status: 400,
    cause: "The path can be read in more than one way: dot segments, doubled slashes, an encoded slash, and the like.",
    fix: "Send the plain spelling of the path."
  },
  query_not_canonical: {
    status: 400,
    cause:
      "The query can be read in more than one way, and one of them asks for more than the credential allows; or it names another method.",
    fix: "Separate parameters with `&` alone, and leave `_method` out."
  },
  body_not_json: {
    status: 400,
    cause: "A rule has to look into the body of this proxied call, and the body cannot be read as JSON.",
    fix: "Send JSON in UTF-8, with standard numbers and without a byte order mark."
  },
  two_tokens: {
    status: 400,
    cause:
      "The request carries an `Authorization` header and an `X-Auth-Token` with another token. Only with OpenStack compatibility on.",
    fix: "Send one of the two."
  },
  token_request_not_understood: {
    status: 400,
    cause:
      "The body of the Keystone token call is not JSON, has a field that is not known, or lacks one. Only with OpenStack compatibility on.",
    fix: "Send what docs/openstack-clients.md shows, or let a client of OpenStack send it."
  },
  missing_authorization: {
    status: 401,
    cause: "The request carries no `Authorization: Bearer …` header, or a malformed one.",
    fix: "Send a Bearer token: an access token of the identity provider or a personal access token."
  },
  token_inactive: {
    status: 401,
    cause:
      "The identity provider says that the token is not active: expired, revoked, unknown, or issued for another audience.",
    fix: "Get a new token, with the project-audience scope of the API."
  },
  introspection_failed: {
    status: 401,
    cause: "The identity provider answered the check of the token with something that cannot be used.",
    fix: "Try again; if it stays, tell the operator."
  },
  credential_revoked: {
    status: 401,
    cause: "The credential behind the token was revoked.",
    fix: "Use another credential, or have one minted under POST /v1/credentials."
  },
  credential_expired: {
    status: 401,
    cause: "The credential behind the token reached its expiry.",
    fix: "Have a new credential minted under POST /v1/credentials."
  },
  credential_suspended: {
    status: 401,
    cause: "The credential is held because its project is being deleted or its account closed.",
    fix: "It works again when the deletion is cancelled or the account is reopened."
  },
  auth_method_refused: {
    status: 401,
    cause:
      "The Keystone token call names another method than `application_credential` or `token`, or more than one. Only with OpenStack compatibility on.",
    fix: "Log in with `auth_type: v3applicationcredential` or `auth_type: v3token`."
  },
  application_credential_refused: {
    status: 401,
    cause:
      "The identity provider does not accept the application credential of a Keystone token call: unknown, wrong, or revoked. Only with OpenStack compatibility on.",
    fix: "Send a credential's `client_id` as id and its `client_secret` as secret."
  },
  no_project_roles: {
    status: 403,
    cause: "The token's user holds no role in the API's project.",
    fix: "Request the roles scope with the token, or have a role granted."
  },
  no_tenant: {
    status: 403,
    cause: "The user is neither bound to a tenant nor a platform administrator.",
    fix: "Ask an operator to map the user to a project."
  },
  tier_too_low: {
    status: 403,
    cause: "The credential's permission tier is below what the call needs. Minting a tier needs that tier.",
    fix: "Use a credential of the tier that `detail` names."
  },
  admin_required: {
    status: 403,
    cause: "The route is for platform administrators.",
    fix: "Call it with a platform administrator's token."
  },
  project_override_refused: {
    status: 403,
    cause:
      "`?project=` was sent by somebody who is not a platform administrator. The answer is the same whether or not the project exists.",
    fix: "Leave the parameter out: the project follows from the credential."
  },
  other_project: {
    status: 403,
    cause: "The query of a proxied call filters by a project that is not the credential's.",
    fix: "Leave the parameter out: every list is already limited to the own project."
  },
  token_scope_refused: {
    status: 403,
    cause:
      "A Keystone token call asks for a scope that is not the credential's own project: another project, a domain, the system, or none. Only with OpenStack compatibility on.",
    fix: "Leave the scope out, or name the credential's project."
  },
  identity_route_refused: {
    status: 403,
    cause: "The route of the identity service is not among those that tenants may reach through the proxy.",
    fix: "Use GET /v1/iaas/identity/projects/{your project}, …/tags, or /v1/iaas/identity/regions."
  },
  world_open_ssh: {
    status: 403,
    cause:
      "A rule of a security group would let every address reach port 22, by its prefix, by having none, or by its address group; or a prefix of length 0 would go into an address group.",
    fix: "Name a narrower prefix or a remote group, or repeat the request with `?allow_ssh_from_anywhere=true`."
  },
  external_gateway_refused: {
    status: 403,
    cause:
      "The call would set, change or remove the external gateway of a router, or make Neutron allocate one, and the caller is not a platform administrator.",
    fix: "Leave it out: the tenant's router has its uplink since onboarding. A change of it is a platform administrator's."
  },
  image_locations_refused: {
    status: 403,
    cause: "The call would read or write where an image's data lies. Nobody may, at any tier.",
    fix: "Create the image without `locations`, and upload its data with PUT …/images/{id}/file or import it."
  },
  secret_payload_refused: {
    status: 403,
    cause:
      "A machine credential asked for the payload of a stored secret, by its path or by an `Accept` that is neither `*/*` nor `application/json`.",
    fix: "Read the metadata with `Accept: application/json`; a person reads the payload."
  },
  cluster_namespace_refused: {
    status: 403,
    cause: "The call would change or delete the tenant's Kubernetes namespace itself.",
    fix: "Delete what is in it instead, kind by kind."
  },
  cluster_limits_refused: {
    status: 403,
    cause:
      "The call would write a resource quota, a limit range, a role or a role binding in the tenant's Kubernetes namespace.",
    fix: "Leave these objects out. A wider limit comes with a higher tier of the tenant."
  },
  cluster_token_refused: {
    status: 403,
    cause: "The call would mint a token of a Kubernetes service account.",
    fix: "Mint a credential under POST /v1/credentials; pods can mount tokens of their own."
  },
  cluster_subresource_refused: {
    status: 403,
    cause:
      "The call would write a sub-resource that only the cluster's own controllers write: status, finalize, binding.",
    fix: "Write the object itself."
  },
  not_found: { status: 404, cause: "There is no such route.", fix: "See /openapi.json for the routes of this plane." },
  credential_not_found: {
    status: 404,
    cause: "The credential does not exist, or belongs to another tenant.",
    fix: "List the credentials that you can see with GET /v1/credentials."
  },
  tenant_not_found: {
    status: 404,
    cause: "No tenant has this project id.",
    fix: "List the tenants with GET /v1/tenants."
  },
  onboarding_not_found: {
    status: 404,
    cause: "The journal holds no onboarding with this id: it was completed or rolled back, or never existed.",
    fix: "List what is open with GET /v1/journal."
  },
  token_not_found: {
    status: 404,
    cause:
      "`X-Subject-Token` is missing, or is not the token that the request itself carries. Only with OpenStack compatibility on.",
    fix: "Ask with the same token in `X-Auth-Token` and `X-Subject-Token`."
  },
  service_not_found: {
    status: 404,
    cause: "The first segment behind /v1/iaas names no platform service.",
    fix: "Use one of identity, compute, network, volume, image, dns, load-balancer, key-manager."
  },
  namespace_unused: {
    status: 404,
    cause: "Nothing was ever written into the tenant's Kubernetes namespace, so it does not exist.",
    fix: "Create something in it: the first write makes the namespace with its quota."
  },
  method_not_allowed: {
    status: 405,
    cause: "The path exists, but not with this method.",
    fix: "Use one of the methods in the `Allow` header."
  },
  tenant_required: {
    status: 409,
    cause: "A platform administrator's credential has no tenant, and the endpoint needs one.",
    fix: "Call it with a credential of the tenant."
  },
  organisation_name_taken: {
    status: 409,
    cause:
      "The name, or the slug that follows from it, belongs to another tenant or to something that exists upstream.",
    fix: "Send the request again with `tenant_name` set to a free name."
  },
  onboarding_in_progress: {
    status: 409,
    cause: "An onboarding of the same name is running or being rolled back.",
    fix: "Wait for it; GET /v1/journal shows where it is."
  },
  budget_exceeded: {
    status: 409,
    cause: "The tier does not fit into what is left of the sellable budget. `admission` has the numbers.",
    fix: "Choose a smaller tier, or free or add capacity."
  },
  tier_move_in_progress: {
    status: 409,
    cause: "Another change of this tenant's quotas is under way.",
    fix: "Try again when it is done."
  },
  onboarding_busy: {
    status: 409,
    cause: "The onboarding is still running, or another process is rolling it back.",
    fix: "Try again after `lease_ends`."
  },
  credential_allowance_reached: {
    status: 409,
    cause: "The tenant holds as many live credentials as its tier allows.",
    fix: "Revoke one that is no longer used."
  },
  body_too_large: {
    status: 413,
    cause: "The request body is larger than first-class routes accept.",
    fix: "Send at most 64 KiB."
  },
  unsupported_media_type: {
    status: 415,
    cause: "The request body is not JSON.",
    fix: "Send `Content-Type: application/json`."
  },
  form_body: {
    status: 415,
    cause: "The body of this proxied call is a form, or has an empty Content-Type: services read a method from forms.",
    fix: "Send JSON with `Content-Type: application/json`."
  },
  encoded_body: {
    status: 415,
    cause: "A rule has to look into the body of this proxied call, and the body is compressed.",
    fix: "Send it without a Content-Encoding."
  },
  image_patch_media_type: {
    status: 415,
    cause: "The media type of a patch of an image is none that the image service reads.",
    fix: "Send `Content-Type: application/openstack-images-v2.1-json-patch`."
  },
  validation_error: {
    status: 422,
    cause: "The request does not fit its schema. `detail` is a list with one entry per error.",
    fix: "Correct the fields that `loc` names; unknown fields are refused."
  },
  unusable_name: {
    status: 422,
    cause: "No slug can be made from the name, or the slug is reserved.",
    fix: "Choose a name with at least two letters or digits that is not a reserved word."
  },
  internal_error: {
    status: 500,
    cause: "A fault of the gateway. Nothing about it is told here; the log has the cause under the request id.",
    fix: "Tell the operator the value of the `X-Request-Id` header."
  },
  upstream_failed: {
    status: 502,
    cause: "A system behind the gateway refused or failed. `detail` carries its words.",
    fix: "If `transient` is true, try again."
  },
  onboarding_failed: {
    status: 502,
    cause: "A step of an onboarding failed and everything that had been made was removed, except what `left` names.",
    fix: "Send the request again; what is left is retried in the background and under POST /v1/journal/{attempt_id}/retry."
  },
  quota_write_failed: {
    status: 502,
    cause: "A quota write was refused. `applied` names what was written before; the tier tag is unwritten.",
    fix: "Send the same request again: it repairs."
  },
  identity_provider_unreachable: {
    status: 503,
    cause: "The identity provider could not be reached, so the token could not be checked.",
    fix: "Try again."
  },
  tier_unreadable: {
    status: 503,
    cause: "The tenant's tier could not be read, so nothing was decided.",
    fix: "Try again."
  }
} as const satisfies Readonly<Record<string, { readonly status: number; readonly cause: string; readonly fix: string }>>

export type FailureCode = keyof typeof failureCodes
