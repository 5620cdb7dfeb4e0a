import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AnswersSecret, MinimumTier, PermissionTier, TenantScoped, WhileClosing } from "./Access.ts"
import { described, meanings, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { callerRoutes } from "./groups.ts"
import { Creates, OneTime } from "./Idempotency.ts"
import { Networks } from "./Networks.ts"
import { pageList, pageQuery } from "./Page.ts"
import { plainText } from "./Text.ts"
import { optionalBody } from "./optionalBody.ts"
import { QueryFlag } from "./QueryFlag.ts"

export const CredentialKind = meanings("Who uses the credential.", {
  "api-key": "Scripts, CI and infrastructure-as-code.",
  mcp:
    "Agents. An agent's credential reads no stored secret, and mints only credentials of this kind, of tier 0 or 1, for " +
    "7 days at most."
})

const Label = plainText(100)

export const MintRequest = Schema.Struct({
  kind: CredentialKind,
  tier: PermissionTier.annotateKey({
    description: "The permission tier of the credential; not above the caller's own."
  }),
  label: Label.annotateKey({
    description: "A name for people. Several credentials may have the same one."
  }),
  expires_in_days: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 365 }))).annotateKey({
    description:
      "The days until the credential expires, counted from now; not after the caller's own end. Without it the " +
      "credential ends with the caller, or never when the caller has no end; a credential that an agent mints ends " +
      "after 7 days at the latest."
  }),
  networks: Schema.optionalKey(Networks).annotateKey({
    description:
      "The networks that the credential may be used from; a call from another address is a 403. Without it the caller's " +
      "own networks apply. A limited caller mints only within its own networks."
  })
}).annotate({ identifier: "MintRequest", description: "A new credential." })
export type MintRequest = typeof MintRequest.Type

const entry = {
  credential_id: Schema.String.annotateKey({ description: "The credential's id, `cred-…`; it never changes." }),
  kind: CredentialKind,
  tier: PermissionTier.annotateKey({
    description:
      "The permission tier that the credential has now: the lowest among itself and its makers. The access " +
      "policies of its organisation unit may lower it further."
  }),
  minted_tier: PermissionTier.annotateKey({
    description: "The tier that the credential was minted with. It applies again when its makers' tiers allow it."
  }),
  label: Schema.String.annotateKey({
    description: "The name that its maker gave it. A rotation passes it on to the successor."
  }),
  project_id: Schema.String.annotateKey({ description: "The project that the credential acts in." }),
  state: meanings("Whether the credential works.", {
    active: "It works.",
    expired: "Its expiry, or that of one of its makers, is over.",
    suspended: "Its project is being deleted or its account is closing. `held` has the reasons.",
    revoked: "It was revoked, or replaced by a rotation, or one of its makers was removed. It never works again."
  }),
  revoked: Schema.Boolean.annotateKey({ description: "True when `state` is `revoked`." }),
  client_id: Schema.String.annotateKey({
    description: "The machine user's name at the identity provider, for the `client_credentials` grant."
  }),
  created_at: Schema.String.annotateKey({ description: "When it was minted: RFC 3339, UTC." }),
  created_by: Schema.String.annotateKey({
    description: "The user id of the caller that minted it; `onboarding` for the first credential of a project."
  }),
  made_by: Schema.NullOr(Schema.String).annotateKey({
    description:
      "Its maker, which bounds its rights now: the `credential_id` of a credential, the user id of a person, or the " +
      "`issuer_id` of a workload's cluster. Null when no record bounds it: the first credential of a project, and one " +
      "whose maker no longer exists. A rotation passes it on, so it may differ from `created_by`."
  }),
  expires_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When it ends by itself, with the first of its makers: RFC 3339, UTC. Null for never."
  }),
  revoked_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When it was revoked: RFC 3339, UTC. Null unless `state` is `revoked`."
  }),
  held: Schema.Array(
    meanings("Why a credential is suspended.", {
      project_deletion: "Its project is being deleted.",
      account_closure: "Its account is closing."
    })
  ).annotateKey({
    description:
      "Why it is suspended. When the list is empty it works again, unless it was revoked or expired meanwhile."
  }),
  networks: Schema.NullOr(Schema.Array(Schema.String)).annotateKey({
    description: "The networks that it may be used from, in CIDR notation. Null for any network."
  }),
  last_used_at: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The last accepted call, reads included, to the minute: RFC 3339, UTC. A first use shows within seconds. Null " +
      "when it was never used."
  }),
  last_used_from: Schema.NullOr(Schema.String).annotateKey({
    description: "The IP address of that call. Null when it was never used."
  }),
  rotated_to: Schema.NullOr(Schema.String).annotateKey({
    description: "The id of the credential that replaces it. Null unless it was rotated."
  }),
  revokes_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When it stops working because it was rotated: RFC 3339, UTC. Null unless it was rotated."
  })
}

