import { Designate } from "@portico/upstream/designate/Designate"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { Effect } from "effect"
import type { Finding } from "./Check.ts"
import { most, page, some } from "./differences.ts"

/** What projects hold at the object gateway and in the name service, of which the database keeps no record. */
export const holdings = Effect.gen(function* () {
  return yield* Effect.all(
    { holders: (yield* Rgw).holders, zones: (yield* Designate).everyZone },
    { concurrency: "unbounded" }
  )
})

export type Holdings = Effect.Success<typeof holdings>

/** The projects of both sides. */
export interface Projects {
  /** Of tenants, of onboardings and deletions that are under way, and of the tenant map. */
  readonly known: ReadonlySet<string>
  /** Those that onboardings made at the platform. */
  readonly onboarded: ReadonlySet<string>
  readonly tenants: ReadonlyArray<{ readonly project_id: string; readonly slug: string }>
}

const fix = `Adopt their projects, or remove what they hold: ${page}, "Buckets, S3 keys and zones"`

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const holderOf = Effect.fnUntraced(function* (projectId: string) {
  const rgw = yield* Rgw
  const buckets = yield* rgw.listBuckets(projectId)
  const keys = (yield* rgw.listKeys(projectId)) ?? []
  const named = buckets.slice(0, most).map((_) => _.name)
  const more = buckets.length > most ? ` and ${buckets.length - most} more` : ""
  const what = buckets.length === 0 ? "no bucket" : `${named.join(" ")}${more}`
  return `${rgw.uid(projectId)} (${what}; ${counted(keys.length, "key")})`
})

const unknownHolders = Effect.fnUntraced(function* ({ holders }: Holdings, { known }: Projects) {
  const unknown = holders.filter((_) => !known.has(_))
  const described = yield* Effect.forEach(unknown.slice(0, most), holderOf, { concurrency: 4 })
  return some([...described, ...unknown.slice(most)], "S3 users, with their buckets and keys, without a tenant", fix)
})

/** Each is asked for by itself: a list may be older than the tenant. */
const missingHolders = Effect.fnUntraced(function* ({ holders }: Holdings, { onboarded, tenants }: Projects) {
  const rgw = yield* Rgw
  const there = new Set(holders)
  const missing = yield* Effect.filter(
    tenants.filter((_) => onboarded.has(_.project_id) && !there.has(_.project_id)),
    (_) => Effect.map(rgw.listKeys(_.project_id), (keys) => keys === undefined),
    { concurrency: 4 }
  )
  return some(
    missing.map((_) => `${_.slug} (${_.project_id})`),
    "tenants without an S3 user",
    'Repair the drift of each, which makes the user anew: docs/operators/operating.md, "Drift"'
  )
})

/** A project that was not onboarded, and is there, may have zones of its own: it is the platform's. */
const unknownZones = Effect.fnUntraced(function* ({ zones }: Holdings, { known, onboarded }: Projects) {
  const keystone = yield* Keystone
  const unknown = zones.filter((_) => !known.has(_.project_id))
  const gone = new Set(
    yield* Effect.filter(
      new Set(unknown.map((_) => _.project_id).filter((_) => !onboarded.has(_))),
      (_) => Effect.map(keystone.getProject(_), (found) => found === undefined),
      { concurrency: 4 }
    )
  )
  return some(
    unknown
      .filter((_) => onboarded.has(_.project_id) || gone.has(_.project_id))
      .map((_) => `${_.name} (${_.project_id})`),
    "zones without a tenant",
    fix
  )
})

/** S3 users and zones whose project the database does not know, and tenants without an S3 user. */
export const heldByNobody = Effect.fnUntraced(function* (held: Holdings, projects: Projects) {
  const found: ReadonlyArray<ReadonlyArray<Finding>> = [
    yield* unknownHolders(held, projects),
    yield* missingHolders(held, projects),
    yield* unknownZones(held, projects)
  ]
  return found.flat()
})
