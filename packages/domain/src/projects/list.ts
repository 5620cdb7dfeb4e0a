import type { Caller } from "@portico/contract/Access"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import { Accounts } from "@portico/store/Accounts"
import { Pages } from "@portico/store/Pages"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { DateTime, Effect } from "effect"
import { reachOf } from "../access/reach.ts"
import { toWire } from "./show.ts"

const positionOf = ({ created_at, project_id }: TenantEntry) => ({
  at: DateTime.toEpochMillis(created_at),
  id: project_id
})

/** A page of projects, oldest first. An administrator sees every project, a tenant those of its account. */
export const listProjects = Effect.fn("projects.list")(function* (caller: Caller, request: PageRequest) {
  const reach = yield* Effect.fromResult(reachOf(caller))
  const { count, rows } = yield* reach.kind === "platform"
    ? (yield* Pages).tenants(request)
    : ofAccount(reach.tenant.projectId, request)
  const page = pageOf(rows, request, positionOf)
  return { count, next_cursor: page.next_cursor, projects: page.rows.map(toWire) }
})

/**
 * The projects of the tenant's account, read whole: an account has few. A
 * project without an account is listed alone.
 */
const ofAccount = Effect.fnUntraced(function* (projectId: string, { after, limit }: PageRequest) {
  const account = yield* (yield* Accounts).findByProject(projectId)
  const tenants = yield* Tenants
  const found = yield* Effect.forEach(account?.projects ?? [projectId], tenants.find)
  const all = found.filter((_) => _ !== undefined).toSorted((a, b) => compare(positionOf(a), positionOf(b)))
  const behind = after === undefined ? all : all.filter((_) => compare(positionOf(_), after) > 0)
  return { count: all.length, rows: behind.slice(0, limit + 1) }
})

type Position = ReturnType<typeof positionOf>

const compare = (a: Position, b: Position): number => a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