/**
 * What an agent's credential may mint: only a credential for agents, of tier 0
 * or 1, for seven days at most (contract, Authentication 8).
 */
export const agentMints = { kind: "mcp", tier: 1, days: 7 } as const

export const CredentialEntry = Schema.Struct(entry).annotate({
  identifier: "Credential",
  description: "A credential of a machine, without its secrets."
})
export type CredentialEntry = typeof CredentialEntry.Type

export const ListedCredential = Schema.Struct({
  ...entry,
  tenant: Schema.optionalKey(
    Schema.Struct({
      slug: Schema.String.annotateKey({ description: "The tenant's slug." }),
      name: Schema.String.annotateKey({ description: "The tenant's name." })
    })
  ).annotateKey({
    description:
      "The tenant that the project belongs to. Only in a platform administrator's list, and absent there when the " +
      "project no longer belongs to a tenant."
  })
}).annotate({ identifier: "ListedCredential", description: "A credential of a machine, as lists show it." })
export type ListedCredential = typeof ListedCredential.Type

const minted = {
  ...entry,
  client_secret: OneTime.annotateKey({
    description: "The secret that belongs to `client_id`. The gateway stores it nowhere."
  }),
  pat: OneTime.annotateKey({
    description:
      "A personal access token: the API takes it as a Bearer until the credential is revoked or expires. The gateway " +
      "stores only its hash."
  })
}

export const Minted = Schema.Struct(minted).annotate({
  identifier: "MintedCredential",
  description: "A new credential with its secrets. No other response contains them."
})
export type Minted = typeof Minted.Type

export const RotateRequest = Schema.Struct({
  overlap_seconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))
    .annotateKey({
      description: "The seconds that the old credential keeps working: 0 to 86400, a day. Default: 3600, an hour."
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(3600)))
}).annotate({ identifier: "RotateRequest", description: "A rotation." })
export type RotateRequest = typeof RotateRequest.Type

export const Rotated = Schema.Struct({
  ...minted,
  predecessor: CredentialEntry.annotateKey({ description: "The credential that is replaced." })
}).annotate({
  identifier: "RotatedCredential",
  description: "The successor with its secrets, which no other response contains, and the credential that it replaces."
})
export type Rotated = typeof Rotated.Type

export const UsageEntry = Schema.Struct({
  credential_id: Schema.String.annotateKey({ description: "The credential's id." }),
  label: Schema.String.annotateKey({ description: "The credential's label." }),
  project_id: Schema.String.annotateKey({ description: "The project that the credential acts in." }),
  call_count: Schema.Int.annotateKey({
    description:
      "The number of writes that were answered below 400, and of agents' tool calls, over the credential's whole life. " +
      "Reads, mints, rotations and token exchanges do not count."
  }),
  last_used_at: Schema.NullOr(Schema.String).annotateKey({
    description: "The last counted call: RFC 3339, UTC. Null when none was counted."
  })
}).annotate({ identifier: "CredentialUsage", description: "How much a credential was used." })
export type UsageEntry = typeof UsageEntry.Type

