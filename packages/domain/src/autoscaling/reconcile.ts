import { AutoscalingGroups, type GroupEntry, type GroupProgress, type Member } from "@portico/store/AutoscalingGroups"
import { Tenants } from "@portico/store/Tenants"
import { Servers } from "@portico/upstream/nova/Servers"
import { Array, Clock, DateTime, Duration, Effect } from "effect"
import { tierOf } from "../limits/tenantTier.ts"
import { type Held, heldBy, underLease } from "../work/lease.ts"
import { reconcile } from "../work/reconcile.ts"
import {
  afterFailures,
  doubtTime,
  groupKey,
  grown,
  isLive,
  isVacant,
  shrunk,
  slotKey,
  standstill,
  withoutOver
} from "./members.ts"
import { observe, type Observed } from "./observe.ts"
import { outcomeOf } from "./outcome.ts"
import { publishLimited, publishScaledOut, publishServerDeleted, serversOf } from "./publish.ts"

const concurrency = 4

/** Runs one step for each due group, until none is due. Any replica may run it. */
export const reconcileGroups = Effect.gen(function* () {
  const groups = yield* AutoscalingGroups
  const claim = Effect.map(groups.claim, Array.fromNullishOr)
  return yield* reconcile({ what: "an autoscaling group", claim, batch: 1, step: reconcileGroup })
}).pipe(Effect.withSpan("autoscaling.reconcileGroups"))

/**
 * One step of one group. A failure or a defect is retried after a growing pause; a defect is also
 * logged.
 *
 * @param claimed a row whose lease the caller holds
 */
export const reconcileGroup = Effect.fn("autoscaling.reconcileGroup")(function* (claimed: GroupEntry) {
  const groups = yield* AutoscalingGroups
  const tenant = yield* (yield* Tenants).find(claimed.project_id)
  if (tenant !== undefined && tenant.closing.length > 0) return yield* groups.release(claimed, {}, standstill)

  const failed = (reason: string) => {
    const failures = claimed.failures + 1
    return groups.release(claimed, { state: "failing", reason, failures }, afterFailures(failures))
  }
  const guarded = Effect.catchTags(step(claimed, tenant !== undefined && tenant.suspended), {
    UpstreamError: ({ summary }) => failed(summary),
    Unavailable: ({ detail }) => failed(detail),
    NotFound: ({ detail }) => failed(detail),
    Lost: () => Effect.as(Effect.logWarning("another process has taken over a group", claimed.group_id), false)
  })
  return yield* underLease(guarded, {
    what: `the autoscaling group ${claimed.group_id}`,
    broken: failed("it is broken"),
    interrupted: groups.release(claimed, {}, Duration.zero)
  })
})

type HeldGroup = Held<GroupEntry, GroupProgress>

/**
 * Observes the servers, plans which ones leave and which slots are added, stores the plan, applies
 * it, and sets when the next step is due. Every call to Nova is stored before it is made, so
 * another process can resume a step that was cut off anywhere.
 *
 * @param halted the tenant is suspended: existing servers stay, and none is created
 */
const step = Effect.fnUntraced(function* (claimed: GroupEntry, halted: boolean) {
  const groups = yield* AutoscalingGroups
  const held = heldBy(claimed, groups.keep)
  const observed = yield* observe(claimed, halted && !claimed.deleting)
  const now = yield* Clock.currentTimeMillis
  const smaller = withoutOver(shrunk(claimed, observed.members), observed.errors, now)
  const larger = grown(claimed, smaller, now)
  const wants = larger.some((_) => isVacant(_, now))
  const broken = smaller.some((_) => isLive(_) && _.status === "ERROR")
  const suspended = halted ? wants || broken : wants && (yield* tierOf(claimed.project_id)).suspended
  const members = suspended ? smaller : larger
  yield* held.keep({ members, errors: observed.errors, observed_at: yield* DateTime.now })
  if (claimed.deleting && members.length === 0) return yield* groups.drop(held.entry())

  const kept = yield* removed(held, observed)
  const refused = suspended ? undefined : yield* filled(held)
  const failure = refused ?? kept
  const outcome = outcomeOf(claimed, held.entry(), {
    observed,
    failure,
    suspended,
    attempted: wants && !suspended,
    now: yield* Clock.currentTimeMillis
  })
  if (outcome.limitedBy !== undefined) yield* publishLimited(claimed, outcome.limitedBy)
  // With the revision that this step is based on: a later change makes the group due at once.
  return yield* groups.release({ ...held.entry(), revision: claimed.revision }, outcome.progress, outcome.pause)
})

/** Deletes the leaving servers. A server that refuses, because it is locked, does not block the others. */
const removed = Effect.fnUntraced(function* (held: HeldGroup, { deleting }: Observed) {
  const entry = held.entry()
  const servers = yield* Servers
  const asked = entry.members.filter((_) => !isLive(_) && _.server_id !== null && !deleting.has(_.server_id))
  const results = yield* Effect.forEach(
    serversOf(asked),
    (server) =>
      Effect.result(
        Effect.andThen(
          servers.remove(entry.project_id, server.id),
          Effect.suspend(() => publishServerDeleted(entry, [server]))
        )
      ),
    { concurrency }
  )
  return results.flatMap((_) => (_._tag === "Failure" ? [_.failure] : []))[0]
})

/**
 * Requests a server for each vacant slot, one after the other, while more are wanted. It first
 * stores that a server may appear, so no process requests another one until the outcome is known.
 *
 * @returns the failure, after which it requests no more
 */
const filled = Effect.fnUntraced(function* (held: HeldGroup) {
  const servers = yield* Servers
  const start = yield* Clock.currentTimeMillis
  for (const { slot } of held.entry().members.filter((_) => isVacant(_, start))) {
    if (!isWanted(held.entry())) return undefined
    const now = yield* Clock.currentTimeMillis
    const before = held.entry()
    yield* held.keep({ members: changed(before, slot, { doubt_until: now + doubtTime }) })
    const entry = held.entry()
    const { name, template } = entry
    const metadata = { [groupKey]: entry.group_id, [slotKey]: slot }
    const asked = yield* Effect.result(
      servers.create(entry.project_id, { name: `${name}-${slot.slice(0, 8)}`, template, metadata })
    )
    if (asked._tag === "Failure") return asked.failure
    yield* publishScaledOut(entry, [{ id: asked.success, slot }])
    // A server that was in doubt before may have appeared too.
    const doubt_until = before.members.some((_) => _.slot === slot && _.doubt_until !== null) ? now + doubtTime : null
    yield* held.keep({ members: changed(entry, slot, { server_id: asked.success, status: "BUILD", doubt_until }) })
  }
  return undefined
})

/** By the group's current desired number. */
const isWanted = ({ deleting, desired, members }: GroupEntry): boolean => !deleting && members.length <= desired

const changed = ({ members }: GroupEntry, slot: string, to: Partial<Member>): ReadonlyArray<Member> =>
  members.map((_) => (_.slot === slot && _.leaving === null ? { ..._, ...to } : _))
