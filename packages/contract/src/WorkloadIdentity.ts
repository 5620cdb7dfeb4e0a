import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret, MinimumTier, PermissionTier } from "./Access.ts"
import { described, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { callerRoutes, operatorRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { pageList, pageQuery } from "./Page.ts"
import { Unstored } from "./Unstored.ts"

/** Longer than any token of a cluster, and short enough to parse for any client. */
export const subjectTokenLimit = 16_384

const tokenType = "urn:ietf:params:oauth:token-type"
const optional = "It may be left out, and has no other value."

export const TokenExchangeRequest = Schema.Struct({
  subject_token: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(subjectTokenLimit)).annotateKey({
    description:
      "The token of a Kubernetes service account: a JWT with the registered audience, signed with RS256, ES256 or EdDSA, of at " +
      `most ${subjectTokenLimit} characters.`
  }),
  grant_type: Schema.optionalKey(Schema.Literal("urn:ietf:params:oauth:grant-type:token-exchange")).annotateKey({
    description: `The grant, as clients of RFC 8693 send it. ${optional}`
  }),
  subject_token_type: Schema.optionalKey(Schema.Literal(`${tokenType}:jwt`)).annotateKey({
    description: `The type of \`subject_token\`, as clients of RFC 8693 send it. ${optional}`
  }),
  requested_token_type: Schema.optionalKey(Schema.Literal(`${tokenType}:access_token`)).annotateKey({
    description: `The type of the token to issue, as clients of RFC 8693 send it. ${optional}`
  })
}).annotate({ identifier: "TokenExchangeRequest", description: "A token exchange in the form of RFC 8693." })
export type TokenExchangeRequest = typeof TokenExchangeRequest.Type

export const TokenExchangeResponse = Schema.Struct({
  access_token: Schema.String.annotateKey({
    description: "The Bearer, `portico_wi_…`. No other response contains it, and the gateway stores only its hash."
  }),
  issued_token_type: Schema.Literal(`${tokenType}:access_token`).annotateKey({
    description: "The type of `access_token`, by RFC 8693."
  }),
  token_type: Schema.Literal("Bearer").annotateKey({ description: "How the token is presented: always `Bearer`." }),
  expires_in: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3600 })).annotateKey({
    description: "The seconds that the token works: 3600, or less when the caller's own credential ends before."
  })
}).annotate({ identifier: "TokenExchangeResponse", description: "The issued token." })
export type TokenExchangeResponse = typeof TokenExchangeResponse.Type

