import type { LifecycleEvent } from "@portico/contract/Events"
import type { PurgeStep } from "@portico/contract/Projects"
import type { Ending } from "@portico/store/Purges"
import { keyOf, type Kind, type Resource } from "@portico/upstream/projectResources/Kind"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Clock, DateTime, Duration, Effect } from "effect"
import { Bus } from "../events/Bus.ts"
import { eventIdOf } from "../events/eventId.ts"
import { lifecycleEvent } from "../events/Lifecycle.ts"
import { natIsOff } from "../nat/routers.ts"
import { allKinds } from "./kinds.ts"
import { Refused, type Run, stopAt } from "./Run.ts"

/** How long what is left may stay the same before that counts as a refusal, and how often it is listed meanwhile. */
const stallTimeout = Duration.minutes(10)
const pollInterval = Duration.seconds(2)

/**
 * Resources may be created while others are removed. A project in which that
 * does not end is refused after so many rounds.
 */
const mostRounds = 10

/** How many removals, or lists, run at once. */
const concurrency = 4

type Found = ReadonlyMap<string, ReadonlyArray<Resource>>

/**
 * Removes everything that the project has, kind by kind, until a list of all
 * kinds is empty. A removal that a service refuses for now, because another
 * resource depends on it, is repeated until nothing gets less for ten minutes.
 * A cancellation takes effect between two kinds.
 */
export const empty = Effect.fn("projects.empty")(function* (run: Run) {
  yield* rememberNat(run)
  const { kinds } = yield* allKinds
  for (let round = 0; round < mostRounds; round++) {
    yield* run.boundary
    const found = yield* observe(run, kinds)
    yield* unguarded(kinds, found)
    const there = kinds.filter((_) => (found.get(keyOf(_))?.length ?? 0) > 0)
    if (there.length === 0) return
    for (const kind of there) {
      yield* run.boundary
      yield* removeAll(run, kind)
    }
  }
  return yield* new Refused({ step: "look", message: `something new was there after each of ${mostRounds} rounds` })
})

/** Runs once, before anything is removed: a removed router no longer has the answer. */
const rememberNat = Effect.fnUntraced(function* (run: Run) {
  if (run.entry().nat_off !== null) return
  const off = yield* Effect.mapError(natIsOff(run.projectId), stopAt("look"))
  yield* run.keep({ nat_off: off })
})

/** Lists all kinds at once, and writes what is left of each to the progress. */
const observe = Effect.fnUntraced(function* (run: Run, kinds: ReadonlyArray<Kind>) {
  const lists = yield* Effect.forEach(
    kinds,
    (kind) => Effect.map(listed(run, kind), (items) => [keyOf(kind), items] as const),
    { concurrency }
  )
  const found: Found = new Map(lists)
  const before = new Map(run.entry().progress.map((_) => [_.step, _]))
  const progress = lists.map(([step, items]): PurgeStep => {
    const known = before.get(step)
    const left = weightOf(items)
    // Some resources are removed together with others.
    const done = (known?.done ?? 0) + Math.max(0, (known?.left ?? left) - left)
    return { step, done, left, state: left === 0 ? "done" : known?.state === "running" ? "running" : "waiting" }
  })
  const others = run.entry().progress.filter((_) => !found.has(_.step))
  yield* run.keep({ progress: [...progress, ...others] })
  for (const kind of kinds) yield* publishGone(run, kind, found.get(keyOf(kind)) ?? [])
  return found
})

/**
 * Refuses when the owner protects a resource, before anything is destroyed,
 * whether or not the service would refuse.
 */
const unguarded = Effect.fnUntraced(function* (kinds: ReadonlyArray<Kind>, found: Found) {
  for (const kind of kinds) {
    const guarded = found.get(keyOf(kind))?.find((_) => _.guarded !== undefined)
    if (guarded !== undefined) return yield* refusedFor(kind, guarded)
  }
})

const refusedFor = (kind: Kind, { guarded, id, name }: Resource): Refused =>
  new Refused({ step: keyOf(kind), message: `'${name}' (${id}) is ${guarded}` })

