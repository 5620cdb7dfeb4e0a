import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { AdmissionNumbers } from "./Admission.ts"
import { type FailureCode, failureCodes } from "./FailureCodes.ts"

/**
 * The contract's error table as code: one class a status, one constructor a
 * verbatim string. `detail` is contract; `code` is additive and stable.
 */
const Code = Schema.Literals(Object.keys(failureCodes).filter(isCode))

function isCode(key: string): key is FailureCode {
  return Object.hasOwn(failureCodes, key)
}

const body = { detail: Schema.String, code: Code }

const tiers = "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."

/** 400: the request line itself is not one that can be decided on. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(body, { httpApiStatus: 400 }) {
  readonly _tag = "BadRequest"
  static readonly pathNotCanonical = (why: string) =>
    new BadRequest({ code: "path_not_canonical", detail: `The path is not canonical: ${why}` })
  static readonly queryNotCanonical = (why: string) =>
    new BadRequest({ code: "query_not_canonical", detail: `The query is not canonical: ${why}` })
  /** Where a rule has to read the body, it must be one that every reader reads alike. */
  static readonly bodyNotJson = () =>
    new BadRequest({
      code: "body_not_json",
      detail: "The request body must be JSON in UTF-8, without a byte order mark"
    })
  /** What is decided on must be what the API server reads. */
  static readonly clusterBody = (why: string) =>
    new BadRequest({
      code: "cluster_body_ambiguous",
      detail: `The request body can be read in more than one way: ${why}`
    })
  /** Of two tokens, two readers may take different ones. */
  static readonly twoTokens = () =>
    new BadRequest({ code: "two_tokens", detail: "Authorization and X-Auth-Token do not carry the same token" })
  /** Of two values, two readers may take different ones (RFC 9110, section 5.3). */
  static readonly headerRepeated = (name: "Authorization" | "Host") =>
    new BadRequest({ code: "header_repeated", detail: `The request has more than one ${name} header: send it once` })
  /** RFC 9112, section 3.2. */
  static readonly hostInvalid = () =>
    new BadRequest({
      code: "host_invalid",
      detail:
        "The request needs one Host header with a host name or an IP address, and a port if it is not the usual one"
    })
  /** Deeper than any request of the platform, and than what can be written as JSON again. */
  static readonly bodyTooDeep = (limit: number) =>
    new BadRequest({ code: "body_too_deep", detail: `The request body is nested more than ${limit} levels deep` })
  /** What is behind a proxy knows no such key, and to ignore it would be a promise that nobody keeps. */
  static readonly idempotencyKeyProxied = () =>
    new BadRequest({
      code: "idempotency_key_proxied",
      detail: "Idempotency-Key is not supported for forwarded calls: leave it out, or use a first-class route"
    })
  static readonly registryService = () =>
    new BadRequest({
      code: "registry_service_unknown",
      detail: "The service parameter names another registry than the one that tokens are given for"
    })
  static readonly tokenRequest = () =>
    new BadRequest({
      code: "token_request_not_understood",
      detail:
        "The token request is not understood: it must be JSON with auth.identity.methods and one of " +
        "auth.identity.application_credential {id, secret} and auth.identity.token {id}"
    })
}

/** 401: it is not known who calls. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(body, { httpApiStatus: 401 }) {
  readonly _tag = "Unauthorized"
  static readonly missingBearer = () =>
    new Unauthorized({ code: "missing_authorization", detail: "Missing or invalid Authorization header" })
  static readonly tokenNotActive = () => new Unauthorized({ code: "token_inactive", detail: "Token is not active" })
  static readonly introspectionFailed = () =>
    new Unauthorized({ code: "introspection_failed", detail: "Token introspection failed" })
  static readonly revoked = () =>
    new Unauthorized({ code: "credential_revoked", detail: "Credential has been revoked" })
  static readonly expired = () => new Unauthorized({ code: "credential_expired", detail: "Credential has expired" })
  static readonly suspended = () =>
    new Unauthorized({ code: "credential_suspended", detail: "Credential is suspended" })
  static readonly authMethod = () =>
    new Unauthorized({
      code: "auth_method_refused",
      detail:
        "A token is given for an application credential (a credential's client_id and client_secret) or for a token " +
        "(a credential's pat), and for nothing else"
    })
  /** One sentence for whatever is wrong with the pair: whether an id exists is not told. */
  static readonly applicationCredential = () =>
    new Unauthorized({
      code: "application_credential_refused",
      detail:
        "The application credential is not accepted: its id must be a credential's client_id and its secret the " +
        "client_secret, and the credential must not be revoked"
    })
  /** One sentence for whatever is wrong with it, so that nothing can be learnt by trying. */
  static readonly subjectToken = () =>
    new Unauthorized({ code: "subject_token_refused", detail: "The subject token is not accepted" })
  /** One sentence for whatever is wrong with the pair: whether an id exists is not told. */
  static readonly registryLogin = () =>
    new Unauthorized({
      code: "registry_login_refused",
      detail:
        "The login is not accepted: send a credential's client_id and client_secret, or any user name and a personal " +
        "access token"
    })
}