/** Both planes. */
export class WorkloadIdentity extends HttpApiGroup.make("workload-identity")
  .add(
    HttpApiEndpoint.post("exchange", "/workload-identity/token-exchange", {
      payload: TokenExchangeRequest,
      success: Unstored(TokenExchangeResponse),
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
      .annotateMerge(
        described(
          "Exchange a service account's token for a Bearer",
          "Verifies the token of a Kubernetes service account and issues a Bearer of this API for one hour, so that a pod " +
            "calls the API without a stored secret of its cluster. An operator of the platform has registered the " +
            "cluster for the caller's project before, with a permission tier, an audience and the service accounts that " +
            "are let in.\n\n" +
            "- The Bearer has the registered tier, but never more than the caller: the caller's tier, networks, " +
            "organisation unit, access to costs and policies bound it, and it ends with the caller. Nothing in the body " +
            "can ask for another project, tier or audience.\n" +
            "- Every fault of the token is the same 401. A cluster that is not registered, disabled, or registered " +
            "for another project is a 403. Keys that cannot be fetched from the cluster are a 503.\n" +
            "- Exchange again before the hour is over; the earlier Bearer stays valid until its end."
        )
      )
  )
  .annotateMerge(
    titled(
      "Workload Identity",
      "Tokens for the pods of a Kubernetes cluster, without a stored secret. A workload, which is such a pod, proves who " +
        "it is with the token of its service account. It exchanges that token for a Bearer, an access token of this API for one hour, under the registration of its cluster."
    )
  )
  .pipe(callerRoutes) {}

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

const about = {
  issuer: {
    description:
      "The cluster's name, as its tokens have it in `iss`: an https address without a query, of at most 500 characters, " +
      "compared letter by letter. The name that unconfigured clusters share (`https://kubernetes.default.svc`) is refused."
  },
  project_id: { description: "The project that the cluster's workloads act in." },
  tier: { description: "The permission tier of the issued Bearers. The caller that exchanges may lower it." },
  audience: {
    description:
      "The audience that a token must have (`aud`): 1 to 500 printable ASCII characters without spaces. The " +
      "default audience of pods is refused."
  },
  discovery_url: {
    description:
      "The address of the cluster's discovery document; it is not fetched when `jwks_uri` is set. At most 2000 characters."
  },
  jwks_uri: {
    description:
      "The address of the cluster's keys: at most 2000 characters, over https. Set it where the discovery document names " +
      "an address that only the cluster's own network knows. Null: the one in the discovery document, which must be on " +
      "the same host."
  },
  ca: {
    description:
      "The certificates, in PEM, of the authority that signed the certificate at these addresses: at most 32768 " +
      "characters. Null: the authorities that the system trusts."
  },
  subjects: {
    description:
      "The service accounts that are let in: 1 to 50 patterns `system:serviceaccount:<namespace>:<name>`, with at most one " +
      "`*` in the namespace and one in the name, which stands for any characters there."
  },
  max_lifetime_seconds: {
    description:
      "The longest life of an accepted token, in seconds from `iat` to `exp`: 600 to 604800, a week. A leaked token stays " +
      "usable for that long."
  },
  enabled: { description: "Whether tokens are exchanged. False switches the mapping off." }
} satisfies Readonly<Record<string, { readonly description: string }>>

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
  issuer: Issuer.annotateKey(about.issuer),
  project_id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)).annotateKey(about.project_id),
  tier: given.tier.annotateKey(about.tier),
  audience: given.audience.annotateKey(about.audience),
  discovery_url: Schema.optionalKey(given.discovery_url).annotateKey({
    description: `${about.discovery_url.description} Default: the issuer with \`/.well-known/openid-configuration\`.`
  }),
  jwks_uri: given.jwks_uri
    .annotateKey({ description: `${about.jwks_uri.description} Default: null.` })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  ca: given.ca
    .annotateKey({ description: `${about.ca.description} Default: null.` })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  subjects: given.subjects.annotateKey(about.subjects),
  max_lifetime_seconds: given.max_lifetime_seconds
    .annotateKey({ description: `${about.max_lifetime_seconds.description} Default: 86400, a day.` })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(86_400))),
  enabled: given.enabled
    .annotateKey({ description: `${about.enabled.description} Default: true.` })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(true)))
}).annotate({ identifier: "WorkloadIssuerRequest", description: "The registration of a cluster for one project." })
export type WorkloadIssuerRequest = typeof WorkloadIssuerRequest.Type

const changeable = <S extends Schema.Top>(schema: S, key: { readonly description: string }) =>
  Schema.optionalKey(schema).annotateKey({ description: `${key.description} Absent: it stays as it is.` })

/** An issuer of another name or tenant is another mapping. */
export const WorkloadIssuerChange = Schema.Struct({
  tier: changeable(given.tier, about.tier),
  audience: changeable(given.audience, about.audience),
  discovery_url: changeable(given.discovery_url, about.discovery_url),
  jwks_uri: changeable(given.jwks_uri, about.jwks_uri),
  ca: changeable(given.ca, about.ca),
  subjects: changeable(given.subjects, about.subjects),
  max_lifetime_seconds: changeable(given.max_lifetime_seconds, about.max_lifetime_seconds),
  enabled: changeable(given.enabled, about.enabled)
}).annotate({ identifier: "WorkloadIssuerChange", description: "A change of a cluster's mapping." })
export type WorkloadIssuerChange = typeof WorkloadIssuerChange.Type

const issuerId = Schema.String.annotateKey({ description: "The mapping's id, `wi-…`; it never changes." })

