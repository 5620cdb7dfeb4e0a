/**
 * Every stable `code` of an error body, with what causes it and what the
 * caller can do. `docs/tenants/errors.md` is generated from this table, and a failure
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
  cluster_body_ambiguous: {
    status: 400,
    cause:
      "A rule has to look into the body of this Kubernetes write, and readers differ on it: a name twice in one object, YAML with anchors, tags, several documents or words that YAML 1.1 and 1.2 read differently, a patch that is none.",
    fix: "Send plain JSON; in YAML put such words in quotation marks."
  },
  two_tokens: {
    status: 400,
    cause:
      "The request carries an `Authorization` header and an `X-Auth-Token` with another token. Only with OpenStack compatibility on.",
    fix: "Send one of the two."
  },
  header_repeated: {
    status: 400,
    cause: "The request has two `Authorization` or two `Host` headers, of which two readers may take different ones.",
    fix: "Send each of them once."
  },
  host_invalid: {
    status: 400,
    cause: "The `Host` header is missing, or its value is no host name or address with an optional port.",
    fix: "Send `Host` with the name and port that the gateway is reached at."
  },
  body_too_deep: {
    status: 400,
    cause: "A forwarded call whose body the gateway reads is nested more deeply than any request of the platform.",
    fix: "Send the fields that the platform's API reference names."
  },
  idempotency_key_proxied: {
    status: 400,
    cause:
      "A POST or PATCH to /v1/iaas or /v1/kubernetes carries an `Idempotency-Key`; what is behind them knows none.",
    fix: "Leave the header out, or use a first-class route that takes it."
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
    fix: "Send what docs/tenants/openstack-clients.md shows, or let a client of OpenStack send it."
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
    fix: "Send a fresh token of the service account with the audience that the operator registered; see docs/tenants/workload-identity.md."
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
  platform_namespace: {
    status: 403,
    cause: "The zone is one of the platform's own names, lies below one, or above one.",
    fix: "Make a zone of a domain that is yours."
  },
  zone_masters_refused: {
    status: 403,
    cause:
      "A master of a secondary zone is a name, or an address that the platform's name servers must not be led to: private, of this machine, or of its link.",
    fix: "Name the masters by IP addresses of the public internet, each with a port or without."
  },
  zone_file_refused: {
    status: 403,
    cause: "A zone file makes a zone of whatever name is in it, and the platform keeps names for itself.",
    fix: "Make the zone with POST /v1/dns/zones, and import the file into it."
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
      "The caller's credential is limited to source networks, a policy of its organisation unit denies it something, or it does not see what the account costs; and the credential to mint or rotate would not be limited so.",
    fix: "Name networks inside the caller's own or leave `networks` out to inherit them; to rotate, call with a credential that is not limited."
  },
  credential_outlives_own: {
    status: 403,
    cause:
      "The credential to mint or rotate would end later than the caller's own, or never, and the caller's own ends.",
    fix: "Ask for an earlier expiry, or leave `expires_in_days` out to have it end with the caller's own."
  },
  agent_mints_agents: {
    status: 403,
    cause: "A credential of kind `mcp` asks for one of another kind, of tier 2, or for more than seven days.",
    fix: "Ask for kind `mcp`, tier 0 or 1, and at most 7 days; or mint with a person's or an `api-key` credential."
  },
  agent_reads_no_secret: {
    status: 403,
    cause:
      "A credential of kind `mcp`, or one that was made with such a one, asks for a stored secret: agents act, and read no secrets.",
    fix: "Read it as a person, or with a credential of kind `api-key`."
  },
  replay_refused: {
    status: 403,
    cause: "The first request with this `Idempotency-Key` was made when the caller had a higher tier or another role.",
    fix: "Look with a GET for what it made, or make the request again with a new key."
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
  tenant_suspended: {
    status: 403,
    cause: "The tenant is suspended, and the call would create something, or make something larger.",
    fix: "Ask an operator to move the tenant to a tier. Reads, changes of what is there, power actions and deletions work meanwhile."
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
  image_import_refused: {
    status: 403,
    cause:
      "The import would make the image service fetch the image from an address (`web-download`, `glance-download`), or is of a kind that is not known.",
    fix: "Download the image yourself, and upload it with PUT …/images/{id}/file, or stage it and import it with `glance-direct`."
  },
  platform_act_refused: {
    status: 403,
    cause:
      "The act is one of the platform's own services or of its administrators, such as connecting to the storage behind a volume; tenants have it at no tier.",
    fix: "Use what is meant for it, which the refusal names where there is something; docs/tenants/proxy.md lists these acts with their reasons."
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
      "The call would write a resource quota, a limit range, a role, a role binding or one of the platform's network policies in the tenant's Kubernetes namespace.",
    fix: "Leave these objects out. A wider limit comes with a higher tier of the tenant."
  },
  cluster_token_refused: {
    status: 403,
    cause:
      "The call would mint a token of a Kubernetes service account, or write a Secret that the cluster fills with one.",
    fix: "Mint a credential under POST /v1/credentials; pods can mount tokens of their own."
  },
  cluster_subresource_refused: {
    status: 403,
    cause:
      "The call would write a sub-resource that only the cluster's own controllers write: status, finalize, binding.",
    fix: "Write the object itself."
  },
  cluster_kind_refused: {
    status: 403,
    cause: "The call would create or change an object of a kind that tenants do not write. `detail` says why.",
    fix: "Use the route that `detail` names; an operator opens further kinds with KUBERNETES_TENANT_RESOURCES."
  },
  cluster_service_refused: {
    status: 403,
    cause:
      "The Service would have another type than ClusterIP, external addresses, or ports of the cluster's nodes: traffic that is not the tenant's would reach it.",
    fix: "Leave out what `detail` names, and make the Service public with an exposure."
  },
  cluster_egress_refused: {
    status: 403,
    cause:
      "The NetworkPolicy has egress rules. Policies add up, so that it could only open what the platform keeps closed.",
    fix: "Leave `spec.egress` out. Policies for ingress are the tenant's own."
  },
  cluster_secret_refused: {
    status: 403,
    cause: "A credential of kind mcp asked for a Kubernetes Secret, or for a change whose answer would show one.",
    fix: "Use an api-key or a person's token to read it; an mcp credential of tier 1 can create and replace Secrets."
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
  database_not_found: {
    status: 404,
    cause: "The tenant has no managed database of this engine and name, or there can be none.",
    fix: "Look the databases up under GET /v1/databases."
  },
  database_credentials_not_ready: {
    status: 404,
    cause: "The operator is still making the database, or the password that a rotation asked for.",
    fix: "Try again in a moment; GET /v1/databases/{engine}/{name} says how far it is."
  },
  no_credential_to_rotate: {
    status: 404,
    cause: "The database has no password: a kafka broker asks nobody who they are.",
    fix: "Nothing has to be rotated."
  },
  service_not_found: {
    status: 404,
    cause: "The first segment behind /v1/iaas names no platform service.",
    fix: "Use one of identity, compute, network, volume, image, dns, load-balancer, key-manager."
  },
  dns_zone_not_found: {
    status: 404,
    cause: "No DNS zone has this id, or it is another tenant's.",
    fix: "Take the id from GET /v1/dns/zones."
  },
  recordset_not_found: {
    status: 404,
    cause: "The zone has no recordset with this id.",
    fix: "Take the id from GET /v1/dns/zones/{zone_id}/recordsets."
  },
  nat_gateway_not_found: {
    status: 404,
    cause: "No such NAT gateway exists, SNAT is off at its router, or it belongs to another tenant.",
    fix: "Take an id from GET /v1/nat-gateways. One that was deleted is made again by POST /v1/nat-gateways."
  },
  router_not_found: {
    status: 404,
    cause: "The router that the tenant got at its onboarding is gone, and what it made itself cannot lead outside.",
    fix: "Ask an operator to make the tenant's router again."
  },
  bucket_not_found: {
    status: 404,
    cause: "No such bucket exists, or it belongs to another tenant.",
    fix: "Take a name from GET /v1/object-storage/buckets."
  },
  object_not_found: {
    status: 404,
    cause: "The bucket has no object with this key, its newest version is a delete marker, or no key can be so.",
    fix: "Take a key from GET /v1/object-storage/buckets/{name}/objects, and encode it as docs/tenants/objects.md says."
  },
  access_key_not_found: {
    status: 404,
    cause: "The tenant has no S3 key with this access key.",
    fix: "Take one from GET /v1/object-storage/keys, and encode its dollar sign as %24."
  },
  instance_not_found: {
    status: 404,
    cause: "No instance of the caller's tenant has this id.",
    fix: "List them under GET /v1/iaas/compute/servers."
  },
  alarm_not_found: {
    status: 404,
    cause: "No alarm of the caller's tenant has this id.",
    fix: "List them under GET /v1/alarms."
  },
  webhook_not_found: {
    status: 404,
    cause: "No webhook of the caller's tenant has this id.",
    fix: "List them under GET /v1/webhooks."
  },
  integration_not_found: {
    status: 404,
    cause: "No notification integration of the caller's tenant has this id.",
    fix: "List them under GET /v1/integrations."
  },
  event_not_found: {
    status: 404,
    cause:
      "No event of the caller's tenant has this id, it is older than 30 days, or the webhook is not subscribed to it.",
    fix: "Take an id from GET /v1/events, and compare the event's topic and kind with the webhook's."
  },
  incident_not_found: {
    status: 404,
    cause: "No incident or maintenance has this id; it may have been removed already.",
    fix: "Those that stand are in GET /v1/status."
  },
  autoscaling_group_not_found: {
    status: 404,
    cause: "No such autoscaling group exists, or it belongs to another tenant.",
    fix: "Take an id from GET /v1/autoscaling/groups."
  },
  autoscaling_policy_not_found: {
    status: 404,
    cause: "The group has no policy of this name.",
    fix: "Take a name from the group's `policies`."
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
    fix: "Call it with a credential of the tenant, or on the operator plane, where administrators have their powers."
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
  idempotency_in_flight: {
    status: 409,
    cause: "The first request with this `Idempotency-Key` has not come to its end, or its process died a moment ago.",
    fix: "Send it again after `Retry-After` seconds."
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
  credential_chain_too_long: {
    status: 409,
    cause: "Credentials made each other so often that the chain up to the first maker would become too long.",
    fix: "Mint with a credential further up in the chain, or as a person."
  },
  credential_allowance_reached: {
    status: 409,
    cause: "The tenant holds as many live credentials as its tier allows.",
    fix: "Revoke one that is no longer used."
  },
  no_backup_yet: {
    status: 409,
    cause: "The database to restore from makes backups, but none of them is complete yet.",
    fix: "Wait until last_successful_at of the database's detail is set, and send the request again."
  },
  outside_recovery_window: {
    status: 409,
    cause:
      "The point in time lies before the end of the first backup, in the future, or after what is archived by now.",
    fix: "Take a point between earliest_recovery_point and latest_recovery_point of the database's detail."
  },
  restore_too_small: {
    status: 409,
    cause: "The restored database would be smaller than the one that its data comes from.",
    fix: "Leave size_gb out, or ask for at least the size of the source."
  },
  database_exists: {
    status: 409,
    cause:
      "The tenant's namespace has a database of this engine and name; an earlier create whose answer was lost may " +
      "have made it, or somebody through the Kubernetes API.",
    fix: "Look at it under GET /v1/databases/{engine}/{name}, or choose another name."
  },
  database_storage_not_grown: {
    status: 409,
    cause: "The storage of a database only grows, and `size_gb` is not more than what each instance has.",
    fix: "Ask for more, or leave `size_gb` out. For less, restore or copy into a new database."
  },
  database_replicas_unchanged: {
    status: 409,
    cause: "The database has as many replicas as asked for.",
    fix: "Ask for another number, or leave `replicas` out."
  },
  bucket_name_taken: {
    status: 409,
    cause: "A bucket of this name exists already, and it is not the tenant's.",
    fix: "Choose another name."
  },
  bucket_not_empty: {
    status: 409,
    cause: "The bucket holds objects, old versions, delete markers or the parts of unfinished uploads.",
    fix: "Delete them with an S3 client, then delete the bucket."
  },
  autoscaling_name_taken: {
    status: 409,
    cause:
      "The tenant has an autoscaling group of this name; one that is being deleted holds its name until it is gone.",
    fix: "Choose another name, or change the group that is there."
  },
  autoscaling_group_deleting: {
    status: 409,
    cause: "The group's servers are being removed, and then the group goes.",
    fix: "Wait until it answers 404, and create it anew."
  },
  ceiling_reached: {
    status: 409,
    cause:
      "There is no room left under a ceiling of the tenant's tier. `ceiling` carries requested, used, limit and " +
      "remaining, in the unit that `detail` names.",
    fix: "Ask for less, free something, or ask an operator for a larger tier. Nothing was changed."
  },
  webhook_disabled: {
    status: 409,
    cause: "The webhook is disabled: by its tenant, because it failed for too long, or because it answered 410.",
    fix: "Enable it with PATCH /v1/webhooks/{webhook_id}, and send the request again."
  },
  mail_not_offered: {
    status: 409,
    cause: "The gateway has no mail server (SMTP_URL), so that no notification can go by e-mail.",
    fix: "Use an integration of another kind, or a webhook."
  },
  confirmation_allowance: {
    status: 409,
    cause: "The tenant has had as many addresses asked whether they want its notifications as it may in an hour.",
    fix: "Wait until an hour has passed since the first of them."
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
  body_too_slow: {
    status: 408,
    cause: "The body of the request did not arrive as a whole in time; the connection is closed.",
    fix: "Send the body in one go. Only uploads that are forwarded as they come have no total time."
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
  cluster_media_type: {
    status: 415,
    cause:
      "A rule has to look into the body of this Kubernetes write (a Service, Secret or NetworkPolicy), and cannot read this media type, or the method does not take it.",
    fix: "Send one of the media types that `detail` lists; application/json always is right for POST and PUT."
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
  target_address_refused: {
    status: 422,
    cause:
      "The address of a webhook or an integration is not one that events are sent to: it does not begin with https://, " +
      "carries a user name, is written so that programs read it differently, or is no address of the public internet, " +
      "as it is written or as its name resolves.",
    fix: "Name an https:// address that everybody can reach, in its usual spelling: `detail` says what is wrong."
  },
  integration_field_refused: {
    status: 422,
    cause: "The change names a field that integrations of this kind do not have.",
    fix: "`to` belongs to `email`, `url` to `slack` and `generic`, `headers` to `generic`."
  },
  confirmation_refused: {
    status: 422,
    cause:
      "No address of the integration waits for this code; it is valid for 24 hours, and until a newer one is sent.",
    fix: "PATCH the integration with its `to`: the addresses that have not agreed get a new code."
  },
  recipient_refused: {
    status: 422,
    cause: "The mail server does not take mail for one of the addresses, and never will.",
    fix: "Correct the address."
  },
  closing_not_confirmed: {
    status: 422,
    cause: "`confirm` is not the name of the account.",
    fix: "Send the name as GET /v1/account shows it, letter by letter."
  },
  exposure_not_found: {
    status: 404,
    cause: "No exposure has this id, or it is another tenant's.",
    fix: "Take the id from GET /v1/edge/exposures."
  },
  recordset_read_only: {
    status: 409,
    cause: "The recordset is the zone's SOA or NS, or of a type that these routes do not write.",
    fix: "Leave it. Delegations, SRV, CAA and other types can be written under /v1/iaas/dns."
  },
  alias_beside_others: {
    status: 409,
    cause:
      "After the import a name would have a CNAME and other records, which the DNS does not allow. Nothing was done.",
    fix: "Delete the recordset that is in the way, or import with `prune`, which removes what the file lacks."
  },
  exposure_name_taken: {
    status: 409,
    cause: "The tenant has an exposure with this name already.",
    fix: "Use it, delete it first, or choose another name."
  },
  domain_in_use: {
    status: 409,
    cause: "Another exposure of the same tenant has this domain.",
    fix: "Delete that exposure first, or use another domain."
  },
  domain_claimed: {
    status: 409,
    cause:
      "Somebody else claimed the domain first and their time to prove it is not over, or they have proved it and " +
      "their TXT record is still there.",
    fix:
      "If the domain is yours, remove TXT records at `_ig1-challenge` that are not yours, and claim it again later: " +
      "a claim that nobody proves blocks others for EDGE_CLAIM_HOURS (72) at most."
  },
  dns_name_refused: {
    status: 422,
    cause:
      "The name is none that the zone can hold, or it can be read in two ways, most often for want of the dot at its end.",
    fix: "Send the spelling that `detail` names."
  },
  dns_records_refused: {
    status: 422,
    cause: "A record's data is not what its type takes.",
    fix: "Send what `detail` shows; docs/tenants/dns.md has an example of each type."
  },
  exposure_target_refused: {
    status: 422,
    cause: "The target is not one of the tenant's floating IPs, or a Service that stands for a name elsewhere.",
    fix: "Expose a floating IP that GET /v1/iaas/network/floatingips lists, or a Service of the tenant's namespace with a selector."
  },
  exposure_domain_refused: {
    status: 422,
    cause: "The domain lies within the platform's own names, or is no internationalised name in its xn-- form.",
    fix: "Use a domain of your own, written as it stands in the DNS."
  },
  exposure_without_domain: {
    status: 422,
    cause: "The exposure was created without a domain.",
    fix: "Only exposures with a domain are verified; make another one with the domain."
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
  backups_not_enabled: {
    status: 422,
    cause: "The database to restore from has no backups: they are a choice at its creation.",
    fix: "Create databases with backup.enabled, which cannot be switched on later."
  },
  restore_not_supported: {
    status: 422,
    cause: "The instance to restore from is kafka.",
    fix: "Restore postgres only; mirror kafka topics to another instance."
  },
  idempotency_key_reused: {
    status: 422,
    cause: "The `Idempotency-Key` was used for a request to the same path with another query or body.",
    fix: "Make a new key for every request; send the same bytes when repeating one."
  },
  autoscaling_range: {
    status: 422,
    cause: "With this change `desired` would be below `min` or above `max`, or `min` above `max`.",
    fix: "Send the numbers together, or leave `desired` out: it follows."
  },
  autoscaling_network: {
    status: 422,
    cause: "The template names no network, and the one that the tenant got at its onboarding is gone.",
    fix: "Name a network as `template.network_id`."
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
    cause:
      "Too many requests of the tenant, all its credentials together, or too many failed logins, dead tokens or signups from one address, in a short time.",
    fix: "Wait for as many seconds as the header `Retry-After` says."
  },
  event_streams_exhausted: {
    status: 429,
    cause: "The tenant has as many live event streams open with one replica as it may.",
    fix: "End a stream first, or read `GET /v1/events` now and then."
  },
  event_streams_full: {
    status: 429,
    cause: "One replica of the gateway has as many live event streams open as it can hold.",
    fix: "Try again later, or read `GET /v1/events` now and then."
  },
  audit_exports_exhausted: {
    status: 429,
    cause: "The tenant has as many audit exports under way with one replica as it may.",
    fix: "Wait until one has ended, or page through `GET /v1/audit`."
  },
  audit_exports_full: {
    status: 429,
    cause: "One replica of the gateway carries out as many audit exports as it can at once.",
    fix: "Try again after as many seconds as the header `Retry-After` says."
  },
  uploads_exhausted: {
    status: 429,
    cause: "The tenant streams as many bodies through the proxies of one replica as it may.",
    fix: "Wait until one has ended."
  },
  uploads_full: {
    status: 429,
    cause: "One replica of the gateway takes as many bodies through its proxies as it can at once.",
    fix: "Try again later."
  },
  cluster_streams_exhausted: {
    status: 429,
    cause:
      "The tenant has as many watches, followed logs and upgraded connections to the cluster open with one replica as it may.",
    fix: "End one first."
  },
  cluster_streams_full: {
    status: 429,
    cause: "One replica of the gateway holds as many watches, followed logs and upgraded connections as it can.",
    fix: "Try again later."
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
  database_name_refused: {
    status: 422,
    cause: "No database of this engine can have the name: what the operator names after it has limits of its own.",
    fix: "Choose a name that `detail` allows."
  },
  database_version_refused: {
    status: 422,
    cause: "The platform does not run this version of the engine.",
    fix: "Choose one that `detail` lists."
  },
  database_instance_too_large: {
    status: 422,
    cause: "Each instance of the database would have more storage than one instance may.",
    fix: "Ask for a smaller `size_gb`. Nothing was changed."
  },
  database_too_large: {
    status: 422,
    cause: "All instances of the database together would have more storage than one database may.",
    fix: "Ask for a smaller `size_gb`, or for fewer replicas. Nothing was changed."
  },
  kafka_replicas_refused: {
    status: 422,
    cause: "`replicas` was given for a kafka database, which has one.",
    fix: "Leave `replicas` out."
  },
  kafka_backup_refused: {
    status: 422,
    cause: "`backup.enabled` was true for a kafka database.",
    fix: "Leave `backup` out."
  },
  incident_span_refused: {
    status: 422,
    cause: "An incident or maintenance was to end before it begins.",
    fix: "Send an `ends_at` behind `starts_at`, or leave it out."
  },
  metric_span_refused: {
    status: 422,
    cause: "The span of a metrics history ends before it begins, is longer than there are measurements, or lies ahead.",
    fix: "Send `from` and `to` as the detail says; `to` alone ends an hour of it."
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
  zone_import_failed: {
    status: 502,
    cause: "A change of the import failed; those in `applied` are done.",
    fix: "Send the same import again: it goes on where it stopped."
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
  },
  connections_exhausted: {
    status: 503,
    cause: "The plane serves as many connections at once as it may, and every one of them is at work.",
    fix: "Try again; keep connections open and reuse them."
  },
  stopping: {
    status: 503,
    cause: "The gateway was stopped, and the request took longer than it waits for; what was begun may have been done.",
    fix: "Look whether it was done, and try again."
  }
} as const satisfies Readonly<Record<string, { readonly status: number; readonly cause: string; readonly fix: string }>>

export type FailureCode = keyof typeof failureCodes