/** 403: the caller is known and may be told why not. What belongs to another tenant is never 403, see {@link NotFound}. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(body, { httpApiStatus: 403 }) {
  readonly _tag = "Forbidden"
  static readonly noProjectRoles = () =>
    new Forbidden({ code: "no_project_roles", detail: "Token carries no project roles; tenant access denied" })
  static readonly noTenant = (user: string) =>
    new Forbidden({
      code: "no_tenant",
      detail:
        `No tenant assigned for user '${user}': no TENANT_MAP entry and no admin role. ` +
        "Ask an operator to map your user to a project."
    })
  /** For proxied calls, whose tier follows from the method. */
  static readonly methodNeedsTier = (method: string, needed: number, held: number) =>
    new Forbidden({
      code: "tier_too_low",
      detail: `Insufficient credential tier: ${method} requires tier ${needed}, the caller's credential is tier ${held}. ${tiers}`
    })
  /** For first-class routes. */
  static readonly actionNeedsTier = (needed: number, held: number) =>
    new Forbidden({
      code: "tier_too_low",
      detail:
        `Insufficient credential tier: this action requires tier ${needed}, the caller's credential is tier ${held}. ${tiers} ` +
        "Create a higher-tier credential under POST /v1/credentials."
    })
  /** Whatever the tier: a machine credential has no role. */
  static readonly ownerRequired = () =>
    new Forbidden({
      code: "owner_required",
      detail: "This action requires the role customer-owner in the account, or the platform administrator role"
    })
  /** No mapping, a disabled one, or another tenant's: which of them is not told. */
  static readonly issuerUnmapped = () =>
    new Forbidden({
      code: "issuer_unmapped",
      detail: "The issuer of the subject token is mapped to no tenant that the caller acts for"
    })
  static readonly peopleRole = () =>
    new Forbidden({
      code: "people_role_required",
      detail:
        "This action requires the role customer-owner or customer-admin in the account, or the platform administrator role"
    })
  static readonly roleNotGiven = (role: string) =>
    new Forbidden({
      code: "role_not_given",
      detail:
        `The role '${role}' is not the caller's to give: owners and customer-admins give customer, customer-viewer, ` +
        "customer-engineer and customer-admin; every role requires the platform administrator role"
    })
  static readonly policyRole = () =>
    new Forbidden({
      code: "policy_role_required",
      detail:
        "This action requires the role customer-owner or customer-admin in the account, or the platform administrator role"
    })
  /** @param ou empty for the whole account */
  static readonly policyDenies = (ou: string, deny: string) =>
    new Forbidden({
      code: "policy_denied",
      detail:
        `The access policy of ${ou === "" ? "the whole account" : `the organisation unit '${ou}'`} denies '${deny}'. ` +
        "GET /v1/org/effective shows what applies."
    })
  /** Constant: where the caller is, and where it may be, are not told. */
  static readonly sourceNetwork = () =>
    new Forbidden({
      code: "source_network_refused",
      detail: "The credential is limited to source networks, and this call does not come from one of them"
    })
  /** Who is limited must not get hold of a credential that is not. */
  static readonly credentialBeyondOwn = () =>
    new Forbidden({
      code: "credential_beyond_own",
      detail:
        "The caller is limited to source networks, by its organisation unit or in its sight of costs, and the credential " +
        "would reach further"
    })
  /** @param end of the caller's own credential */
  static readonly credentialOutlives = (end: string) =>
    new Forbidden({
      code: "credential_outlives_own",
      detail: `The caller's own credential ends at ${end}, and the credential would live longer`
    })
  /** Contract, Authentication 8. */
  static readonly agentMints = () =>
    new Forbidden({
      code: "agent_mints_agents",
      detail:
        "A credential of kind mcp mints and rotates only credentials of kind mcp, of tier 0 or 1, for at most 7 days"
    })
  /** Contract, Authentication 12. */
  static readonly agentReadsNoSecret = () =>
    new Forbidden({
      code: "agent_reads_no_secret",
      detail: "A credential of kind mcp reads no stored secret"
    })
  /** The caller is less than when the call was made that it asks the answer of. */
  static readonly replayBeyondRights = () =>
    new Forbidden({
      code: "replay_refused",
      detail:
        "The answer to this Idempotency-Key is not repeated: it was given to the caller with a higher tier, or in " +
        "another role, than it has now"
    })
  static readonly adminRequired = () =>
    new Forbidden({ code: "admin_required", detail: "This action requires the platform administrator role" })
  /** A member who does not see money, on every route about it. */
  static readonly billingAccess = () =>
    new Forbidden({
      code: "billing_access_required",
      detail:
        "This action requires billing access, which the account's owner grants under PUT /v1/org/users/{user_id}/billing"
    })
  static readonly projectOverride = () =>
    new Forbidden({ code: "project_override_refused", detail: "The project parameter is for platform administrators" })
  /** Whatever the route, and whatever a proxy leads to. */
  static readonly tenantSuspended = () =>
    new Forbidden({
      code: "tenant_suspended",
      detail: "The tenant is suspended: what runs keeps running, and nothing new can be created"
    })
  /** A query cannot pick a tenant: the credential did. */
  static readonly otherProject = () =>
    new Forbidden({ code: "other_project", detail: "The query names another project than the credential's" })
  /** Any scope but the own project: an absent project's is refused in the same words as a foreign one's. */
  static readonly tokenScope = () =>
    new Forbidden({
      code: "token_scope_refused",
      detail: "A token is scoped to the credential's own project: name that project, or leave the scope out"
    })
  /** The identity service can mint ways around the gateway, so tenants reach only what is listed. */
  static readonly identityRoute = () =>
    new Forbidden({
      code: "identity_route_refused",
      detail: "Of the identity service, tenants can read their own project, its tags, and the regions"
    })
  static readonly worldOpenSsh = () =>
    new Forbidden({
      code: "world_open_ssh",
      detail:
        "The rule opens SSH (port 22) to every address: name a narrower source, or send the request with " +
        "allow_ssh_from_anywhere=true in its query"
    })
  /** Rules may refer to the group already, so it is its content that opens them. */
  static readonly worldOpenAddressGroup = () =>
    new Forbidden({
      code: "world_open_ssh",
      detail:
        "An address group with a prefix of length 0 can open SSH (port 22) to every address: leave the prefix out, " +
        "or send the request with allow_ssh_from_anywhere=true in its query"
    })
  static readonly externalGateway = () =>
    new Forbidden({
      code: "external_gateway_refused",
      detail:
        "Tenant routers cannot hold an external gateway: setting, changing or removing one requires the platform " +
        "administrator role"
    })
  static readonly imageLocations = () =>
    new Forbidden({
      code: "image_locations_refused",
      detail:
        "The locations of an image can be neither read nor written; send its data to PUT /v1/iaas/image/images/{id}/file"
    })
  /** A tenant would make Glance fetch an address. */
  static readonly imageImport = () =>
    new Forbidden({
      code: "image_import_refused",
      detail:
        "An image is imported from its staged data (glance-direct) or copied between stores (copy-image), and from no " +
        "address: send the data to PUT /v1/iaas/image/images/{id}/file"
    })
  /** What only the platform has a use for. */
  static readonly platformAct = (act: string, why: string) =>
    new Forbidden({ code: "platform_act_refused", detail: `${act} is not for tenants: ${why}` })
  static readonly secretPayload = () =>
    new Forbidden({
      code: "secret_payload_refused",
      detail:
        "The payload of a stored secret can be read by people only; machine credentials read its metadata at " +
        "/v1/iaas/key-manager/v1/secrets/{id} with Accept: application/json"
    })
  /** In a tenant's own namespace; another one is not there. */
  static readonly clusterNamespace = () =>
    new Forbidden({
      code: "cluster_namespace_refused",
      detail: "The namespace itself is kept by the platform: it can be read, but neither changed nor deleted"
    })
  static readonly clusterLimits = (resource: string) =>
    new Forbidden({
      code: "cluster_limits_refused",
      detail: `Writing ${resource} is refused: the limits and the access rules of a tenant's namespace are kept by the platform`
    })
  static readonly clusterToken = () =>
    new Forbidden({
      code: "cluster_token_refused",
      detail:
        "Tokens of service accounts are not handed out here: they would outlive the credential that asked for them. " +
        "Create a credential under POST /v1/credentials"
    })
  static readonly clusterSubresource = (subresource: string) =>
    new Forbidden({
      code: "cluster_subresource_refused",
      detail: `Writing '${subresource}' is refused: only the cluster itself does`
    })
  /** @param resource `ingresses.networking.k8s.io` */
  static readonly clusterKind = (resource: string, why: string) =>
    new Forbidden({ code: "cluster_kind_refused", detail: `Writing ${resource} is refused: ${why}` })
  /** @param what the field, or the type, that is refused */
  static readonly clusterService = (what: string) =>
    new Forbidden({
      code: "cluster_service_refused",
      detail:
        `A Service with ${what} is refused: it would lead traffic that is not the tenant's. ` +
        "Leave it of type ClusterIP, and make it public with POST /v1/edge/exposures"
    })
  static readonly clusterEgress = () =>
    new Forbidden({
      code: "cluster_egress_refused",
      detail:
        "A NetworkPolicy with egress rules is refused: policies add up, and the platform's own lets pods out to the " +
        "tenant's namespace and to public networks already"
    })
  /** An answer that holds a Secret, whatever the method. */
  static readonly clusterSecretOfAgent = () =>
    new Forbidden({
      code: "cluster_secret_refused",
      detail: "A credential of kind mcp reads no Secret: it can create and replace one, with POST and PUT"
    })
  static readonly platformNamespace = (name: string) =>
    new Forbidden({
      code: "platform_namespace",
      detail: `The zone '${name}' is refused: it lies in the platform's own namespace, or contains it`
    })
  static readonly zoneMasters = (master: string) =>
    new Forbidden({
      code: "zone_masters_refused",
      detail: `The master '${master}' is refused: a zone is transferred from IP addresses of the public internet`
    })
  static readonly zoneFileProxied = () =>
    new Forbidden({
      code: "zone_file_refused",
      detail:
        "Making a zone out of a zone file is refused here: make it with POST /v1/dns/zones, and read the file into it " +
        "with POST /v1/dns/zones/{zone_id}/import"
    })
}

