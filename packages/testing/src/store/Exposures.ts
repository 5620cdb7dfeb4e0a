import { Exposures } from "@portico/store/Exposures"
import {
  claimable,
  type ClaimRow,
  type ExposureEntry,
  type ExposureRow,
  firstDueAfter,
  isForgotten,
  provable,
  claimRetention
} from "@portico/store/edgeRows"
import { DateTime, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"
import { within } from "./within.ts"

const keyOf = ({ domain, project_id }: Pick<ClaimRow, "domain" | "project_id">): string => `${domain} ${project_id}`

const byAge = (a: ExposureRow, b: ExposureRow): number =>
  DateTime.toEpochMillis(a.created_at) - DateTime.toEpochMillis(b.created_at) ||
  (a.exposure_id < b.exposure_id ? -1 : 1)

/** Exposures and claims in memory. Each operation is atomic, like a transaction. */
const make = ({ edgeClaims, exposures }: Memory["Service"]): Exposures["Service"] => {
  const put = (claim: ClaimRow) => edgeClaims.set(keyOf(claim), claim)
  const claimOf = (exposureId: string) => [...edgeClaims.values()].find((_) => _.exposure_id === exposureId)
  const claimsOf = (domain: string) => [...edgeClaims.values()].filter((_) => _.domain === domain)

  const entry = (row: ExposureRow): ExposureEntry => {
    const claim = claimOf(row.exposure_id)
    return {
      ...row,
      challenge: claim?.challenge ?? null,
      claimed_at: claim?.claimed_at ?? null,
      held_until: claim?.held_until ?? null,
      verified_at: claim?.verified_at ?? null
    }
  }
  const found = (exposureId: string): ExposureEntry | undefined => {
    const row = exposures.get(exposureId)
    return row === undefined ? undefined : entry(row)
  }
  const change = (exposureId: string, to: Partial<ExposureRow>) => {
    const row = exposures.get(exposureId)
    if (row !== undefined) exposures.set(exposureId, { ...row, ...to })
  }
  const forget = (now: DateTime.Utc) => {
    for (const [key, { released_at }] of edgeClaims) {
      if (
        released_at !== null &&
        !DateTime.isGreaterThan(released_at, DateTime.subtractDuration(now, claimRetention))
      ) {
        edgeClaims.delete(key)
      }
    }
  }

  return {
    insert: Effect.fnUntraced(function* (exposure, claiming) {
      const now = yield* DateTime.now
      const { domain, exposure_id, name, project_id } = exposure
      const all = [...exposures.values()]
      if (all.some((_) => _.project_id === project_id && _.name === name && _.removing === null)) return "name_taken"
      if (domain !== null && claiming !== undefined) {
        forget(now)
        const held = claimsOf(domain).map((_) => ({
          ..._,
          removing: (_.exposure_id === null ? undefined : exposures.get(_.exposure_id)?.removing) ?? null
        }))
        const outcome = claimable(held, claiming, now)
        if (typeof outcome === "string") return outcome
        const { challenge } = claiming
        put({
          domain,
          project_id,
          exposure_id,
          challenge,
          claimed_at: now,
          held_until: outcome.held_until,
          verified_at: null,
          released_at: null
        })
      }
      const row = {
        ...exposure,
        lost: false,
        removing: null,
        due_at: DateTime.addDuration(now, firstDueAfter),
        created_at: now
      }
      exposures.set(exposure_id, row)
      return entry(row)
    }),
    find: (exposureId, projectId) => Effect.sync(() => within(found(exposureId), projectId)),
    list: (projectId) =>
      Effect.sync(() =>
        [...exposures.values()]
          .filter((_) => _.project_id === projectId)
          .toSorted(byAge)
          .map(entry)
      ),
    challengeOfOther: (domain, projectId) =>
      Effect.sync(() => claimsOf(domain).find((_) => _.verified_at !== null && _.project_id !== projectId)?.challenge),
    prove: Effect.fnUntraced(function* ({ domain, exposure_id }, overlooking) {
      const now = yield* DateTime.now
      if (domain === null) return "gone"
      const outcome = provable(claimsOf(domain), { exposureId: exposure_id, overlooking })
      if (typeof outcome === "string") return outcome
      const { displaced } = outcome
      if (displaced !== undefined) {
        put({ ...displaced, verified_at: null, held_until: null })
        if (displaced.exposure_id !== null) change(displaced.exposure_id, { due_at: now })
      }
      const own = claimOf(exposure_id)
      if (own !== undefined) put({ ...own, verified_at: own.verified_at ?? now, held_until: null })
      return { displaced: displaced?.exposure_id == null ? undefined : found(displaced.exposure_id) }
    }),
    setLost: (exposureId, lost) => Effect.sync(() => change(exposureId, { lost })),
    markRemoving: Effect.fnUntraced(function* (exposureId, why, wait) {
      const due_at = DateTime.addDuration(yield* DateTime.now, wait)
      change(exposureId, { removing: exposures.get(exposureId)?.removing ?? why, due_at })
    }),
    drop: Effect.fnUntraced(function* (exposureId) {
      const released_at = yield* DateTime.now
      const row = exposures.get(exposureId)
      const claim = claimOf(exposureId)
      exposures.delete(exposureId)
      if (claim === undefined) return
      if (isForgotten(claim, row?.removing ?? null)) edgeClaims.delete(keyOf(claim))
      else put({ ...claim, exposure_id: null, held_until: null, verified_at: null, released_at })
    }),
    claimDue: Effect.fnUntraced(function* (limit, { address, service }) {
      const now = yield* DateTime.now
      const due = [...exposures.values()]
        .filter((_) => !DateTime.isGreaterThan(_.due_at, now))
        .toSorted((a, b) => DateTime.toEpochMillis(a.due_at) - DateTime.toEpochMillis(b.due_at))
        .slice(0, limit)
      for (const _ of due) {
        change(_.exposure_id, { due_at: DateTime.addDuration(now, _.address === null ? service : address) })
      }
      return due.toSorted(byAge).flatMap((_) => found(_.exposure_id) ?? [])
    }),
    known: (exposureIds) => Effect.sync(() => new Set(exposureIds.filter((_) => exposures.has(_)))),
    prune: Effect.map(DateTime.now, forget),
    removeOfProject: (projectId) =>
      Effect.sync(() => {
        for (const [id, row] of exposures) if (row.project_id === projectId) exposures.delete(id)
        for (const [key, claim] of edgeClaims) if (claim.project_id === projectId) edgeClaims.delete(key)
      })
  }
}

export const layer = Layer.effect(Exposures, Effect.map(Memory, make))
