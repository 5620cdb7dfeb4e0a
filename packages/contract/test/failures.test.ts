import { assert, describe, it } from "@effect/vitest"
import type { AdmissionNumbers } from "@portico/contract/Admission"
import { failureCodes } from "@portico/contract/FailureCodes"
import * as Failures from "@portico/contract/Failures"
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const { BadGateway, BadRequest, Conflict, Forbidden, Internal, Invalid, MethodNotAllowed } = Failures
const { NotFound, TooLarge, Unauthorized, Unavailable, Unprocessable, UnsupportedMediaType } = Failures

const admission: AdmissionNumbers = {
  tier: "standard",
  admitted: false,
  dimensions: [
    { dimension: "cores", requested: 32, used: 90, limit: 100, remaining: 10, remaining_after: -22 },
    { dimension: "ram_gib", requested: 64, used: 0, limit: 100, remaining: 100, remaining_after: 36 },
    { dimension: "floating_ips", requested: 8, used: 9, limit: 10, remaining: 1, remaining_after: -7 }
  ]
}

type Row = readonly [failure: Failures.Failure, status: number, body: object]

const row = (failure: Failures.Failure, status: number, code: string, detail: string, more: object = {}): Row => [
  failure,
  status,
  { detail, code, ...more }
]

/** The strings that the contract's error table quotes, whole. */
const verbatim: ReadonlyArray<Row> = [
  row(Unauthorized.missingBearer(), 401, "missing_authorization", "Missing or invalid Authorization header"),
  row(Unauthorized.tokenNotActive(), 401, "token_inactive", "Token is not active"),
  row(Unauthorized.introspectionFailed(), 401, "introspection_failed", "Token introspection failed"),
  row(Unauthorized.revoked(), 401, "credential_revoked", "Credential has been revoked"),
  row(Unauthorized.expired(), 401, "credential_expired", "Credential has expired"),
  row(Forbidden.noProjectRoles(), 403, "no_project_roles", "Token carries no project roles; tenant access denied"),
  row(
    Forbidden.noTenant("ursula"),
    403,
    "no_tenant",
    "No tenant assigned for user 'ursula': no TENANT_MAP entry and no admin role. Ask an operator to map your user to a project."
  ),
  row(
    Forbidden.methodNeedsTier("POST", 1, 0),
    403,
    "tier_too_low",
    "Insufficient credential tier: POST requires tier 1, the caller's credential is tier 0. Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."
  ),
  row(
    Forbidden.actionNeedsTier(1, 0),
    403,
    "tier_too_low",
    "Insufficient credential tier: this action requires tier 1, the caller's credential is tier 0. Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes). Create a higher-tier credential under POST /v1/credentials."
  ),
  row(NotFound.credential("cred-1"), 404, "credential_not_found", "Credential 'cred-1' not found")
]