/** 404: absent, or another tenant's. The two are the same bytes. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(body, { httpApiStatus: 404 }) {
  readonly _tag = "NotFound"
  static readonly route = () => new NotFound({ code: "not_found", detail: "Not Found" })
  static readonly credential = (id: string) =>
    new NotFound({ code: "credential_not_found", detail: `Credential '${id}' not found` })
  static readonly tenant = (projectId: string) =>
    new NotFound({ code: "tenant_not_found", detail: `Tenant '${projectId}' not found` })
  static readonly project = (id: string) =>
    new NotFound({ code: "project_not_found", detail: `Project '${id}' not found` })
  /** A person who is no member of the account, or nobody. */
  static readonly user = (id: string) => new NotFound({ code: "user_not_found", detail: `User '${id}' not found` })
  static readonly workloadIssuer = (id: string) =>
    new NotFound({ code: "workload_issuer_not_found", detail: `Issuer '${id}' not found` })
  static readonly unit = (path: string) =>
    new NotFound({ code: "unit_not_found", detail: `Organisation unit '${path}' not found` })
  /** Of a unit: a credential by its id, or a person by the user's. */
  static readonly unitMember = (id: string) =>
    new NotFound({ code: "unit_member_not_found", detail: `Credential or user '${id}' not found` })
  static readonly policy = (ou: string) =>
    new NotFound({
      code: "policy_not_found",
      detail: ou === "" ? "The account has no access policy of its own" : `Access policy of '${ou}' not found`
    })
  static readonly account = (number: string) =>
    new NotFound({ code: "account_not_found", detail: `Account '${number}' not found` })
  static readonly signup = (id: string) =>
    new NotFound({ code: "signup_not_found", detail: `Signup '${id}' not found` })
  static readonly onboarding = (id: string) =>
    new NotFound({ code: "onboarding_not_found", detail: `Onboarding '${id}' not found` })
  static readonly budget = (id: string) =>
    new NotFound({ code: "budget_not_found", detail: `Budget '${id}' not found` })
  static readonly exposure = (id: string) =>
    new NotFound({ code: "exposure_not_found", detail: `Exposure '${id}' not found` })
  static readonly natGateway = (id: string) =>
    new NotFound({ code: "nat_gateway_not_found", detail: `NAT gateway '${id}' not found` })
  /** The caller's own. */
  static readonly router = () =>
    new NotFound({ code: "router_not_found", detail: "The tenant has no router that could be a NAT gateway" })
  static readonly autoscalingGroup = (id: string) =>
    new NotFound({ code: "autoscaling_group_not_found", detail: `Autoscaling group '${id}' not found` })
  static readonly autoscalingPolicy = (name: string) =>
    new NotFound({ code: "autoscaling_policy_not_found", detail: `Autoscaling policy '${name}' not found` })
  static readonly instance = (id: string) =>
    new NotFound({ code: "instance_not_found", detail: `Instance '${id}' not found` })
  static readonly alarm = (id: string) => new NotFound({ code: "alarm_not_found", detail: `Alarm '${id}' not found` })
  static readonly webhook = (id: string) =>
    new NotFound({ code: "webhook_not_found", detail: `Webhook '${id}' not found` })
  static readonly integration = (id: string) =>
    new NotFound({ code: "integration_not_found", detail: `Integration '${id}' not found` })
  /** Among those that it is subscribed to and that are still kept. */
  static readonly event = (id: string) => new NotFound({ code: "event_not_found", detail: `Event '${id}' not found` })
  static readonly incident = (id: string) =>
    new NotFound({ code: "incident_not_found", detail: `Incident '${id}' not found` })
  /** Keystone's words: one that is not the request's own, whether or not it exists. */
  static readonly token = () => new NotFound({ code: "token_not_found", detail: "Could not find token" })
  /** Of the caller's own; what cannot be the name of one is none either. */
  static readonly database = (name: string) =>
    new NotFound({ code: "database_not_found", detail: `Database '${name}' not found` })
  static readonly databaseCredentials = () =>
    new NotFound({ code: "database_credentials_not_ready", detail: "credentials not ready" })
  /** A broker asks nobody who they are. */
  static readonly databaseRotation = () =>
    new NotFound({ code: "no_credential_to_rotate", detail: "no such credential to rotate" })
  static readonly service = (segment: string) =>
    new NotFound({ code: "service_not_found", detail: `No platform service at '${segment}'` })
  /** Another customer's, or no bucket at all. */
  static readonly bucket = (name: string) =>
    new NotFound({ code: "bucket_not_found", detail: `Bucket '${name}' not found` })
  static readonly object = (key: string) =>
    new NotFound({ code: "object_not_found", detail: `Object '${key}' not found` })
  static readonly s3Key = (accessKey: string) =>
    new NotFound({ code: "access_key_not_found", detail: `S3 key '${accessKey}' not found` })
  static readonly dnsZone = (id: string) =>
    new NotFound({ code: "dns_zone_not_found", detail: `Zone '${id}' not found` })
  static readonly recordset = (id: string) =>
    new NotFound({ code: "recordset_not_found", detail: `Recordset '${id}' not found` })
  /** The caller's own. */
  static readonly namespaceUnused = (namespace: string) =>
    new NotFound({
      code: "namespace_unused",
      detail: `The namespace '${namespace}' holds nothing yet: the first write into it makes it`
    })
}

