import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  ActsOn,
  AnswersSecret,
  MinimumTier,
  OwnersAlways,
  PermissionTier,
  TenantScoped,
  WhileClosing
} from "./Access.ts"
import { agentMints, CredentialEntry, mintCodes, Minted, MintRequest } from "./Credentials.ts"
import { described, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { callerRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { pageList, pageQuery } from "./Page.ts"
import { QueryFlag } from "./QueryFlag.ts"

const { credential_id, last_used_at, last_used_from, project_id, state } = CredentialEntry.fields

export const AgentRequest = Schema.Struct({
  label: MintRequest.fields.label,
  tier: Schema.Literals([0, 1])
    .annotateKey({
      description:
        "The permission tier of the agent; not above the caller's own. Default: `0`.\n\n" +
        "- `0`: It reads.\n" +
        "- `1`: It creates, changes and acts as well."
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(0 as const))),
  expires_in_days: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: agentMints.days }))
  ).annotateKey({
    description:
      "The days until the credential expires, counted from now; not after the caller's own end. Without it the credential " +
      "ends after 7 days, or with the caller when that is earlier."
  }),
  networks: MintRequest.fields.networks
}).annotate({ identifier: "AgentRequest", description: "A new credential for an agent." })
export type AgentRequest = typeof AgentRequest.Type

export const AgentEntry = Schema.Struct({
  credential_id,
  label: Schema.String.annotateKey({ description: "The name that its maker gave it." }),
  tier: PermissionTier.annotateKey({
    description:
      "The permission tier that the agent has now: at most 1, and at most the tier of its makers. The access " +
      "policies of its organisation unit may lower it further."
  }),
  project_id,
  state,
  created_by: CredentialEntry.fields.created_by,
  created_at: CredentialEntry.fields.created_at,
  expires_at: CredentialEntry.fields.expires_at,
  last_used_at,
  last_used_from,
  last_tool: Schema.NullOr(Schema.String).annotateKey({
    description: "The tool that it called last. Null when it called none."
  }),
  last_call_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When it last called a tool: RFC 3339, UTC. Null when it called none."
  }),
  calls: Schema.Int.annotateKey({ description: "The number of its tool calls, refused ones too." }),
  refused: Schema.Int.annotateKey({ description: "The number of its tool calls that were refused." })
}).annotate({ identifier: "Agent", description: "A credential of kind `mcp`, and its use." })
export type AgentEntry = typeof AgentEntry.Type

export const AgentsEnded = Schema.Struct({
  ended: Schema.Int.annotateKey({
    description: "The number of credentials that worked, or were suspended, and that this call revoked."
  }),
  ended_at: Schema.String.annotateKey({
    description: "When: RFC 3339, UTC. Tokens of people that were issued before are refused at the agent plane."
  })
}).annotate({ identifier: "AgentsEnded", description: "The end of all agents of a tenant." })
export type AgentsEnded = typeof AgentsEnded.Type

/** What a person confirms unless the policy says otherwise. */
export const confirmedByDefault: ReadonlyArray<string> = ["billed", "irreversible"]

const Confirm = Schema.Array(
  Schema.String.check(
    Schema.isPattern(/^[a-z][a-z0-9_]{0,63}$/, {
      expected: "billed, irreversible, writes, person, or the name of a tool: at most 64 characters a-z, 0-9 and _"
    })
  )
).check(Schema.isMaxLength(100))

const confirmed =
  "Which tool calls the client's person confirms, at most 100 entries: `billed` (calls that cost money), `irreversible` " +
  "(calls that an agent cannot undo), `writes` (every call that changes something), or the name of a tool such as " +
  "`compute_write`. With `person` only the person's answer in the client confirms: a client that cannot ask is refused, " +
  "and gets no plan."

const policy = {
  enabled: Schema.Boolean.annotateKey({
    description:
      "Whether agents of the tenant may use the agent plane. When false, each of their requests there is a 403."
  }),
  confirm: Confirm.annotateKey({ description: confirmed })
}

export const AgentPolicyDocument = Schema.Struct({
  ...policy,
  updated_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When the policy was last replaced: RFC 3339, UTC. Null when it never was."
  }),
  updated_by: Schema.NullOr(Schema.String).annotateKey({
    description: "The user id of the caller that last replaced it. Null when it never was."
  }),
  ended_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When all agents of the tenant were last ended: RFC 3339, UTC. Null when they never were."
  })
}).annotate({ identifier: "AgentPolicy", description: "A tenant's rules for its agents." })
export type AgentPolicyDocument = typeof AgentPolicyDocument.Type

export const AgentPolicyRequest = Schema.Struct({
  enabled: policy.enabled
    .annotateKey({
      description:
        "Whether agents of the tenant may use the agent plane. When false, each of their requests there is a 403. " +
        "Default: true."
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  confirm: Confirm.annotateKey({
    description: `${confirmed} Default: \`billed\` and \`irreversible\`. An empty list asks for no confirmation.`
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(confirmedByDefault)))
}).annotate({ identifier: "AgentPolicyRequest", description: "The policy for a tenant's agents." })
export type AgentPolicyRequest = typeof AgentPolicyRequest.Type

const project = {
  project_id: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "The tenant's project. Default: the caller's own, and any other is a 404. Platform administrators, who have none, " +
      "must send it."
  })
}