const removeAll = Effect.fnUntraced(function* (run: Run, kind: Kind) {
  const step = keyOf(kind)
  const start = run.entry().progress.find((_) => _.step === step)?.done ?? 0
  let most = 0
  let least = Infinity
  let until = 0
  let message: string | undefined

  for (let pass = 0; ; pass++) {
    const items = yield* listed(run, kind)
    yield* publishGone(run, kind, items)
    const left = weightOf(items)
    const now = yield* Clock.currentTimeMillis
    most = Math.max(most, left)
    if (left < least) {
      least = left
      until = now + Duration.toMillis(stallTimeout)
    }
    yield* run.advance(step, { state: left === 0 ? "done" : "running", done: start + most - left, left })
    if (left === 0) return

    const guarded = items.find((_) => _.guarded !== undefined)
    if (guarded !== undefined) return yield* refusedFor(kind, guarded)
    if (now >= until) return yield* new Refused({ step, message: message ?? stillThere(items) })
    // The first list after a removal comes at once: most services are done when they answer.
    if (pass > 1) yield* Effect.sleep(pollInterval)
    message = (yield* removeOnce(run, kind, items)) ?? message
  }
})

/** Sends one request for each resource that is not busy. Returns the message of one that was refused for now. */
const removeOnce = Effect.fnUntraced(function* (run: Run, kind: Kind, items: ReadonlyArray<Resource>) {
  const idle = items.filter((_) => !_.busy)
  const due = kind.atOnce === true ? idle.slice(0, 1) : idle
  const messages = yield* Effect.forEach(
    due,
    ({ id }) =>
      kind.remove(run.projectId, id).pipe(
        Effect.as(undefined),
        Effect.catchIf(maySettle, (error) => Effect.succeed(error.summary)),
        Effect.mapError(stopAt(keyOf(kind)))
      ),
    { concurrency }
  )
  return messages.findLast((_) => _ !== undefined)
})

/** The statuses of services for a resource that another one depends on, or that is being changed. */
const maySettle = ({ status }: UpstreamError): boolean =>
  status === 400 || status === 409 || status === 412 || status === 423

const stillThere = (items: ReadonlyArray<Resource>): string =>
  `still there after ${Duration.format(stallTimeout)}: ${items
    .slice(0, 5)
    .map((_) => `'${_.name}' (${_.id})`)
    .join(", ")}`

const listed = (run: Run, kind: Kind) => Effect.mapError(kind.list(run.projectId), stopAt(keyOf(kind)))

const weightOf = (items: ReadonlyArray<Resource>): number => items.reduce((sum, _) => sum + _.weight, 0)

/**
 * Publishes, for the billing ledger, the end of billed resources that are gone
 * since the last list, and stores the ones that exist now. A resource is stored
 * before its removal is requested, and its event has the same id however often
 * it is published, so a crash neither loses nor doubles an event.
 */
const publishGone = Effect.fnUntraced(function* (run: Run, kind: Kind, items: ReadonlyArray<Resource>) {
  const { billed } = kind
  if (billed === undefined) return
  const step = keyOf(kind)
  const { ending } = run.entry()
  const there = new Set(items.map((_) => _.id))
  const gone = ending.filter((_) => _.step === step && !there.has(_.id))
  const known = new Set(ending.filter((_) => _.step === step).map((_) => _.id))
  const isSame = gone.length === 0 && items.every((_) => known.has(_.id))
  if (isSame) return
  const at = yield* DateTime.now
  yield* (yield* Bus).publish(gone.map((_) => eventOf(run, billed, _, at)))
  yield* run.keep({
    ending: [...ending.filter((_) => _.step !== step), ...items.map(({ id }): Ending => ({ step, id }))]
  })
})

/** Publishes what a cancelled or refused purge has destroyed nevertheless, as far as it can be observed. */
export const publishDestroyed = Effect.fnUntraced(function* (run: Run) {
  const { kinds } = yield* allKinds
  for (const kind of kinds) {
    if (!run.entry().ending.some((_) => _.step === keyOf(kind))) continue
    yield* publishGone(run, kind, yield* listed(run, kind))
  }
  yield* run.keep({ ending: [] })
})

const eventOf = (run: Run, billed: NonNullable<Kind["billed"]>, { id }: Ending, at: DateTime.Utc): LifecycleEvent =>
  lifecycleEvent(
    eventIdOf(`portico/purge/${run.projectId}/${billed}/${id}`),
    {
      kind: `${billed}.delete`,
      projectId: run.projectId,
      data: {
        resource_type: billed,
        resource_id: id,
        detail: {},
        user_id: run.entry().requested_by,
        credential_id: null,
        request_id: run.entry().request_id
      }
    },
    at
  )