/** 405: the path is there, the method is not. */
export class MethodNotAllowed extends Schema.Error<MethodNotAllowed>("MethodNotAllowed")(body, { httpApiStatus: 405 }) {
  readonly _tag = "MethodNotAllowed"
  static readonly method = () => new MethodNotAllowed({ code: "method_not_allowed", detail: "Method Not Allowed" })
}

/** What a refusal for lack of room is made of, all in one unit. */
export const Ceiling = Schema.Struct({
  requested: Schema.Int,
  used: Schema.Int,
  limit: Schema.Int,
  remaining: Schema.Int
}).annotate({ identifier: "Ceiling" })
export type Ceiling = typeof Ceiling.Type

/** 409: the request is fine, the state of things is not. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(
  { ...body, admission: Schema.optionalKey(AdmissionNumbers), ceiling: Schema.optionalKey(Ceiling) },
  { httpApiStatus: 409 }
) {
  readonly _tag = "Conflict"
  static readonly tenantRequired = () =>
    new Conflict({
      code: "tenant_required",
      detail: "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant"
    })
  /** Whose it is, is not told. */
  static readonly issuerRegistered = () =>
    new Conflict({ code: "issuer_registered", detail: "The issuer is registered already" })
  static readonly nameTaken = (name: string) =>
    new Conflict({
      code: "organisation_name_taken",
      detail: `Organisation name '${name}' is taken; send the request again with tenant_name set to a free name`
    })
  static readonly onboardingInProgress = (name: string) =>
    new Conflict({
      code: "onboarding_in_progress",
      detail: `An onboarding of '${name}' is running or being rolled back; wait for it, or set tenant_name to a free name`
    })
  static readonly budgetExceeded = (admission: AdmissionNumbers) =>
    new Conflict({
      code: "budget_exceeded",
      detail: `Tier ${admission.tier} does not fit into the sellable budget: ${admission.dimensions
        .filter((_) => _.requested > _.remaining)
        .map(
          (_) => `${_.dimension} requested ${_.requested}, used ${_.used}, limit ${_.limit}, remaining ${_.remaining}`
        )
        .join("; ")}`,
      admission
    })
  static readonly idempotencyInFlight = () =>
    new Conflict({
      code: "idempotency_in_flight",
      detail: "A request with this Idempotency-Key is being carried out; ask again in a moment for its answer"
    })
  static readonly unitTaken = (path: string) =>
    new Conflict({ code: "unit_taken", detail: `Organisation unit '${path}' exists already` })
  /** The caller's own. */
  static readonly exposureNameTaken = (name: string) =>
    new Conflict({ code: "exposure_name_taken", detail: `An exposure named '${name}' exists already` })
  /** The caller's own. */
  static readonly domainInUse = (domain: string) =>
    new Conflict({ code: "domain_in_use", detail: `The domain '${domain}' is another exposure's of the tenant` })
  /** Whose it is, and whether it is proved, are not told. */
  static readonly domainClaimed = () =>
    new Conflict({ code: "domain_claimed", detail: "The domain is claimed already and cannot be claimed now" })
  static readonly unitOccupied = (path: string, held: string) =>
    new Conflict({
      code: "unit_occupied",
      detail: `Organisation unit '${path}' cannot be deleted: it has ${held}. Delete or move them first`
    })
  static readonly tierMoveInProgress = (projectId: string) =>
    new Conflict({
      code: "tier_move_in_progress",
      detail: `Another change of the quotas of tenant '${projectId}' is under way`
    })
  /** One sentence for every route, first-class or proxied. */
  static readonly closing = () =>
    new Conflict({
      code: "concurrent_deletion_state",
      detail:
        "Concurrent deletion state: the project is being deleted or its account is being closed, and nothing in it " +
        "can be changed"
    })
  static readonly accountNotClosing = (number: number, state: string) =>
    new Conflict({ code: "account_not_closing", detail: `Account '${number}' is not closing: it is ${state}` })
  static readonly accountWindowOver = (number: number, closesAt: string) =>
    new Conflict({
      code: "account_window_over",
      detail: `Account '${number}' cannot be reopened: its closing window was over at ${closesAt}`
    })
  static readonly accountDestroying = (number: number) =>
    new Conflict({
      code: "account_destroying",
      detail: `Account '${number}' cannot be reopened: its destruction has begun`
    })
  static readonly accountInWindow = (number: number, closesAt: string) =>
    new Conflict({
      code: "account_in_window",
      detail: `The closing window of account '${number}' is over at ${closesAt}: state a reason to destroy it earlier`
    })
  static readonly notBeingDeleted = (projectId: string) =>
    new Conflict({ code: "not_being_deleted", detail: `Project '${projectId}' is not being deleted` })
  static readonly deletionPastReturn = (projectId: string) =>
    new Conflict({
      code: "deletion_past_return",
      detail: `The deletion of project '${projectId}' has gone too far to be cancelled`
    })
  static readonly deletionStepUnderWay = (projectId: string, step: string) =>
    new Conflict({
      code: "deletion_step_under_way",
      detail:
        `The deletion of project '${projectId}' is cancelled as soon as its step '${step}' is over; ` +
        "the project is restored then"
    })
  /** A refusal of the billing service, in its own words. */
  static readonly billing = (words: string) => new Conflict({ code: "billing_conflict", detail: words })
  static readonly signupBusy = (id: string) =>
    new Conflict({
      code: "signup_busy",
      detail: `Signup '${id}' is being approved, or an approval of it is being rolled back; GET /v1/journal shows it`
    })
  static readonly signupDecided = (id: string, state: string) =>
    new Conflict({ code: "signup_decided", detail: `Signup '${id}' is ${state} already` })
  static readonly loginTaken = (email: string) =>
    new Conflict({
      code: "login_taken",
      detail: `The address '${email}' is the login of another account; reject the signup, and have another address sign up`
    })
  /** Whose it is, is not told. */
  static readonly loginElsewhere = () =>
    new Conflict({
      code: "login_elsewhere",
      detail: "The address is a login already, and not one of this account; invite the person with another address"
    })
  static readonly invitationBusy = () =>
    new Conflict({
      code: "invitation_busy",
      detail: "The person is being invited or removed by another request; try again in a moment"
    })
  static readonly lastOwner = () =>
    new Conflict({
      code: "last_owner",
      detail:
        "The account's last owner can be neither removed nor given another role; make somebody else an owner first"
    })
  static readonly ownerSeesBilling = () =>
    new Conflict({ code: "owner_sees_billing", detail: "An owner of the account always sees what it costs" })
  static readonly ownTeamLogin = () =>
    new Conflict({
      code: "own_team_login",
      detail: "Nobody takes themselves out of the platform team; another platform administrator can"
    })
  static readonly loginNotMadeHere = () =>
    new Conflict({
      code: "login_not_made_here",
      detail: "The login was not made by an invitation; take the role away at the identity provider"
    })
  static readonly onboardingBusy = (id: string) =>
    new Conflict({ code: "onboarding_busy", detail: `Onboarding '${id}' is held by a running process` })
  static readonly credentialNotActive = (id: string, state: string) =>
    new Conflict({
      code: "credential_not_active",
      detail: `Credential '${id}' is ${state}; only an active one can be rotated`
    })
  static readonly credentialRotated = (id: string, to: string) =>
    new Conflict({
      code: "credential_rotated",
      detail: `Credential '${id}' is replaced by '${to}' already; rotate that one`
    })
  static readonly rotationInProgress = (id: string) =>
    new Conflict({ code: "rotation_in_progress", detail: `Another rotation of credential '${id}' is under way` })
  static readonly predecessorLives = (id: string, predecessor: string) =>
    new Conflict({
      code: "predecessor_lives",
      detail: `Credential '${id}' replaces '${predecessor}', which has not ended yet; wait for that, or revoke it first`
    })
  static readonly databaseExists = (engine: string, name: string) =>
    new Conflict({
      code: "database_exists",
      detail:
        `Database '${engine}/${name}' exists already, and nothing was changed; if an earlier create of it was answered ` +
        "with a failure, it did take effect"
    })
  static readonly databaseStorageNotGrown = (asked: number, held: number) =>
    new Conflict({
      code: "database_storage_not_grown",
      detail: `size_gb ${asked} is refused: each instance has ${held} GiB, and storage only grows`
    })
  static readonly databaseReplicasUnchanged = (replicas: number) =>
    new Conflict({ code: "database_replicas_unchanged", detail: `The database has ${replicas} replicas already` })
  /** Whose it is, is not told: the names of buckets are one space for everybody, as on S3. */
  static readonly bucketNameTaken = (name: string) =>
    new Conflict({
      code: "bucket_name_taken",
      detail: `The bucket name '${name}' is not available; bucket names are unique across the platform, choose another one`
    })
  static readonly bucketNotEmpty = (name: string) =>
    new Conflict({
      code: "bucket_not_empty",
      detail:
        `Bucket '${name}' is not empty: delete its objects first, with all their versions, delete markers and ` +
        "unfinished multipart uploads"
    })
  /** What the tier allows is reached: nothing was changed. */
  static readonly ceilingReached = (
    what: string,
    unit: string,
    { limit, requested, used }: Omit<Ceiling, "remaining">
  ) =>
    new Conflict({
      code: "ceiling_reached",
      detail:
        `The tenant's ceiling of ${what} is reached: requested ${requested}${unit}, used ${used}${unit}, ` +
        `limit ${limit}${unit}, remaining ${Math.max(0, limit - used)}${unit}`,
      ceiling: { requested, used, limit, remaining: Math.max(0, limit - used) }
    })
  static readonly webhookDisabled = (id: string) =>
    new Conflict({
      code: "webhook_disabled",
      detail: `Webhook '${id}' is disabled, so that nothing is sent to it: enable it first`
    })
  static readonly mailNotOffered = () =>
    new Conflict({ code: "mail_not_offered", detail: "Notifications by e-mail are not offered on this cloud" })
  static readonly confirmationAllowance = (most: number) =>
    new Conflict({
      code: "confirmation_allowance",
      detail: `At most ${most} addresses an hour are asked whether they want notifications; ask again later`
    })
  static readonly concurrentChange = (what: string) =>
    new Conflict({
      code: "concurrent_change",
      detail: `Another change of ${what} is under way; try again in a moment`
    })
  static readonly recordsetReadOnly = (name: string, type: string) =>
    new Conflict({
      code: "recordset_read_only",
      detail: `The ${type} records of '${name}' are read-only here: only A, AAAA, CNAME, TXT and MX records are written`
    })
  /** A name with an alias has nothing else. */
  static readonly aliasBesideOthers = (name: string) =>
    new Conflict({
      code: "alias_beside_others",
      detail: `'${name}' would have a CNAME beside other records; delete one of the two, or import with prune`
    })
  static readonly autoscalingName = (name: string) =>
    new Conflict({ code: "autoscaling_name_taken", detail: `There is an autoscaling group '${name}' already` })
  static readonly autoscalingDeleting = (id: string) =>
    new Conflict({
      code: "autoscaling_group_deleting",
      detail: `Autoscaling group '${id}' is being deleted, and cannot be changed`
    })
  /** An upstream's refusal, in its own words. */
  static readonly upstream = (words: string) => new Conflict({ code: "upstream_conflict", detail: words })
  static readonly noBackupYet = (name: string) =>
    new Conflict({
      code: "no_backup_yet",
      detail: `Database '${name}' has no completed backup yet, so there is nothing to restore; its detail shows when there is one`
    })
  /** Both ends as RFC 3339 in UTC. */
  static readonly outsideRecoveryWindow = (point: string, earliest: string, latest: string) =>
    new Conflict({
      code: "outside_recovery_window",
      detail:
        `to_point_in_time ${point} cannot be restored: the recovery window is from ${earliest} to ${latest}. ` +
        "Leave to_point_in_time out for the newest state"
    })
  static readonly restoreTooSmall = (requested: number, held: number) =>
    new Conflict({
      code: "restore_too_small",
      detail: `size_gb ${requested} is less than the source's ${held} GiB, whose data would not fit`
    })
  static readonly credentialChain = (longest: number) =>
    new Conflict({
      code: "credential_chain_too_long",
      detail: `The credential would stand below more than ${longest} others that made each other; mint it with one further up`
    })
  static readonly credentialAllowance = (held: number, allowance: number) =>
    new Conflict({
      code: "credential_allowance_reached",
      detail: `The tenant holds ${held} live credentials and its tier allows ${allowance}; revoke one first`
    })
}