/** The conditions that the contract names without words, in ours. */
const ours: ReadonlyArray<Row> = [
  row(BadRequest.pathNotCanonical("why"), 400, "path_not_canonical", "The path is not canonical: why"),
  row(BadRequest.queryNotCanonical("why"), 400, "query_not_canonical", "The query is not canonical: why"),
  row(
    BadRequest.bodyNotJson(),
    400,
    "body_not_json",
    "The request body must be JSON in UTF-8, without a byte order mark"
  ),
  row(BadRequest.twoTokens(), 400, "two_tokens", "Authorization and X-Auth-Token do not carry the same token"),
  row(
    BadRequest.tokenRequest(),
    400,
    "token_request_not_understood",
    "The token request is not understood: it must be JSON with auth.identity.methods and one of auth.identity.application_credential {id, secret} and auth.identity.token {id}"
  ),
  row(
    Unauthorized.authMethod(),
    401,
    "auth_method_refused",
    "A token is given for an application credential (a credential's client_id and client_secret) or for a token (a credential's pat), and for nothing else"
  ),
  row(
    Unauthorized.applicationCredential(),
    401,
    "application_credential_refused",
    "The application credential is not accepted: its id must be a credential's client_id and its secret the client_secret, and the credential must not be revoked"
  ),
  row(
    Forbidden.tokenScope(),
    403,
    "token_scope_refused",
    "A token is scoped to the credential's own project: name that project, or leave the scope out"
  ),
  row(NotFound.token(), 404, "token_not_found", "Could not find token"),
  row(Forbidden.otherProject(), 403, "other_project", "The query names another project than the credential's"),
  row(
    Forbidden.clusterNamespace(),
    403,
    "cluster_namespace_refused",
    "The namespace itself is kept by the platform: it can be read, but neither changed nor deleted"
  ),
  row(
    Forbidden.clusterLimits("roles"),
    403,
    "cluster_limits_refused",
    "Writing roles is refused: the limits and the access rules of a tenant's namespace are kept by the platform"
  ),
  row(
    Forbidden.clusterToken(),
    403,
    "cluster_token_refused",
    "Tokens of service accounts are not handed out here: they would outlive the credential that asked for them. Create a credential under POST /v1/credentials"
  ),
  row(
    Forbidden.clusterSubresource("status"),
    403,
    "cluster_subresource_refused",
    "Writing 'status' is refused: only the cluster itself does"
  ),
  row(
    NotFound.namespaceUnused("db-1"),
    404,
    "namespace_unused",
    "The namespace 'db-1' holds nothing yet: the first write into it makes it"
  ),
  row(
    UnsupportedMediaType.encodedBody(),
    415,
    "encoded_body",
    "The body of this request must be sent without a Content-Encoding"
  ),
  row(Unauthorized.suspended(), 401, "credential_suspended", "Credential is suspended"),
  row(Forbidden.adminRequired(), 403, "admin_required", "This action requires the platform administrator role"),
  row(
    Forbidden.projectOverride(),
    403,
    "project_override_refused",
    "The project parameter is for platform administrators"
  ),
  row(
    Forbidden.identityRoute(),
    403,
    "identity_route_refused",
    "Of the identity service, tenants can read their own project, its tags, and the regions"
  ),
  row(
    Forbidden.worldOpenSsh(),
    403,
    "world_open_ssh",
    "The rule opens SSH (port 22) to every address: name a narrower source, or send the request with allow_ssh_from_anywhere=true in its query"
  ),
  row(
    Forbidden.worldOpenAddressGroup(),
    403,
    "world_open_ssh",
    "An address group with a prefix of length 0 can open SSH (port 22) to every address: leave the prefix out, or send the request with allow_ssh_from_anywhere=true in its query"
  ),
  row(
    Forbidden.externalGateway(),
    403,
    "external_gateway_refused",
    "Tenant routers cannot hold an external gateway: setting, changing or removing one requires the platform administrator role"
  ),
  row(
    Forbidden.imageLocations(),
    403,
    "image_locations_refused",
    "The locations of an image can be neither read nor written; send its data to PUT /v1/iaas/image/images/{id}/file"
  ),
  row(
    Forbidden.secretPayload(),
    403,
    "secret_payload_refused",
    "The payload of a stored secret can be read by people only; machine credentials read its metadata at /v1/iaas/key-manager/v1/secrets/{id} with Accept: application/json"
  ),
  row(NotFound.route(), 404, "not_found", "Not Found"),
  row(NotFound.tenant("p"), 404, "tenant_not_found", "Tenant 'p' not found"),
  row(NotFound.onboarding("a"), 404, "onboarding_not_found", "Onboarding 'a' not found"),
  row(NotFound.service("x"), 404, "service_not_found", "No platform service at 'x'"),
  row(MethodNotAllowed.method(), 405, "method_not_allowed", "Method Not Allowed"),
  row(
    Conflict.tenantRequired(),
    409,
    "tenant_required",
    "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant"
  ),
  row(
    Conflict.nameTaken("Acme"),
    409,
    "organisation_name_taken",
    "Organisation name 'Acme' is taken; send the request again with tenant_name set to a free name"
  ),
  row(
    Conflict.onboardingInProgress("Acme"),
    409,
    "onboarding_in_progress",
    "An onboarding of 'Acme' is running or being rolled back; wait for it, or set tenant_name to a free name"
  ),
  row(
    Conflict.budgetExceeded(admission),
    409,
    "budget_exceeded",
    "Tier standard does not fit into the sellable budget: cores requested 32, used 90, limit 100, remaining 10; " +
      "floating_ips requested 8, used 9, limit 10, remaining 1",
    { admission }
  ),
  row(
    Conflict.tierMoveInProgress("p"),
    409,
    "tier_move_in_progress",
    "Another change of the quotas of tenant 'p' is under way"
  ),
  row(Conflict.onboardingBusy("a"), 409, "onboarding_busy", "Onboarding 'a' is held by a running process"),
  row(
    Conflict.credentialAllowance(20, 20),
    409,
    "credential_allowance_reached",
    "The tenant holds 20 live credentials and its tier allows 20; revoke one first"
  ),
  row(TooLarge.body(65_536), 413, "body_too_large", "The request body is larger than 65536 bytes"),
  row(
    UnsupportedMediaType.formBody(),
    415,
    "form_body",
    "The body of this request must not be a form: say what it is in its Content-Type, mostly application/json"
  ),
  row(
    UnsupportedMediaType.notJson(),
    415,
    "unsupported_media_type",
    "The request body must be JSON with Content-Type: application/json"
  ),
  row(
    UnsupportedMediaType.imagePatch(),
    415,
    "image_patch_media_type",
    "A patch of an image must have Content-Type: application/openstack-images-v2.1-json-patch or application/openstack-images-v2.0-json-patch"
  ),
  [
    Invalid.issues([{ loc: ["body", "tier"], msg: "Field required", type: "missing" }]),
    422,
    { detail: [{ loc: ["body", "tier"], msg: "Field required", type: "missing" }], code: "validation_error" }
  ],
  row(Unprocessable.unusableName("why"), 422, "unusable_name", "why"),
  row(Internal.error(), 500, "internal_error", "Internal Server Error"),
  row(BadGateway.upstream("nova: no", true), 502, "upstream_failed", "nova: no", { transient: true }),
  row(
    BadGateway.onboarding({ at: "network", words: "no", transient: false, left: [] }),
    502,
    "onboarding_failed",
    "Onboarding stopped at network: no",
    { transient: false }
  ),
  row(
    BadGateway.onboarding({ at: "network", words: "no", transient: true, left: ["project", "user"] }),
    502,
    "onboarding_failed",
    "Onboarding stopped at network: no. Not yet removed: project, user",
    { transient: true, left: ["project", "user"] }
  ),
  row(
    BadGateway.quotaWrite({ at: "object storage", words: "no", transient: false, applied: ["nova"] }),
    502,
    "quota_write_failed",
    "The quota write stopped at object storage: no",
    { transient: false, applied: ["nova"] }
  ),
  row(Unavailable.identityProvider(), 503, "identity_provider_unreachable", "The identity provider cannot be reached"),
  row(Unavailable.tierUnreadable(), 503, "tier_unreadable", "The tenant's tier cannot be read right now")
]

