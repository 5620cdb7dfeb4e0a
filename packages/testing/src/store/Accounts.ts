import type { Position } from "@portico/contract/Page"
import { type AccountEntry, accountLease, Accounts, numberOf, pauseAfter } from "@portico/store/Accounts"
import type { CredentialRow } from "@portico/store/Credentials"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
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

  const changeHeld = (
    { lease, number }: AccountEntry,
    decide: (entry: AccountEntry, now: number) => Partial<AccountEntry> | undefined
  ) => change(number, (entry, now) => (lease !== null && entry.lease === lease ? decide(entry, now) : undefined))

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
    close: (number, { by, reason, windowDays }) =>
      change(number, ({ state }, now) =>
        state !== "open"
          ? undefined
          : {
              state: "closing",
              window_days: windowDays,
              closed_by: by,
              closed_at: DateTime.makeUnsafe(now),
              reason,
              closes_at: later(now, Duration.days(windowDays))
            }
      ),
    reopen: (number) =>
      change(number, (entry, now) =>
        entry.state === "closing" && entry.destroyer === null && !isOver(entry, now)
          ? { state: "open", window_days: null, closed_by: null, closed_at: null, reason: null, closes_at: null }
          : undefined
      ),
    condemn: (number, { by, reason }) =>
      change(number, (entry, now) => {
        const fresh = entry.destroyer === null && (isOver(entry, now) || reason !== null)
        const again = entry.refusal !== null && !isPast(entry.due_at, now)
        return entry.state === "closing" && entry.lease === null && (fresh || again)
          ? {
              ...released,
              due_at: DateTime.makeUnsafe(now),
              destroyer: by,
              finalized_by: by,
              failures: 0,
              finalize_reason: reason ?? entry.finalize_reason
            }
          : undefined
      }),
    claim: Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const dueAt = ({ closes_at, due_at }: AccountEntry) => due_at ?? closes_at
      const [due] = [...accounts.values()]
        .filter((_) => _.state === "closing" && isPast(dueAt(_), now) && isFree(_, now))
        .toSorted((a, b) => Number(dueAt(a)?.epochMilliseconds) - Number(dueAt(b)?.epochMilliseconds))
      if (due === undefined) return Effect.undefined
      return change(due.number, ({ attempts, destroyed_projects, destroyer, projects }) => ({
        lease: randomUUID(),
        lease_ends: later(now, accountLease),
        destroyer: destroyer ?? "window",
        attempts: attempts + 1,
        destroyed_projects: attempts === 0 ? projects : destroyed_projects
      }))
    }),
    renew: (held) =>
      Effect.map(
        changeHeld(held, (_, now) => ({ lease_ends: later(now, accountLease) })),
        (_) => _ !== undefined
      ),
    release: (held) => Effect.asVoid(changeHeld(held, (_, now) => ({ ...released, due_at: DateTime.makeUnsafe(now) }))),
    refuse: (held, refusal) =>
      Effect.asVoid(
        changeHeld(held, ({ failures }, now) => ({
          ...released,
          refusal,
          refused_at: DateTime.makeUnsafe(now),
          failures: failures + 1,
          due_at: later(now, pauseAfter(failures + 1))
        }))
      ),
    destroy: (held) =>
      changeHeld(held, (entry, now) =>
        entry.state === "closing" && entry.projects.length === 0
          ? {
              ...released,
              state: "destroyed",
              destroyed_at: DateTime.makeUnsafe(now),
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
  window_days: null,
  closed_by: null,
  closed_at: null,
  reason: null,
  closes_at: null,
  destroyer: null,
  finalized_by: null,
  finalize_reason: null,
  due_at: null,
  lease: null,
  lease_ends: null,
  attempts: 0,
  failures: 0,
  refusal: null,
  refused_at: null,
  destroyed_at: null,
  destroyed_projects: [],
  projects: []
} satisfies Partial<AccountEntry>

const released = { lease: null, lease_ends: null, due_at: null }

const later = (now: number, duration: Duration.Duration) => DateTime.makeUnsafe(now + Duration.toMillis(duration))

const isPast = (moment: DateTime.Utc | null, now: number): boolean =>
  moment !== null && DateTime.toEpochMillis(moment) <= now

const isOver = ({ closes_at }: AccountEntry, now: number): boolean => isPast(closes_at, now)

const isFree = ({ lease, lease_ends }: AccountEntry, now: number): boolean => lease === null || isPast(lease_ends, now)

const isBehind = ({ created_at, number }: AccountEntry, { at, id }: Position): boolean => {
  const created = DateTime.toEpochMillis(created_at)
  return created > at || (created === at && number > numberOf(id))
}
