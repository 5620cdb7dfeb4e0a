import type { Position } from "@portico/contract/Page"
import { type AccountEntry, Accounts, numberOf } from "@portico/store/Accounts"
import type { CredentialRow } from "@portico/store/Credentials"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

/** Accounts in memory. */
const make = Effect.gen(function* () {
  const { accounts, credentials, tenants } = yield* Memory
  const ofAccount = (number: number) => [...tenants.values()].filter((_) => _.account_n === number)
  const projectIds = (number: number) => ofAccount(number).map((_) => _.project_id)
  const read = (entry: AccountEntry | undefined): AccountEntry | undefined =>
    entry && { ...entry, projects: projectIds(entry.number) }
  const find = (number: number) => Effect.sync(() => read(accounts.get(number)))

  /** Atomic, like a statement: it decides by the current row, and no other change comes between. */
  const change = (
    number: number,
    decide: (entry: AccountEntry, now: number) => Partial<AccountEntry> | undefined
  ): Effect.Effect<AccountEntry | undefined> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const entry = read(accounts.get(number))
      const decided = entry && decide(entry, now)
      if (entry === undefined || decided === undefined) return undefined
      accounts.set(number, { ...entry, ...decided, projects: [] })
      return read(accounts.get(number))
    })

  return {
    open: ({ name, projectId }) =>
      Effect.map(DateTime.now, (created_at) => {
        const number = accounts.size + 1
        accounts.set(number, { ...untouched, number, name, created_at })
        const tenant = tenants.get(projectId)
        if (tenant !== undefined) tenants.set(projectId, { ...tenant, account_n: number })
        return { ...untouched, number, name, created_at, projects: projectIds(number) }
      }),
    find,
    findByProject: (projectId) =>
      Effect.suspend(() => {
        const number = tenants.get(projectId)?.account_n
        return number == null ? Effect.undefined : find(number)
      }),
    lock: find,
    projects: (number) =>
      Effect.sync(() =>
        ofAccount(number).map(({ name, project_id, slug, tier }) => ({ project_id, name, slug, tier }))
      ),
    members: (number) =>
      Effect.sync(() => {
        const projects = projectIds(number)
        const isMember = ({ kind, state }: CredentialRow) =>
          kind === "member" && (state === "active" || state === "suspended")
        return [...credentials.values()].filter((_) => isMember(_) && projects.includes(_.project_id)).length
      }),
    page: (state, { after, limit }) =>
      Effect.sync(() => {
        const all = [...accounts.keys()].flatMap((number) => read(accounts.get(number)) ?? [])
        const wanted = all.filter((_) => state === undefined || _.state === state)
        return {
          count: wanted.length,
          rows: wanted.filter((_) => after === undefined || isBehind(_, after)).slice(0, limit + 1)
        }
      }),
    close: (number, { by, closure, reason, windowDays }) =>
      change(number, ({ state }, now) =>
        state !== "open"
          ? undefined
          : {
              state: "closing",
              closure,
              window_days: windowDays,
              closed_by: by,
              closed_at: DateTime.makeUnsafe(now),
              reason,
              closes_at: DateTime.makeUnsafe(now + Duration.toMillis(Duration.days(windowDays)))
            }
      ),
    reopen: (number) =>
      change(number, (entry, now) =>
        entry.state === "closing" && entry.destroyer === null && !isOver(entry, now)
          ? {
              state: "open",
              closure: null,
              window_days: null,
              closed_by: null,
              closed_at: null,
              reason: null,
              closes_at: null
            }
          : undefined
      ),
    condemn: (number, { by, reason, wake }) =>
      change(number, (entry, now) => {
        const fresh = entry.destroyer === null && (isOver(entry, now) || reason !== null)
        const again = entry.refusal !== null && !entry.trying
        return entry.state === "closing" && (fresh || again)
          ? { destroyer: wake, finalized_by: by, finalize_reason: reason ?? entry.finalize_reason }
          : undefined
      }),
    begin: (number, closure, wake) =>
      change(number, (entry, now) => {
        const due = entry.destroyer === null && isOver(entry, now)
        if (entry.state !== "closing" || entry.closure !== closure || !(due || entry.destroyer === wake)) return
        const destroyed_projects = entry.attempts === 0 ? entry.projects : entry.destroyed_projects
        return { destroyer: wake, trying: true, attempts: entry.attempts + 1, destroyed_projects }
      }),
    refuse: (number, wake, words) =>
      Effect.asVoid(
        change(number, (entry, now) =>
          entry.destroyer === wake && entry.state === "closing"
            ? { trying: false, refusal: words, refused_at: DateTime.makeUnsafe(now) }
            : undefined
        )
      ),
    destroy: (number, wake) =>
      change(number, (entry, now) =>
        entry.destroyer === wake && entry.state === "closing" && entry.projects.length === 0
          ? {
              state: "destroyed",
              destroyed_at: DateTime.makeUnsafe(now),
              trying: false,
              refusal: null,
              refused_at: null
            }
          : undefined
      ),
    vacate: (number, projectId) =>
      change(number, (entry, now) =>
        entry.state !== "destroyed" && entry.destroyer === null && entry.projects.length === 0
          ? { state: "destroyed", destroyed_at: DateTime.makeUnsafe(now), destroyed_projects: [projectId] }
          : undefined
      )
  } satisfies Accounts["Service"]
})

export const layer = Layer.effect(Accounts, Effect.map(make, Accounts.of))

const untouched = {
  state: "open",
  closure: null,
  window_days: null,
  closed_by: null,
  closed_at: null,
  reason: null,
  closes_at: null,
  destroyer: null,
  finalized_by: null,
  finalize_reason: null,
  trying: false,
  attempts: 0,
  refusal: null,
  refused_at: null,
  destroyed_at: null,
  destroyed_projects: [],
  projects: []
} satisfies Partial<AccountEntry>

const isOver = ({ closes_at }: AccountEntry, now: number): boolean =>
  closes_at !== null && DateTime.toEpochMillis(closes_at) <= now

const isBehind = ({ created_at, number }: AccountEntry, { at, id }: Position): boolean => {
  const created = DateTime.toEpochMillis(created_at)
  return created > at || (created === at && number > numberOf(id))
}