/** 408: the client did not send the whole body in time, and the connection is closed. */
export class RequestTimeout extends Schema.Error<RequestTimeout>("RequestTimeout")(body, { httpApiStatus: 408 }) {
  readonly _tag = "RequestTimeout"
  static readonly body = (seconds: number) =>
    new RequestTimeout({
      code: "body_too_slow",
      detail: `The request body did not arrive within ${seconds} seconds`
    })
}

/** 413. */
export class TooLarge extends Schema.Error<TooLarge>("TooLarge")(body, { httpApiStatus: 413 }) {
  readonly _tag = "TooLarge"
  static readonly body = (limit: number) =>
    new TooLarge({ code: "body_too_large", detail: `The request body is larger than ${limit} bytes` })
}

/** 415. */
export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(body, {
  httpApiStatus: 415
}) {
  readonly _tag = "UnsupportedMediaType"
  static readonly notJson = () =>
    new UnsupportedMediaType({
      code: "unsupported_media_type",
      detail: "The request body must be JSON with Content-Type: application/json"
    })
  static readonly notForm = () =>
    new UnsupportedMediaType({
      code: "form_expected",
      detail: "The request body must be a form with Content-Type: application/x-www-form-urlencoded"
    })
  static readonly encodedBody = () =>
    new UnsupportedMediaType({
      code: "encoded_body",
      detail: "The body of this request must be sent without a Content-Encoding"
    })
  /** A form may name another method than the request line. */
  static readonly formBody = () =>
    new UnsupportedMediaType({
      code: "form_body",
      detail: "The body of this request must not be a form: say what it is in its Content-Type, mostly application/json"
    })
  /** @param types what the API server takes for the method, and the gateway reads */
  static readonly clusterBody = (types: ReadonlyArray<string>) =>
    new UnsupportedMediaType({
      code: "cluster_media_type",
      detail: `The body of this request must have one of these as its Content-Type: ${types.join(", ")}`
    })
  static readonly imagePatch = () =>
    new UnsupportedMediaType({
      code: "image_patch_media_type",
      detail:
        "A patch of an image must have Content-Type: application/openstack-images-v2.1-json-patch " +
        "or application/openstack-images-v2.0-json-patch"
    })
}

