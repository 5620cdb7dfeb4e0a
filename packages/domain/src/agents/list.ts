import type { Caller } from "@portico/contract/Access"
import type { AgentEntry } from "@portico/contract/Agents"
import { NotFound } from "@portico/contract/Failures"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import type { DerivedRow } from "@portico/store/Credentials"
import { Pages } from "@portico/store/Pages"
import { Tenants } from "@portico/store/Tenants"
import { type AgentUsage, Usage } from "@portico/store/Usage"
import { Effect } from "effect"
import { listedProject } from "../access/reach.ts"
import { positionOf, toWire } from "../credentials/list.ts"
import { isoOrNull } from "../isoOrNull.ts"

/**
 * The credentials for agents of the caller's tenant, oldest first, each with its tool calls. A platform administrator
 * gets those of all tenants, or of the project that it names.
 *
 * Errors: 404 for a project that is not the caller's, or does not exist.
 */
export const listAgents = Effect.fn("agents.list")(function* (
  caller: Caller,
  includeRevoked: boolean,
  named: string | undefined,
  page: PageRequest
) {
  const own = yield* Effect.fromResult(listedProject(caller))
  const projectId = own ?? named
  const isKnown = named === undefined || named === own
  if (!isKnown && (own !== undefined || (yield* (yield* Tenants).find(named)) === undefined)) {
    return yield* NotFound.tenant(named)
  }
  const found = yield* (yield* Pages).credentials({ projectId, includeRevoked, kind: "mcp" }, page)
  const { next_cursor, rows } = pageOf(found.rows, page, positionOf)
  const activity = yield* usageOf(rows.map((_) => _.credential_id))
  const agents = yield* Effect.forEach(rows, (row) => entryOf(row, activity.get(row.credential_id)))
  return { count: found.count, next_cursor, agents }
})

const entryOf = Effect.fnUntraced(function* (row: DerivedRow, activity: AgentUsage | undefined) {
  const shown = yield* toWire(row)
  return {
    credential_id: shown.credential_id,
    label: shown.label,
    // On the agent plane every credential acts with tier 1 at most.
    tier: shown.tier === 0 ? 0 : 1,
    project_id: shown.project_id,
    state: shown.state,
    created_by: shown.created_by,
    created_at: shown.created_at,
    expires_at: shown.expires_at,
    last_used_at: shown.last_used_at,
    last_used_from: shown.last_used_from,
    last_tool: activity?.last_tool ?? null,
    last_call_at: isoOrNull(activity?.last_call_at ?? null),
    calls: activity?.calls ?? 0,
    refused: activity?.refused ?? 0
  } satisfies AgentEntry
})

/** The tool calls of credentials, by credential id. A credential that called no tool is absent. */
const usageOf = Effect.fnUntraced(function* (credentialIds: ReadonlyArray<string>) {
  const rows = yield* (yield* Usage).agents(credentialIds)
  return new Map(rows.map((_) => [_.credential_id, _]))
})