const credentialId = { credential_id: Schema.String.annotateKey({ description: "The credential's id, `cred-…`." }) }

/** The codes with which the API refuses to mint a credential, on every route that mints one. */
export const mintCodes = [
  "agent_mints_agents",
  "credential_allowance_reached",
  "credential_beyond_own",
  "credential_chain_too_long",
  "credential_expired",
  "credential_outlives_own",
  "credential_revoked",
  "credential_suspended",
  "tier_too_low",
  "token_inactive",
  "upstream_failed"
] as const

/** Minting is for tenants. Both planes. */
const minting = HttpApiEndpoint.post("mint", "/credentials", {
  payload: MintRequest,
  success: Minted.pipe(HttpApiSchema.status(201)),
  error: failures(...mintCodes)
})
  // A caller may mint its own tier, so a tier-0 credential may mint another one.
  .annotate(MinimumTier, 0)
  .annotate(AnswersSecret, "new")
  .annotateMerge(
    described(
      "Mint a credential",
      "Creates a machine user at the identity provider, with a client secret and a personal access token, that acts in " +
        "the caller's project. The response is the only one with the two secrets; the credential works at once.\n\n" +
        "- The caller is its maker. The caller's tier, networks, access to costs and access policies bound the credential " +
        "from then on, and it ends when one of its makers expires, is revoked or is removed. A credential has 16 makers " +
        "in its chain at most; one more is a 409.\n" +
        "- It needs the tier that it mints. A platform administrator, who has no project, cannot mint.\n" +
        "- Live credentials and members together may number 20, 100 or 500 with the project's tier (`discovery`, " +
        "`standard`, `extension`). One more is a 409.\n" +
        "- A failed mint, and one whose client disconnects, leaves no credential behind."
    )
  )
  .middleware(Creates)
  .middleware(TenantScoped)

/**
 * Like minting. A caller rotates its own credential with its tier; another one
 * needs tier 2, because that credential ends. Both planes.
 */
const rotating = HttpApiEndpoint.post("rotate", "/credentials/:credential_id/rotate", {
  params: credentialId,
  payload: optionalBody(RotateRequest),
  success: Rotated.pipe(HttpApiSchema.status(201)),
  error: failures(
    "agent_mints_agents",
    "credential_above_caller",
    "credential_beyond_own",
    "credential_expired",
    "credential_not_active",
    "credential_not_found",
    "credential_outlives_own",
    "credential_revoked",
    "credential_rotated",
    "credential_suspended",
    "policy_denied",
    "predecessor_lives",
    "rotation_in_progress",
    "tier_too_low",
    "token_inactive",
    "upstream_failed"
  )
})
  .annotate(MinimumTier, 0)
  .annotate(AnswersSecret, "new")
  .annotateMerge(
    described(
      "Replace a credential",
      "Mints a successor with the same kind, tier, label, networks, organisation unit and expiry, and returns its " +
        "secrets. Both credentials work for `overlap_seconds`; then the old one is revoked.\n\n" +
        "- With its own tier a caller rotates itself and the credentials that it made. The successor keeps the " +
        "makers, and takes over the credentials that the old one made.\n" +
        "- Another caller's credential needs tier 2, and the caller must be allowed to mint one like it. The caller " +
        "becomes the successor's maker. None that the caller comes from can be rotated with it (403).\n" +
        "- The two share one place in the project's allowance of credentials, so a rotation works when it is used up.\n" +
        "- A credential that is revoked, expired, suspended or already rotated is a 409, and so is one whose own " +
        "predecessor still works.\n" +
        "- A rotation that fails leaves the old credential as it was, and no new one."
    )
  )
  .middleware(Creates)
  .middleware(TenantScoped)

const listQuery = {
  include_revoked: QueryFlag(
    "Whether revoked credentials are listed too; they are kept as an audit trail. Default: `false`."
  ),
  label: Schema.optionalKey(Label).annotateKey({
    description: "Lists only the credentials with exactly this label. Several credentials may have the same one."
  }),
  ...pageQuery
}

