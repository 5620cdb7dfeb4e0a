import { Schema } from "effect"
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
  /** Of two tokens, two readers may take different ones. */
  static readonly twoTokens = () =>
    new BadRequest({ code: "two_tokens", detail: "Authorization and X-Auth-Token do not carry the same token" })
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
  static readonly adminRequired = () =>
    new Forbidden({ code: "admin_required", detail: "This action requires the platform administrator role" })
  static readonly projectOverride = () =>
    new Forbidden({ code: "project_override_refused", detail: "The project parameter is for platform administrators" })
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
}

/** 404: absent, or another tenant's. The two are the same bytes. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(body, { httpApiStatus: 404 }) {
  readonly _tag = "NotFound"
  static readonly route = () => new NotFound({ code: "not_found", detail: "Not Found" })
  static readonly credential = (id: string) =>
    new NotFound({ code: "credential_not_found", detail: `Credential '${id}' not found` })
  static readonly tenant = (projectId: string) =>
    new NotFound({ code: "tenant_not_found", detail: `Tenant '${projectId}' not found` })
  static readonly onboarding = (id: string) =>
    new NotFound({ code: "onboarding_not_found", detail: `Onboarding '${id}' not found` })
  /** Keystone's words: one that is not the request's own, whether or not it exists. */
  static readonly token = () => new NotFound({ code: "token_not_found", detail: "Could not find token" })
  static readonly service = (segment: string) =>
    new NotFound({ code: "service_not_found", detail: `No platform service at '${segment}'` })
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

/** 409: the request is fine, the state of things is not. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(
  { ...body, admission: Schema.optionalKey(AdmissionNumbers) },
  { httpApiStatus: 409 }
) {
  readonly _tag = "Conflict"
  static readonly tenantRequired = () =>
    new Conflict({
      code: "tenant_required",
      detail: "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant"
    })
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
  static readonly tierMoveInProgress = (projectId: string) =>
    new Conflict({
      code: "tier_move_in_progress",
      detail: `Another change of the quotas of tenant '${projectId}' is under way`
    })
  static readonly onboardingBusy = (id: string) =>
    new Conflict({ code: "onboarding_busy", detail: `Onboarding '${id}' is held by a running process` })
  static readonly credentialAllowance = (held: number, allowance: number) =>
    new Conflict({
      code: "credential_allowance_reached",
      detail: `The tenant holds ${held} live credentials and its tier allows ${allowance}; revoke one first`
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
  static readonly imagePatch = () =>
    new UnsupportedMediaType({
      code: "image_patch_media_type",
      detail:
        "A patch of an image must have Content-Type: application/openstack-images-v2.1-json-patch " +
        "or application/openstack-images-v2.0-json-patch"
    })
}

export const ValidationIssue = Schema.Struct({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  msg: Schema.String,
  type: Schema.String
}).annotate({ identifier: "ValidationError" })
export type ValidationIssue = typeof ValidationIssue.Type

/** 422: the request does not fit its schema. The input is never echoed: it may hold a secret. */
export class Invalid extends Schema.Error<Invalid>("HTTPValidationError")(
  { detail: Schema.Array(ValidationIssue), code: Code },
  { httpApiStatus: 422 }
) {
  readonly _tag = "Invalid"
  static readonly issues = (detail: ReadonlyArray<ValidationIssue>) => new Invalid({ code: "validation_error", detail })
}

/** 422 with one sentence: the schema is met, yet the request can never be done. */
export class Unprocessable extends Schema.Error<Unprocessable>("Unprocessable")(body, { httpApiStatus: 422 }) {
  readonly _tag = "Unprocessable"
  static readonly unusableName = (rule: string) => new Unprocessable({ code: "unusable_name", detail: rule })
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
}

/** 503: what the decision needs could not be read, so nothing was decided. */
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(body, { httpApiStatus: 503 }) {
  readonly _tag = "Unavailable"
  static readonly identityProvider = () =>
    new Unavailable({ code: "identity_provider_unreachable", detail: "The identity provider cannot be reached" })
  static readonly tierUnreadable = () =>
    new Unavailable({ code: "tier_unreadable", detail: "The tenant's tier cannot be read right now" })
}

export const Failure = Schema.Union([
  BadRequest,
  Unauthorized,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  Conflict,
  TooLarge,
  UnsupportedMediaType,
  Invalid,
  Unprocessable,
  Internal,
  BadGateway,
  Unavailable
])
export type Failure = typeof Failure.Type