/** 429: too often in too short a time. The answer says in `Retry-After` when to try again. */
export class TooManyRequests extends Schema.Error<TooManyRequests>("TooManyRequests")(body, { httpApiStatus: 429 }) {
  readonly _tag = "TooManyRequests"
  /** Whether a login would have been good is not told, nor looked at. */
  static readonly logins = () =>
    new TooManyRequests({ code: "rate_limited", detail: "Too many failed logins; try again later" })
  /** Of an address that sent many dead tokens: tokens that were good a moment ago are let through all the same. */
  static readonly deadTokens = () =>
    new TooManyRequests({
      code: "rate_limited",
      detail: "Too many requests from this address brought tokens that are not active; try again later"
    })
  /** From there, or from everywhere together: which of the two is not told. */
  static readonly signups = () =>
    new TooManyRequests({ code: "rate_limited", detail: "Too many signups; try again later" })
  /** All credentials of a tenant share its allowance. */
  static readonly tenant = (calls: number) =>
    new TooManyRequests({
      code: "rate_limited",
      detail: `The tenant's allowance of ${calls} requests a minute is used up; try again later`
    })
  static readonly eventStreams = (most: number) =>
    new TooManyRequests({
      code: "event_streams_exhausted",
      detail: `The tenant has ${most} event streams open with this replica already; end one first`
    })
  /** Of all tenants together: whose they are is not told. */
  static readonly eventStreamsInAll = (most: number) =>
    new TooManyRequests({
      code: "event_streams_full",
      detail: `This replica holds ${most} event streams, as many as it can; try again later`
    })
  static readonly auditExports = (most: number) =>
    new TooManyRequests({
      code: "audit_exports_exhausted",
      detail: `The tenant has ${most} audit exports under way with this replica already; wait until one has ended`
    })
  static readonly auditExportsInAll = (most: number) =>
    new TooManyRequests({
      code: "audit_exports_full",
      detail: `This replica carries out ${most} audit exports, as many as it can at once; try again later`
    })
  static readonly uploads = (most: number) =>
    new TooManyRequests({
      code: "uploads_exhausted",
      detail: `The tenant has ${most} uploads under way with this replica already; wait until one has ended`
    })
  static readonly uploadsInAll = (most: number) =>
    new TooManyRequests({
      code: "uploads_full",
      detail: `This replica takes ${most} uploads, as many as it can at once; try again later`
    })
  static readonly clusterStreams = (most: number) =>
    new TooManyRequests({
      code: "cluster_streams_exhausted",
      detail: `The tenant has ${most} watches, followed logs and upgraded connections open with this replica already; end one first`
    })
  static readonly clusterStreamsInAll = (most: number) =>
    new TooManyRequests({
      code: "cluster_streams_full",
      detail: `This replica holds ${most} watches, followed logs and upgraded connections, as many as it can; try again later`
    })
}