/** The longest time without use that a list can ask for: ten years. */
const mostUnusedDays = 3650

const credentialListQuery = {
  ...listQuery,
  kind: Schema.optionalKey(CredentialKind).annotateKey({
    description: "Lists only the credentials of this kind."
  }),
  made_by: Schema.optionalKey(plainText(200)).annotateKey({
    description:
      "Lists only the credentials that this maker made, as `made_by` names it: a `credential_id`, the user id of a " +
      "person, or an `issuer_id`. Credentials that those made in turn are not listed."
  }),
  unused_days: Schema.optionalKey(
    Schema.NumberFromString.check(
      Schema.isInt({ expected: "a whole number" }),
      Schema.isBetween({ minimum: 1, maximum: mostUnusedDays })
    )
  ).annotateKey({
    description:
      "Lists only the credentials that are older than this many days and were not used within them, the longest unused " +
      "first: 1 to 3650. Expired ones are among them, and revoked ones never: with `include_revoked=true` it is a 422."
  })
}

/** Both planes. An administrator sees all credentials, a tenant its own. */
export class Credentials extends HttpApiGroup.make("credentials")
  .add(
    minting,
    HttpApiEndpoint.get("list", "/credentials", {
      query: credentialListQuery,
      success: pageList("CredentialList", {
        credentials: Schema.Array(ListedCredential).annotateKey({
          description: "The credentials of this page, oldest first, or with `unused_days` the longest unused first."
        })
      }),
      error: failures("tenant_required", "validation_error")
    }).annotateMerge(
      described(
        "List credentials",
        "Lists the machine credentials of the caller's project with their state, tier and last use, oldest first, " +
          "without secrets and without the memberships of people. A platform administrator on the operator plane gets " +
          "those of all projects, each with its tenant. Filters add up, and `count` is the number of credentials " +
          "that match all."
      )
    ),
    HttpApiEndpoint.get("usage", "/credentials/usage", {
      query: listQuery,
      success: pageList("CredentialUsageList", {
        usage: Schema.Array(UsageEntry).annotateKey({
          description: "The usage of the credentials of this page, oldest credential first."
        })
      }),
      error: failures("tenant_required")
    }).annotateMerge(
      described(
        "Count the calls of credentials",
        "Lists for each machine credential of the caller's project how many writes it completed and when it last did, " +
          "about a second after the call. Reads never count, so a read-only credential shows 0; its last use of any kind " +
          "is `last_used_at` in the list of credentials. A platform administrator on the operator plane gets those of " +
          "all projects."
      )
    ),
    rotating,
    HttpApiEndpoint.delete("revoke", "/credentials/:credential_id", {
      params: credentialId,
      success: CredentialEntry,
      error: failures("credential_not_found", "upstream_failed")
    })
      // A leaked key must be revocable before the others work again.
      .annotate(WhileClosing, true)
      .annotateMerge(
        described(
          "Revoke a credential",
          "Ends a credential for good, together with every credential that was minted with it, however indirectly. All " +
            "of them stop working at once; a replica of the gateway that misses the revocation accepts them for 60 seconds " +
            "at most. The record stays. To keep the credentials that a leaked one made, rotate it instead. A " +
            "successor by which it replaced itself, and that still overlaps with it, ends too, unless it is the " +
            "caller.\n\n" +
            "It may be repeated, and works while the project is being deleted or its account is closing. When the " +
            "identity provider fails, the answer is a 502 and the credential still works. Memberships of people " +
            "are not revoked here; remove the person."
        )
      )
  )
  .annotateMerge(
    titled(
      "Credentials",
      "A credential lets a machine call the API. It is a user at the identity provider with a client secret and a " +
        "personal access token, bound to one project and one permission tier (0 reads, 1 writes too, 2 deletes too). Its makers are the caller " +
        "that minted it and that caller's own makers; it may never do more than they may do now."
    )
  )
  .pipe(callerRoutes) {}
