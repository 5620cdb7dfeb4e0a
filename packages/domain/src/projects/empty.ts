import type { LifecycleEvent } from "@portico/contract/Events"
import type { PurgeStep } from "@portico/contract/Projects"
import type { Ending } from "@portico/store/Purges"
import { type Belonging, type Kind, keyOf } from "@portico/upstream/belongings/Kind"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Clock, DateTime, Duration, Effect } from "effect"
import { Bus } from "../events/Bus.ts"
import { eventIdOf } from "../events/eventId.ts"
import { lifecycleEvent } from "../events/Lifecycle.ts"
import { natIsOff } from "../nat/keepOff.ts"
import { allKinds } from "./kinds.ts"
import { Refused, type Run, stopAt } from "./Run.ts"

/** How long nothing may get less before it counts as a refusal, and how often it is looked at meanwhile. */
const patience = Duration.minutes(10)
const pause = Duration.seconds(2)

/** Things come into being while others are removed; a project where that does not end is not emptied. */
const mostRounds = 10

/** How many removals are under way at once. */
const concurrency = 4

type Found = ReadonlyMap<string, ReadonlyArray<Belonging>>

/**
 * Removes everything that the project has, kind by kind, until a look at all
 * kinds finds nothing. What a kind's service refuses for now, because
 * something still hangs on it, is asked again until nothing gets less for ten
 * minutes. Somebody's wish to cancel is heard between two kinds.
 */
export const empty = Effect.fn("projects.empty")(function* (run: Run) {
  yield* rememberNat(run)
  const { kinds } = yield* allKinds
  for (let round = 0; round < mostRounds; round++) {
    yield* run.boundary
    const found = yield* look(run, kinds)
    yield* unguarded(kinds, found)
    const there = kinds.filter((_) => (found.get(keyOf(_))?.length ?? 0) > 0)
    if (there.length === 0) return
    for (const kind of there) {
      yield* run.boundary
      yield* removeAll(run, kind)
    }
  }
  return yield* new Refused({ step: "look", words: `something new was there after each of ${mostRounds} rounds` })
})

/** Once, and before anything is removed: a router that is gone no longer tells. */
const rememberNat = Effect.fnUntraced(function* (run: Run) {
  if (run.entry().nat_off !== null) return
  const off = yield* Effect.mapError(natIsOff(run.projectId), stopAt("look"))
  yield* run.keep({ nat_off: off })
})

/** All kinds at one moment; the progress says what is left of each. */
const look = Effect.fnUntraced(function* (run: Run, kinds: ReadonlyArray<Kind>) {
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
    // Some things go with others.
    const done = (known?.done ?? 0) + Math.max(0, (known?.left ?? left) - left)
    return { step, done, left, state: left === 0 ? "done" : known?.state === "running" ? "running" : "waiting" }
  })
  const others = run.entry().progress.filter((_) => !found.has(_.step))
  yield* run.keep({ progress: [...progress, ...others] })
  for (const kind of kinds) yield* tellGone(run, kind, found.get(keyOf(kind)) ?? [])
  return found
})

/** What its owner protects is refused before anything is destroyed, whether or not the service would. */
const unguarded = Effect.fnUntraced(function* (kinds: ReadonlyArray<Kind>, found: Found) {
  for (const kind of kinds) {
    const guarded = found.get(keyOf(kind))?.find((_) => _.guarded !== undefined)
    if (guarded !== undefined) return yield* refusedFor(kind, guarded)
  }
})

const refusedFor = (kind: Kind, { guarded, id, name }: Belonging): Refused =>
  new Refused({ step: keyOf(kind), words: `'${name}' (${id}) is ${guarded}` })

const removeAll = Effect.fnUntraced(function* (run: Run, kind: Kind) {
  const step = keyOf(kind)
  const start = run.entry().progress.find((_) => _.step === step)?.done ?? 0
  let most = 0
  let least = Infinity
  let until = 0
  let words: string | undefined

  for (let pass = 0; ; pass++) {
    const items = yield* listed(run, kind)
    yield* tellGone(run, kind, items)
    const left = weightOf(items)
    const now = yield* Clock.currentTimeMillis
    most = Math.max(most, left)
    if (left < least) {
      least = left
      until = now + Duration.toMillis(patience)
    }
    yield* run.advance(step, { state: left === 0 ? "done" : "running", done: start + most - left, left })
    if (left === 0) return

    const guarded = items.find((_) => _.guarded !== undefined)
    if (guarded !== undefined) return yield* refusedFor(kind, guarded)
    if (now >= until) return yield* new Refused({ step, words: words ?? stillThere(items) })
    // The first look again comes at once: most services are done when they say so.
    if (pass > 1) yield* Effect.sleep(pause)
    words = (yield* removeOnce(run, kind, items)) ?? words
  }
})

/** One request for each that is not busy; the words of one that was refused for now. */
const removeOnce = Effect.fnUntraced(function* (run: Run, kind: Kind, items: ReadonlyArray<Belonging>) {
  const idle = items.filter((_) => !_.busy)
  const asked = kind.atOnce === true ? idle.slice(0, 1) : idle
  let held = yield* Clock.currentTimeMillis
  const words = yield* Effect.forEach(
    asked,
    Effect.fnUntraced(function* ({ id }) {
      const now = yield* Clock.currentTimeMillis
      // Many of them may take longer than the lease.
      if (now - held > Duration.toMillis(renewal)) {
        held = now
        yield* run.keep({})
      }
      return yield* kind.remove(run.projectId, id).pipe(
        Effect.as(undefined),
        Effect.catchIf(maySettle, (error) => Effect.succeed(error.sentence)),
        Effect.mapError(stopAt(keyOf(kind)))
      )
    }),
    { concurrency }
  )
  return words.findLast((_) => _ !== undefined)
})

const renewal = Duration.seconds(20)

/** As services say that something else has to go first, or that it is at work on it. */
const maySettle = ({ status }: UpstreamError): boolean =>
  status === 400 || status === 409 || status === 412 || status === 423

const stillThere = (items: ReadonlyArray<Belonging>): string =>
  `still there after ${Duration.format(patience)}: ${items
    .slice(0, 5)
    .map((_) => `'${_.name}' (${_.id})`)
    .join(", ")}`

const listed = (run: Run, kind: Kind) => Effect.mapError(kind.list(run.projectId), stopAt(keyOf(kind)))

const weightOf = (items: ReadonlyArray<Belonging>): number => items.reduce((sum, _) => sum + _.weight, 0)

/**
 * Tells the billing ledger of what is billed and gone since the last look,
 * and remembers what is there now. What is remembered is written down before
 * it is asked to go, and told of with the same id however often, so that a
 * crash neither loses nor doubles an event.
 */
const tellGone = Effect.fnUntraced(function* (run: Run, kind: Kind, items: ReadonlyArray<Belonging>) {
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

/** What a purge that comes to nothing has destroyed nevertheless, as far as it can be seen. */
export const tellOfTheGone = Effect.fnUntraced(function* (run: Run) {
  const { kinds } = yield* allKinds
  for (const kind of kinds) {
    if (!run.entry().ending.some((_) => _.step === keyOf(kind))) continue
    yield* tellGone(run, kind, yield* listed(run, kind))
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