/** {@link TooManyRequests} with the same `Retry-After` header (RFC 9110, section 10.2.3) every time, in seconds. */
export const throttledFor = (seconds: number) =>
  TooManyRequests.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: TooManyRequests, headers: { "retry-after": Schema.Int } },
      {
        decode: (_) => _.body,
        encode: (body) => ({ body, headers: { "retry-after": seconds } })
      }
    )
  )

export const ValidationIssue = Schema.Struct({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  msg: Schema.String,
  type: Schema.String
}).annotate({ identifier: "ValidationError" })
export type ValidationIssue = typeof ValidationIssue.Type

/** How many entries a 422 has at most. */
const issuesListed = 100

const further = (all: ReadonlyArray<ValidationIssue>): ValidationIssue => ({
  loc: all[0]?.loc.slice(0, 1) ?? [],
  msg: `${all.length - issuesListed + 1} more errors are not listed`,
  type: "too_many_errors"
})

/** 422: the request does not fit its schema. The input is never echoed: it may hold a secret. */
export class Invalid extends Schema.Error<Invalid>("HTTPValidationError")(
  { detail: Schema.Array(ValidationIssue), code: Code },
  { httpApiStatus: 422 }
) {
  readonly _tag = "Invalid"
  /** At most {@link issuesListed} entries, so that a request full of mistakes is not answered with many times its size. */
  static readonly issues = (detail: ReadonlyArray<ValidationIssue>) =>
    new Invalid({
      code: "validation_error",
      detail: detail.length <= issuesListed ? detail : [...detail.slice(0, issuesListed - 1), further(detail)]
    })
}

/** 422 with one sentence: the schema is met, yet the request can never be done. */
export class Unprocessable extends Schema.Error<Unprocessable>("Unprocessable")(body, { httpApiStatus: 422 }) {
  readonly _tag = "Unprocessable"
  static readonly idempotencyKeyReused = () =>
    new Unprocessable({
      code: "idempotency_key_reused",
      detail: "This Idempotency-Key stands for a request with another query or body; make a new key for every request"
    })
  static readonly autoscalingRange = (min: number, desired: number, max: number) =>
    new Unprocessable({
      code: "autoscaling_range",
      detail: `A group needs min <= desired <= max, and this would make it ${min}, ${desired} and ${max}`
    })
  static readonly integrationField = (kind: string, field: string) =>
    new Unprocessable({
      code: "integration_field_refused",
      detail: `An integration of the kind '${kind}' has no ${field}`
    })
  /** One sentence for a code that is wrong, that is over, and that was used. */
  static readonly confirmation = () =>
    new Unprocessable({ code: "confirmation_refused", detail: "No address waits for this code" })
  static readonly recipient = (address: string, why: string) =>
    new Unprocessable({ code: "recipient_refused", detail: `Nothing can be sent to '${address}': ${why}` })
  /** Of a webhook or an integration. */
  static readonly targetAddress = (why: string) =>
    new Unprocessable({ code: "target_address_refused", detail: `Nothing can be sent to the address: ${why}` })
  static readonly autoscalingNetwork = () =>
    new Unprocessable({
      code: "autoscaling_network",
      detail: "The tenant has no network of its own; name one as template.network_id"
    })
  /** An upstream's refusal of what was asked for, in its own words. */
  static readonly upstream = (words: string) => new Unprocessable({ code: "upstream_refused", detail: words })
  /** A refusal of the billing service, in its own words. */
  static readonly billing = (words: string) => new Unprocessable({ code: "billing_refused", detail: words })
  static readonly incidentSpan = () =>
    new Unprocessable({
      code: "incident_span_refused",
      detail: "ends_at must be later than starts_at, which is now when it is left out"
    })
  static readonly metricSpan = (rule: string) => new Unprocessable({ code: "metric_span_refused", detail: rule })
  static readonly costPeriod = (rule: string) => new Unprocessable({ code: "cost_period_refused", detail: rule })
  /** To whoever may see the account, and so knows its name. */
  static readonly closingNotConfirmed = (name: string) =>
    new Unprocessable({
      code: "closing_not_confirmed",
      detail: `Nothing was closed: confirm must be the name of the account, '${name}'`
    })
  /** To whoever may see the project, and so knows its name. */
  static readonly notConfirmed = (name: string) =>
    new Unprocessable({
      code: "deletion_not_confirmed",
      detail: `Nothing was deleted: confirm must be the name of the project, '${name}'`
    })
  static readonly issuerEndpoint = (field: string, why: string) =>
    new Unprocessable({
      code: "issuer_endpoint_refused",
      detail: `Keys are never fetched from that ${field}: it ${why}`
    })
  static readonly projectIdRequired = () =>
    new Unprocessable({
      code: "project_id_required",
      detail: "A platform administrator has no account: project_id must name the one that the person joins"
    })
  static readonly projectIdRefused = () =>
    new Unprocessable({
      code: "project_id_refused",
      detail: "project_id cannot be given here: the platform team, and the people of all accounts, belong to no project"
    })
  static readonly backupsNotEnabled = (name: string) =>
    new Unprocessable({
      code: "backups_not_enabled",
      detail: `Database '${name}' was created without backups, so there is nothing to restore it from`
    })
  static readonly kafkaRestore = () =>
    new Unprocessable({
      code: "restore_not_supported",
      detail: "A kafka instance has no backups and cannot be restored; only postgres can"
    })
  /** Of a zone, or of a record in it. */
  static readonly dnsName = (rule: string) => new Unprocessable({ code: "dns_name_refused", detail: rule })
  static readonly dnsRecords = (rule: string) => new Unprocessable({ code: "dns_records_refused", detail: rule })
  static readonly unusableName = (rule: string) => new Unprocessable({ code: "unusable_name", detail: rule })
  static readonly databaseName = (engine: string, longest: number) =>
    new Unprocessable({
      code: "database_name_refused",
      detail: `The name of a ${engine} database is a DNS label of RFC 1035 with at most ${longest} characters`
    })
  static readonly databaseVersion = (engine: string, versions: ReadonlyArray<string>) =>
    new Unprocessable({
      code: "database_version_refused",
      detail: `version of a ${engine} database must be one of ${versions.join(", ")}`
    })
  static readonly databaseInstanceTooLarge = (asked: number, limit: number) =>
    new Unprocessable({
      code: "database_instance_too_large",
      detail: `size_gb ${asked} is refused: one instance has at most ${limit} GiB`
    })
  static readonly databaseTooLarge = (size: number, replicas: number, limit: number) =>
    new Unprocessable({
      code: "database_too_large",
      detail: `size_gb ${size} times replicas ${replicas} is ${size * replicas} GiB; one database has at most ${limit} GiB`
    })
  static readonly kafkaReplicas = () =>
    new Unprocessable({
      code: "kafka_replicas_refused",
      detail: "A kafka database has one replica: replicas can be given for postgres alone"
    })
  static readonly kafkaBackup = () =>
    new Unprocessable({
      code: "kafka_backup_refused",
      detail: "A kafka database has no backups: backup can be enabled for postgres alone"
    })
  static readonly exposureTarget = (rule: string) =>
    new Unprocessable({ code: "exposure_target_refused", detail: `The target cannot be exposed: ${rule}` })
  static readonly exposureDomain = (why: string) =>
    new Unprocessable({ code: "exposure_domain_refused", detail: `The domain cannot be exposed: ${why}` })
  static readonly exposureWithoutDomain = (id: string) =>
    new Unprocessable({
      code: "exposure_without_domain",
      detail: `Exposure '${id}' has no domain of its own, so that there is nothing to verify`
    })
}

