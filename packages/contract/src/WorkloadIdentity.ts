import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  AnswersSecret,
  Authenticated,
  MinimumTier,
  PermissionTier,
  PlatformAdmin,
  Validated,
  WellFormed
} from "./Access.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { pageFields, pageQuery } from "./Page.ts"

/** Longer than any token of a cluster, and short enough to parse for any client. */
export const subjectTokenLimit = 16_384

const tokenType = "urn:ietf:params:oauth:token-type"

/**
 * `subject_token` is the contract's. RFC 8693 makes clients send the other
 * parameters; they may be missing, and accept only the values of this exchange.
 */
export const TokenExchangeRequest = Schema.Struct({
  subject_token: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(subjectTokenLimit)),
  grant_type: Schema.optionalKey(Schema.Literal("urn:ietf:params:oauth:grant-type:token-exchange")),
  subject_token_type: Schema.optionalKey(Schema.Literal(`${tokenType}:jwt`)),
  requested_token_type: Schema.optionalKey(Schema.Literal(`${tokenType}:access_token`))
}).annotate({ identifier: "TokenExchangeRequest" })
export type TokenExchangeRequest = typeof TokenExchangeRequest.Type

/** The only response that contains the token. */
export const TokenExchangeResponse = Schema.Struct({
  access_token: Schema.String,
  issued_token_type: Schema.Literal(`${tokenType}:access_token`),
  token_type: Schema.Literal("Bearer"),
  /** In seconds: an hour, or the rest of the caller's own credential when that is shorter. */
  expires_in: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3600 }))
}).annotate({ identifier: "TokenExchangeResponse" })
export type TokenExchangeResponse = typeof TokenExchangeResponse.Type

/** Both planes. */
export class WorkloadIdentity extends HttpApiGroup.make("workload-identity")
  .add(
    HttpApiEndpoint.post("exchange", "/workload-identity/token-exchange", {
      payload: TokenExchangeRequest,
      success: HttpApiSchema.WithHeaders(TokenExchangeResponse, { "cache-control": Schema.Literal("no-store") }),
      error: failures(
        "concurrent_deletion_state",
        "credential_chain_too_long",
        "credential_expired",
        "credential_revoked",
        "credential_suspended",
        "issuer_unmapped",
        "issuer_unreachable",
        "subject_token_refused",
        "token_inactive"
      )
    })
      // The subject token is the proof, and the caller's own rights are the bound: a caller of tier 0 gets a token of
      // tier 0.
      .annotate(MinimumTier, 0)
      .annotate(AnswersSecret, "new")
  )
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}

/** The default issuer of a cluster without a configured name: a token with it could come from any of them. */
const nameless = /^https:\/\/kubernetes\.default(\.svc(\.[^/:]*)?)?\.?(:\d+)?\/?$/i

const letters = Schema.isPattern(/^[\x21-\x7e]+$/, { expected: "printable ASCII without spaces" })

const named = Schema.makeFilter((text: string) => !nameless.test(text), {
  expected: "a name of the cluster's own, and not the default that unconfigured clusters share"
})

/** Compared exactly with the token's claim, so it is stored unchanged. */
const Issuer = Schema.String.check(
  Schema.isMaxLength(500),
  letters,
  Schema.isPattern(/^https:\/\/[^/?#@]+(\/[^?#]*)?$/, { expected: "an https address without a query" }),
  named
)

/** The address of the keys. HTTP is for tests and the simulated cloud, where a setting allows it. */
const Endpoint = Schema.String.check(
  Schema.isMaxLength(2000),
  letters,
  Schema.makeFilter((text: string) => isEndpoint(text), { expected: "an http or https address without credentials" })
)

const isEndpoint = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.hash === ""
}

/** A default pod token has the API server's audience: accepting that would admit every pod of the cluster. */
const Audience = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(500), letters, named)

/** A `*` matches any characters within the namespace, or within the name; at most one in each. */
const subjectPattern = /^system:serviceaccount:[a-z0-9-]{0,63}\*?[a-z0-9-]{0,63}:[a-z0-9.-]{0,253}\*?[a-z0-9.-]{0,253}$/

const Subjects = Schema.Array(
  Schema.String.check(
    Schema.isPattern(subjectPattern, {
      expected: "system:serviceaccount:<namespace>:<name>, with at most one * in each of the two"
    })
  )
).check(Schema.isMinLength(1), Schema.isMaxLength(50))