export const WorkloadIssuerRow = Schema.Struct({
  issuer_id: issuerId,
  issuer: Schema.String.annotateKey({
    description: "The cluster's name, as its tokens have it in `iss`. It never changes."
  }),
  project_id: Schema.String.annotateKey({ description: `${about.project_id.description} It never changes.` }),
  tier: PermissionTier.annotateKey(about.tier),
  audience: Schema.String.annotateKey({ description: "The audience that a token must have (`aud`)." }),
  discovery_url: Schema.String.annotateKey({
    description: "The address of the cluster's discovery document; it is not fetched when `jwks_uri` is set."
  }),
  jwks_uri: Schema.NullOr(Schema.String).annotateKey({
    description: "The address of the cluster's keys. Null: the one in the discovery document."
  }),
  ca: Schema.NullOr(Schema.String).annotateKey({
    description: "The certificates of the authority, in PEM. Null: the authorities that the system trusts."
  }),
  subjects: Schema.Array(Schema.String).annotateKey({
    description:
      "The service accounts that are let in, as patterns in which a `*` stands for any characters of the namespace or of " +
      "the name."
  }),
  max_lifetime_seconds: Schema.Int.annotateKey({
    description: "The longest life of an accepted token, in seconds from `iat` to `exp`."
  }),
  enabled: Schema.Boolean.annotateKey({ description: "Whether tokens are exchanged." }),
  created_by: Schema.String.annotateKey({
    description: "The user id of the platform administrator who registered it."
  }),
  created_at: Schema.String.annotateKey({ description: "When it was registered: RFC 3339, UTC." }),
  changed_at: Schema.String.annotateKey({ description: "When it was last changed, or registered: RFC 3339, UTC." })
}).annotate({ identifier: "WorkloadIssuer", description: "The mapping from a cluster to a project." })
export type WorkloadIssuerRow = typeof WorkloadIssuerRow.Type

const params = { issuer_id: issuerId }

/** Operator plane: the mappings from clusters to tenants. */
export class WorkloadIssuers extends HttpApiGroup.make("workload-issuers")
  .add(
    HttpApiEndpoint.get("list", "/workload-identity/issuers", {
      query: pageQuery,
      success: pageList("WorkloadIssuerList", {
        issuers: Schema.Array(WorkloadIssuerRow).annotateKey({
          description: "The mappings of this page, oldest first."
        })
      })
    }).annotateMerge(
      described(
        "List registered clusters",
        "Lists the mappings from clusters to projects, disabled ones too, oldest first."
      )
    ),
    HttpApiEndpoint.post("register", "/workload-identity/issuers", {
      payload: WorkloadIssuerRequest,
      success: WorkloadIssuerRow.pipe(HttpApiSchema.status(201)),
      error: failures("issuer_endpoint_refused", "issuer_registered", "tenant_not_found")
    })
      .annotateMerge(
        described(
          "Register a cluster",
          "Lets the service accounts of a Kubernetes cluster exchange their tokens for Bearers of one project. An issuer " +
            "stands for one project; one that is registered already, for any project, is a 409. Nothing is fetched from " +
            "the cluster until the first exchange.\n\n" +
            "Keys are fetched over https only, and never from the gateway's own machine or link; such an address is a 422. " +
            "The cluster must let the gateway read them without credentials."
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.patch("change", "/workload-identity/issuers/:issuer_id", {
      params,
      payload: WorkloadIssuerChange,
      success: WorkloadIssuerRow,
      error: failures("issuer_endpoint_refused", "workload_issuer_not_found")
    }).annotateMerge(
      described(
        "Change a registered cluster",
        "Changes the fields that are sent. Every Bearer that was issued under the mapping ends at once, on every replica " +
          "within a second, after any change; workloads exchange again. The issuer and the project never " +
          "change: remove the mapping and register another."
      )
    ),
    HttpApiEndpoint.delete("remove", "/workload-identity/issuers/:issuer_id", {
      params,
      success: WorkloadIssuerRow,
      error: failures("workload_issuer_not_found")
    }).annotateMerge(
      described(
        "Remove a registered cluster",
        "Removes the mapping and returns it. No token of the cluster is exchanged any more, and every Bearer that was " +
          "issued under it ends at once, on every replica within a second."
      )
    )
  )
  .annotateMerge(
    titled(
      "Workload Issuers",
      "Kubernetes clusters whose pods may call the API. An issuer is the name that a cluster writes into its tokens. A mapping lets the service accounts of one " +
        "cluster act in one project, with a permission tier."
    )
  )
  .pipe(operatorRoutes) {}