const rows = [...verbatim, ...ours]
const encode = Schema.encodeEffect(Failures.Failure)

describe("failures", () => {
  for (const [failure, status, body] of rows) {
    const { code } = failure
    it.effect(`${status} ${code}: ${typeof failure.detail === "string" ? failure.detail : "a list"}`, () =>
      Effect.gen(function* () {
        // The whole body: no tag, and nothing else besides.
        assert.deepStrictEqual(yield* encode(failure), body)
        assert.strictEqual(failureCodes[code].status, status)
        assert.strictEqual(statusOf(failure), status)
      })
    )
  }

  it("every constructor has a row", () => {
    const constructors = classes.flatMap((_) => Object.keys(_).filter((key) => isConstructor(_, key)))
    assert.strictEqual(new Set(rows.map(([_]) => `${_._tag} ${_.code}`)).size, constructors.length - sharedCodes)
  })

  it("every code is used, by failures of its status alone", () => {
    assert.sameMembers([...new Set(rows.map(([_]) => _.code))], Object.keys(failureCodes))
  })

  it("every code says what causes it and what to do, in sentences", () => {
    for (const [code, { cause, fix }] of Object.entries(failureCodes)) {
      assert.match(code, /^[a-z]+(_[a-z]+)*$/)
      for (const sentence of [cause, fix]) assert.match(sentence, /^[A-Z`].*\.$/, code)
    }
  })
})

const classes = [
  BadGateway,
  BadRequest,
  Conflict,
  Forbidden,
  Internal,
  Invalid,
  MethodNotAllowed,
  NotFound,
  TooLarge,
  Unauthorized,
  Unavailable,
  Unprocessable,
  UnsupportedMediaType
]

/**
 * Two constructors give `tier_too_low`: proxied calls and first-class routes have words of their own. Two give
 * `world_open_ssh`: a rule, and an address group that rules refer to.
 */
const sharedCodes = 2

const isConstructor = (holder: object, key: string): boolean =>
  typeof Object.getOwnPropertyDescriptor(holder, key)?.value === "function"

/** The status that an endpoint which declares the class answers with. */
const statuses = new Map<unknown, number>()
for (const declared of classes) {
  const error: Schema.Top = declared
  const endpoint = HttpApiEndpoint.get("only", "/", { error })
  HttpApi.reflect(HttpApi.make("only").add(HttpApiGroup.make("only").add(endpoint)), {
    onGroup: () => {},
    onEndpoint: ({ errors }) => {
      assert.strictEqual(errors.size, 1)
      for (const status of errors.keys()) statuses.set(declared, status)
    }
  })
}

const statusOf = (failure: Failures.Failure): number | undefined => {
  const found = classes.find((_) => failure instanceof _)
  return found === undefined ? undefined : statuses.get(found)
}