const Certificates = Schema.String.check(
  Schema.isMaxLength(32_768),
  Schema.isPattern(/^\s*(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/, {
    expected: "certificates in PEM"
  })
)

/** In seconds, a week at most: a leaked pod token stays valid for that long. */
const MaxLifetime = Schema.Int.check(Schema.isBetween({ minimum: 600, maximum: 604_800 }))

const given = {
  tier: PermissionTier,
  audience: Audience,
  discovery_url: Endpoint,
  jwks_uri: Schema.NullOr(Endpoint),
  ca: Schema.NullOr(Certificates),
  subjects: Subjects,
  max_lifetime_seconds: MaxLifetime,
  enabled: Schema.Boolean
}

export const WorkloadIssuerRequest = Schema.Struct({
  issuer: Issuer,
  project_id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
  tier: given.tier,
  audience: given.audience,
  /** The address of the discovery document; usually the issuer with `/.well-known/openid-configuration`. */
  discovery_url: Schema.optionalKey(given.discovery_url),
  /** A pinned key set: the discovery document is then not fetched. */
  jwks_uri: given.jwks_uri.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  ca: given.ca.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  subjects: given.subjects,
  max_lifetime_seconds: given.max_lifetime_seconds.pipe(Schema.withDecodingDefaultKey(Effect.succeed(86_400))),
  enabled: given.enabled.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true)))
}).annotate({ identifier: "WorkloadIssuerRequest" })
export type WorkloadIssuerRequest = typeof WorkloadIssuerRequest.Type

/** Missing fields stay unchanged. An issuer of another name or tenant is another mapping. */
export const WorkloadIssuerChange = Schema.Struct({
  tier: Schema.optionalKey(given.tier),
  audience: Schema.optionalKey(given.audience),
  discovery_url: Schema.optionalKey(given.discovery_url),
  jwks_uri: Schema.optionalKey(given.jwks_uri),
  ca: Schema.optionalKey(given.ca),
  subjects: Schema.optionalKey(given.subjects),
  max_lifetime_seconds: Schema.optionalKey(given.max_lifetime_seconds),
  enabled: Schema.optionalKey(given.enabled)
}).annotate({ identifier: "WorkloadIssuerChange" })
export type WorkloadIssuerChange = typeof WorkloadIssuerChange.Type

export const WorkloadIssuerRow = Schema.Struct({
  issuer_id: Schema.String,
  issuer: Schema.String,
  project_id: Schema.String,
  tier: PermissionTier,
  audience: Schema.String,
  discovery_url: Schema.String,
  jwks_uri: Schema.NullOr(Schema.String),
  ca: Schema.NullOr(Schema.String),
  subjects: Schema.Array(Schema.String),
  max_lifetime_seconds: Schema.Int,
  enabled: Schema.Boolean,
  created_by: Schema.String,
  created_at: Schema.String,
  changed_at: Schema.String
}).annotate({ identifier: "WorkloadIssuer" })
export type WorkloadIssuerRow = typeof WorkloadIssuerRow.Type

const issuerId = { issuer_id: Schema.String }

/** Operator plane: the mappings from clusters to tenants. */
export class WorkloadIssuers extends HttpApiGroup.make("workload-issuers")
  .add(
    HttpApiEndpoint.get("list", "/workload-identity/issuers", {
      query: pageQuery,
      success: Schema.Struct({ ...pageFields, issuers: Schema.Array(WorkloadIssuerRow) }).annotate({
        identifier: "WorkloadIssuerList"
      })
    }),
    HttpApiEndpoint.post("register", "/workload-identity/issuers", {
      payload: WorkloadIssuerRequest,
      success: WorkloadIssuerRow.pipe(HttpApiSchema.status(201)),
      error: failures("issuer_endpoint_refused", "issuer_registered", "tenant_not_found")
    }).middleware(Creates),
    HttpApiEndpoint.patch("change", "/workload-identity/issuers/:issuer_id", {
      params: issuerId,
      payload: WorkloadIssuerChange,
      success: WorkloadIssuerRow,
      error: failures("issuer_endpoint_refused", "workload_issuer_not_found")
    }),
    HttpApiEndpoint.delete("remove", "/workload-identity/issuers/:issuer_id", {
      params: issuerId,
      success: WorkloadIssuerRow,
      error: failures("workload_issuer_not_found")
    })
  )
  // The role decides; an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