/** 500: a fault of the gateway. It tells nothing but that. */
export class Internal extends Schema.Error<Internal>("Internal")(body, { httpApiStatus: 500 }) {
  readonly _tag = "Internal"
  static readonly error = () => new Internal({ code: "internal_error", detail: "Internal Server Error" })
}

/**
 * 502: an upstream refused or failed; `detail` carries its words. `applied`
 * says what was written before, `left` what a rollback could not remove.
 */
export class BadGateway extends Schema.Error<BadGateway>("BadGateway")(
  {
    ...body,
    transient: Schema.optionalKey(Schema.Boolean),
    applied: Schema.optionalKey(Schema.Array(Schema.String)),
    left: Schema.optionalKey(Schema.Array(Schema.String))
  },
  { httpApiStatus: 502 }
) {
  readonly _tag = "BadGateway"
  static readonly upstream = (words: string, transient: boolean) =>
    new BadGateway({ code: "upstream_failed", detail: words, transient })
  static readonly onboarding = (options: {
    readonly at: string
    readonly words: string
    readonly transient: boolean
    readonly left: ReadonlyArray<string>
  }) =>
    new BadGateway({
      code: "onboarding_failed",
      detail:
        `Onboarding stopped at ${options.at}: ${options.words}` +
        (options.left.length === 0 ? "" : `. Not yet removed: ${options.left.join(", ")}`),
      transient: options.transient,
      ...(options.left.length === 0 ? {} : { left: options.left })
    })
  static readonly quotaWrite = (options: {
    readonly at: string
    readonly words: string
    readonly transient: boolean
    readonly applied: ReadonlyArray<string>
  }) =>
    new BadGateway({
      code: "quota_write_failed",
      detail: `The quota write stopped at ${options.at}: ${options.words}`,
      transient: options.transient,
      applied: options.applied
    })
  /** What is in `applied` is done, and the same import goes on behind it. */
  static readonly zoneImport = (options: {
    readonly at: string
    readonly words: string
    readonly transient: boolean
    readonly applied: ReadonlyArray<string>
  }) =>
    new BadGateway({
      code: "zone_import_failed",
      detail: `The import stopped at ${options.at}: ${options.words}`,
      transient: options.transient,
      applied: options.applied
    })
}

/** 503: what the decision needs could not be read, so nothing was decided. */
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(body, { httpApiStatus: 503 }) {
  readonly _tag = "Unavailable"
  static readonly identityProvider = () =>
    new Unavailable({ code: "identity_provider_unreachable", detail: "The identity provider cannot be reached" })
  /** Nothing is said of the token, which may be good. */
  static readonly issuerUnreachable = () =>
    new Unavailable({
      code: "issuer_unreachable",
      detail: "The keys of the subject token's issuer cannot be fetched right now"
    })
  static readonly policyUnreadable = () =>
    new Unavailable({ code: "policy_unreadable", detail: "The account's access policy cannot be read right now" })
  static readonly tierUnreadable = () =>
    new Unavailable({ code: "tier_unreadable", detail: "The tenant's tier cannot be read right now" })
  /** Only `/health` is answered then. */
  static readonly connections = () =>
    new Unavailable({
      code: "connections_exhausted",
      detail: "The gateway serves as many connections as it may; try again later"
    })
  /** The process has stopped before the request was over; what it began may have been done. */
  static readonly stopping = () =>
    new Unavailable({ code: "stopping", detail: "The gateway stopped before the request was done" })
}

export const Failure = Schema.Union([
  BadRequest,
  Unauthorized,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  RequestTimeout,
  Conflict,
  TooLarge,
  UnsupportedMediaType,
  TooManyRequests,
  Invalid,
  Unprocessable,
  Internal,
  BadGateway,
  Unavailable
])
export type Failure = typeof Failure.Type
