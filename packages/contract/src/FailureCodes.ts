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
  registry_service_unknown: {
    status: 400,
    cause: "A registry token was asked for with another `service` than REGISTRY_SERVICE.",
    fix: "Make `auth.token.service` of the registry's configuration the same as REGISTRY_SERVICE."
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
  subject_token_refused: {
    status: 401,
    cause:
      "The subject token of an exchange is not what it must be: its signature, algorithm, audience, times, subject or form.",
    fix: "Send a fresh token of the service account with the audience that the operator registered; see docs/workload-identity.md."
  },
  registry_login_refused: {
    status: 401,
    cause: "The login for a registry token carries no Basic credentials, or ones that are not accepted.",
    fix: "Log in with a credential's `client_id` and `client_secret`, or with any user name and a personal access token."
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
  owner_required: {
    status: 403,
    cause: "The action is the account owner's. Machine credentials have no role, whatever their tier.",
    fix: "Have a person with the role customer-owner call it, or a platform administrator."
  },
  issuer_unmapped: {
    status: 403,
    cause:
      "The subject token's issuer is not registered, is disabled, or is mapped to another tenant than the caller's.",
    fix: "Have an operator register the cluster's issuer for your tenant."
  },
  people_role_required: {
    status: 403,
    cause:
      "People are managed by the account's owners and customer-admins. Machine credentials have no role, whatever their tier.",
    fix: "Have a person with one of the roles call it, or a platform administrator."
  },
  role_not_given: {
    status: 403,
    cause: "The invitation gives a role that the caller may not give.",
    fix: "Choose another role, or ask a platform administrator."
  },
  policy_role_required: {
    status: 403,
    cause:
      "Organisation units and access policies are written by the account's owners and customer-admins. Machine credentials have no role, whatever their tier.",
    fix: "Have a person with one of the roles call it, or a platform administrator."
  },
  policy_denied: {
    status: 403,
    cause: "An access policy of the account, or of the caller's organisation unit, denies calls of this area.",
    fix: "GET /v1/org/effective shows which unit decided it; an owner or customer-admin of the account can change it."
  },
  source_network_refused: {
    status: 403,
    cause: "The credential was minted with `networks`, and the call comes from an address in none of them.",
    fix: "Call from one of the networks. An operator whose gateway stands behind a proxy has to name it in TRUSTED_PROXIES."
  },
  credential_beyond_own: {
    status: 403,
    cause:
      "The caller's credential is limited to source networks, or a policy of its organisation unit denies it something, and the credential to mint or rotate would not be limited so.",
    fix: "Name networks inside the caller's own or leave `networks` out to inherit them; to rotate, call with a credential that is not limited."
  },
  admin_required: {
    status: 403,
    cause: "The route is for platform administrators.",
    fix: "Call it with a platform administrator's token."
  },
  billing_access_required: {
    status: 403,
    cause: "The caller is a member of the account who may not see what it costs.",
    fix: "Ask the account's owner for billing access; it takes effect within 60 seconds."
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
  workload_issuer_not_found: {
    status: 404,
    cause: "No registered issuer has this id.",
    fix: "List the issuers with GET /v1/workload-identity/issuers."
  },
  tenant_not_found: {
    status: 404,
    cause: "No tenant has this project id.",
    fix: "List the tenants with GET /v1/tenants."
  },
  user_not_found: {
    status: 404,
    cause: "No member of the account has this user id.",
    fix: "Take the id from GET /v1/org/users."
  },
  project_not_found: {
    status: 404,
    cause: "No project of the caller's account has this id.",
    fix: "List the projects with GET /v1/projects."
  },
  unit_not_found: {
    status: 404,
    cause: "The account has no organisation unit with this path.",
    fix: "List the units with GET /v1/org/ous; a unit's parent is made before it."
  },
  unit_member_not_found: {
    status: 404,
    cause: "No live credential and no member of the account has this id, or it is not in the unit that was named.",
    fix: "Take the id from GET /v1/credentials or GET /v1/org/users."
  },
  policy_not_found: {
    status: 404,
    cause: "The organisation unit, or the account itself, has no access policy.",
    fix: "List the policies with GET /v1/access/policy."
  },
  signup_not_found: {
    status: 404,
    cause: "No signup has this id.",
    fix: "Take the id from GET /v1/signups."
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
  issuer_registered: {
    status: 409,
    cause: "An issuer stands for one tenant, and this one is registered already.",
    fix: "Give the cluster an issuer of its own (--service-account-issuer), or remove the other mapping first."
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
  unit_taken: {
    status: 409,
    cause: "The account has an organisation unit with this path already.",
    fix: "Use it, or choose another path."
  },
  unit_occupied: {
    status: 409,
    cause: "The organisation unit still has units below it, credentials or members in it, or an access policy.",
    fix: "Delete the units below and the policy, and take the members out, then delete the unit."
  },
  tier_move_in_progress: {
    status: 409,
    cause: "Another change of this tenant's quotas is under way.",
    fix: "Try again when it is done."
  },
  concurrent_deletion_state: {
    status: 409,
    cause:
      "The project is being deleted, or its account is being closed: it can be read, and nothing in it can be changed.",
    fix: "Wait for the end, or have the deletion cancelled or the account reopened."
  },
  not_being_deleted: {
    status: 409,
    cause: "There is no deletion of this project to cancel: it was refused, cancelled, or never asked for.",
    fix: "Look at GET /v1/projects/{project_id}, which says how the last deletion ended."
  },
  deletion_past_return: {
    status: 409,
    cause: "The deletion has begun to remove the project's users, whose secrets nobody can restore.",
    fix: "None: the deletion goes on to its end."
  },
  deletion_step_under_way: {
    status: 409,
    cause: "The deletion is cancelled, and the step that it was at is not over yet.",
    fix: "Ask GET /v1/projects/{project_id}: the project is live again when the step is over."
  },
  signup_busy: {
    status: 409,
    cause: "The signup's tenant is being made, or what was made of it is being removed.",
    fix: "Wait until it is onboarded or pending again; `GET /v1/journal` says what is stuck."
  },
  signup_decided: {
    status: 409,
    cause: "The signup was approved or rejected before.",
    fix: "None: the decision stands. The person can sign up again after a rejection."
  },
  login_elsewhere: {
    status: 409,
    cause: "The address is the login of somebody who is not in this account. Whose it is, is not told.",
    fix: "Invite the person with another address."
  },
  invitation_busy: {
    status: 409,
    cause:
      "An invitation of the same address, or the person's removal, is under way; what died half way is finished within minutes.",
    fix: "Try again in a moment."
  },
  last_owner: {
    status: 409,
    cause: "The account would have no owner.",
    fix: "Have a platform administrator make somebody else an owner first."
  },
  owner_sees_billing: {
    status: 409,
    cause: "Billing access was to be taken from an owner of the account.",
    fix: "Give the person another role first."
  },
  own_team_login: {
    status: 409,
    cause: "A platform administrator was about to remove the own login.",
    fix: "Have another platform administrator do it."
  },
  login_not_made_here: {
    status: 409,
    cause: "A platform administrator's login that no invitation made was to be removed.",
    fix: "Take its role away at the identity provider."
  },
  login_taken: {
    status: 409,
    cause: "The e-mail address is the login of somebody in another account, or of the platform team.",
    fix: "Have the organisation sign up with another address."
  },
  onboarding_busy: {
    status: 409,
    cause: "The onboarding is still running, or another process is rolling it back.",
    fix: "Try again after `lease_ends`."
  },
  credential_not_active: {
    status: 409,
    cause: "The credential to rotate is revoked, expired or suspended.",
    fix: "Mint a new one under POST /v1/credentials; a suspended one can be rotated when it is restored."
  },
  credential_rotated: {
    status: 409,
    cause: "The credential was rotated before; it is in its overlap, or has ended.",
    fix: "Rotate its successor, which `rotated_to` names."
  },
  rotation_in_progress: {
    status: 409,
    cause: "Two rotations of one credential; the other one is under way, or was cut short and is being cleaned up.",
    fix: "Look at the credential: `rotated_to` names the successor when the other rotation is done."
  },
  predecessor_lives: {
    status: 409,
    cause: "The credential came from a rotation whose overlap is not over, so that there would be three of it.",
    fix: "Revoke the predecessor, or wait until its `revokes_at`."
  },
  credential_allowance_reached: {
    status: 409,
    cause: "The tenant holds as many live credentials as its tier allows.",
    fix: "Revoke one that is no longer used."
  },
  ceiling_reached: {
    status: 409,
    cause:
      "There is no room left under a ceiling of the tenant's tier. `ceiling` carries requested, used, limit and " +
      "remaining, in the unit that `detail` names.",
    fix: "Ask for less, free something, or ask an operator for a larger tier. Nothing was changed."
  },
  concurrent_change: {
    status: 409,
    cause: "Something of the same kind in the same tenant is being changed by another request.",
    fix: "Send the request again in a moment."
  },
  upstream_conflict: {
    status: 409,
    cause: "A platform service refused because of how things are there. `detail` carries its words.",
    fix: "Change what `detail` names, or free what is used up."
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
  form_expected: {
    status: 415,
    cause: "A registry token was asked for with a POST whose body is no form.",
    fix: "Send the OAuth parameters as application/x-www-form-urlencoded, or use GET with Basic credentials."
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
  account_not_found: {
    status: 404,
    cause: "No account has this number.",
    fix: "List the accounts with GET /v1/tenants/accounts."
  },
  account_not_closing: {
    status: 409,
    cause: "The account is open, or destroyed already: there is nothing to reopen or to finalize.",
    fix: "Look at its state with GET /v1/tenants/accounts."
  },
  account_window_over: {
    status: 409,
    cause: "The closing window is over, and the account is about to be destroyed.",
    fix: "Nothing brings the account back. Onboard the organisation anew."
  },
  account_destroying: {
    status: 409,
    cause: "The destruction of the account has begun, so that not all of it could be restored.",
    fix: "Nothing brings the account back. Onboard the organisation anew."
  },
  account_in_window: {
    status: 409,
    cause: "The closing window is not over, and no reason was stated for destroying the account earlier.",
    fix: "Wait for the end of the window, after which it is destroyed by itself, or send a `reason`."
  },
  closing_not_confirmed: {
    status: 422,
    cause: "`confirm` is not the name of the account.",
    fix: "Send the name as GET /v1/account shows it, letter by letter."
  },
  budget_not_found: {
    status: 404,
    cause: "No budget has this id, or it is another tenant's.",
    fix: "Take the id from GET /v1/budgets."
  },
  billing_conflict: {
    status: 409,
    cause: "The billing service refused the request as things are. `detail` carries its words.",
    fix: "Do what `detail` says, such as removing a budget first."
  },
  upstream_refused: {
    status: 422,
    cause: "A platform service can never do what was asked. `detail` carries its words.",
    fix: "Correct what `detail` names."
  },
  billing_refused: {
    status: 422,
    cause: "The billing service can never do what was asked. `detail` carries its words.",
    fix: "Correct what `detail` names."
  },
  cost_period_refused: {
    status: 422,
    cause: "`period`, `start` and `end` do not name one span of time.",
    fix: "Send `period` alone, or `start` and a later `end`, or none of the three for the running month."
  },
  issuer_endpoint_refused: {
    status: 422,
    cause: "The address for an issuer's keys is not https, or leads to the gateway's own machine or link.",
    fix: "Register the https address of the cluster's API server."
  },
  rate_limited: {
    status: 429,
    cause: "Too many requests, or too many failed logins, in a short time.",
    fix: "Wait for as many seconds as the header `Retry-After` says."
  },
  validation_error: {
    status: 422,
    cause: "The request does not fit its schema. `detail` is a list with one entry per error.",
    fix: "Correct the fields that `loc` names; unknown fields are refused."
  },
  deletion_not_confirmed: {
    status: 422,
    cause: "The `confirm` of a deletion is missing, or is not the name of the project that is to be deleted.",
    fix: "Send the name that `detail` gives, if it is the project that you mean."
  },
  project_id_required: {
    status: 422,
    cause: "A platform administrator invited somebody without saying into which account.",
    fix: "Send `project_id`, or the role `admin` for the platform team."
  },
  project_id_refused: {
    status: 422,
    cause: "`project_id` came together with the role `admin`, or with a `scope` that belongs to no project.",
    fix: "Leave `project_id` out."
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
  issuer_unreachable: {
    status: 503,
    cause: "The key endpoint of the subject token's issuer does not answer, or not with a key set.",
    fix: "Try again; if it stays, look whether the registered key endpoint can be reached and its certificate is trusted."
  },
  policy_unreadable: {
    status: 503,
    cause: "The access policy that decides whether the call is allowed cannot be read, so nothing was allowed.",
    fix: "Try again."
  },
  tier_unreadable: {
    status: 503,
    cause: "The tenant's tier could not be read, so nothing was decided.",
    fix: "Try again."
  }
} as const satisfies Readonly<Record<string, { readonly status: number; readonly cause: string; readonly fix: string }>>

export type FailureCode = keyof typeof failureCodes