const minting = HttpApiEndpoint.post("mint", "/agents", {
  payload: AgentRequest,
  success: Minted.pipe(HttpApiSchema.status(201)),
  error: failures(...mintCodes)
})
  .annotate(MinimumTier, 0)
  .annotate(AnswersSecret, "new")
  .annotate(ActsOn, ["credentials"])
  .annotateMerge(
    described(
      "Mint a credential for an agent",
      "Creates a credential of kind `mcp` in the caller's project, with a client secret and a personal access token that no " +
        "other response contains. With the token an MCP client connects to the agent plane. `POST /v1/credentials` " +
        "creates the same within an agent's bounds: tier 0 or 1, for 7 days at most. The caller is its maker, " +
        "and bounds it. It counts against the project's allowance of credentials."
    )
  )
  .middleware(Creates)
  .middleware(TenantScoped)

/** Both planes. Credentials of agents, and what a tenant decides about its agents. */
export class Agents extends HttpApiGroup.make("agents")
  .add(
    minting,
    HttpApiEndpoint.get("list", "/agents", {
      query: {
        include_revoked: QueryFlag(
          "Whether revoked credentials are listed too; they are kept as an audit trail. Default: `false`."
        ),
        project_id: Schema.optionalKey(Schema.String).annotateKey({
          description:
            "Lists only the agents of this project. A caller with a project of its own sees no other; any other is a 404."
        }),
        ...pageQuery
      },
      success: pageList("AgentList", {
        agents: Schema.Array(AgentEntry).annotateKey({ description: "The agents of this page, oldest first." })
      }),
      error: failures("tenant_not_found", "tenant_required")
    })
      .annotate(ActsOn, ["credentials"])
      .annotateMerge(
        described(
          "List agents",
          "Lists the credentials of kind `mcp` of the caller's project, oldest first, with their last use and " +
            "their calls, which appear about a second after the call. A platform administrator on the operator " +
            "plane gets those of all projects. People and `api-key` credentials that an agent acts with are not " +
            "listed; their tool calls are events of the topic `agent.actions`."
        )
      ),
    HttpApiEndpoint.delete("end", "/agents", {
      query: project,
      success: AgentsEnded,
      error: failures("owner_required", "tenant_not_found", "tenant_required")
    })
      .annotate(ActsOn, ["credentials"])
      .annotate(WhileClosing, true)
      .annotate(OwnersAlways, true)
      .annotateMerge(
        described(
          "End all agents",
          "Revokes all credentials of kind `mcp` of the project at once, with everything that was minted with them. Their " +
            "next call is a 401, in every replica of the gateway within a second. It is for people with the role " +
            "`customer-owner` and for platform administrators.\n\n" +
            "- Webhooks and integrations that an agent made, or last decided on, are disabled with a reason.\n" +
            "- Other means of an agent end at the agent plane alone: the token of a person who logged in before, " +
            "and `api-key` credentials and mappings of workloads that existed before, get a 401 `agents_ended` there. People " +
            "log in again to connect agents anew; machines need a new credential. The API itself still serves them.\n" +
            "- It does not depend on the identity provider: the credentials are refused from now on, and their users are " +
            "deactivated there afterwards.\n" +
            "- A mint of an agent's credential that runs meanwhile fails. Later ones work; to keep agents out, disable them " +
            "in the policy.\n" +
            "- It may be repeated, and works while the project is suspended or being deleted, and while its account is closing."
        )
      ),
    HttpApiEndpoint.get("showPolicy", "/agents/policy", {
      query: project,
      success: AgentPolicyDocument,
      error: failures("tenant_not_found", "tenant_required")
    }).annotateMerge(
      described(
        "Show the policy for agents",
        "Returns whether agents may use the agent plane, which of their calls a person confirms, and when all agents were " +
          "last ended. Every caller of the project may do so."
      )
    ),
    HttpApiEndpoint.put("putPolicy", "/agents/policy", {
      query: project,
      payload: AgentPolicyRequest,
      success: AgentPolicyDocument,
      error: failures("policy_role_required", "tenant_not_found", "tenant_required")
    })
      .annotate(MinimumTier, 2)
      .annotate(OwnersAlways, true)
      .annotateMerge(
        described(
          "Replace the policy for agents",
          "Sets whether agents of the project may use the agent plane, and which of their calls a person confirms. The " +
            "policy is replaced whole: a field that is left out gets its default. It applies within a second in every " +
            "replica of the gateway. It is for people with the role `customer-owner` or `customer-admin` and for platform " +
            "administrators."
        )
      )
  )
  .annotateMerge(
    titled(
      "Agents",
      "Agents act through MCP at the agent plane, with credentials of kind `mcp`: tier 0 or 1, for 7 days at most. These " +
        "operations mint such credentials, show their calls, end all of them at once, and set the rights of agents."
    )
  )
  .pipe(callerRoutes) {}
