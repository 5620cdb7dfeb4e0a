import { assert } from "@effect/vitest"
import { Cause, Effect, Exit, Queue } from "effect"
import { eventually } from "./children.ts"
import { type Answer, type Gateway, startGateway } from "./harness.ts"

/** The replicas that a load balancer sends calls to. */
export interface Fleet {
  readonly members: () => ReadonlyArray<Gateway>
  /** Makes calls at the next replica and the one behind it. Neither is stopped before they are done. */
  atNext<A, E, R>(calls: (gateway: Gateway, other: Gateway) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  /** Another replica beside them. */
  grow(settings: Readonly<Record<string, string>>): Effect.Effect<void, unknown, Stage>
  /**
   * Replaces the replicas by one with these settings, as a rolling update does: the new one is called as soon as it
   * answers, both are for a while, and the old one is stopped when nothing is sent to it any more.
   */
  roll(settings: Readonly<Record<string, string>>, program?: string): Effect.Effect<void, unknown, Stage>
}

type Stage = Effect.Services<ReturnType<typeof startGateway>>

/** How long replicas of both kinds are called. */
const together = "1200 millis"

export const fleetOf = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>>, program?: string) {
  const first = yield* startGateway(settings, program)
  let members: readonly [Gateway, ...ReadonlyArray<Gateway>] = [first]
  let turn = 0
  const underWay = new Map<Gateway, number>()
  const count = (gateway: Gateway, change: number) =>
    Effect.sync(() => void underWay.set(gateway, (underWay.get(gateway) ?? 0) + change))
  const atRest = (gateway: Gateway) =>
    Effect.suspend(() => ((underWay.get(gateway) ?? 0) === 0 ? Effect.void : Effect.fail("busy")))

  return {
    members: () => members,
    atNext: (calls) =>
      Effect.suspend(() => {
        const gateway = members[(turn += 1) % members.length] ?? members[0]
        const other = members[(turn + 1) % members.length] ?? members[0]
        const counted = (change: number) => Effect.andThen(count(gateway, change), count(other, change))
        return Effect.acquireUseRelease(
          counted(1),
          () => calls(gateway, other),
          () => counted(-1)
        )
      }),
    grow: Effect.fnUntraced(function* (like: Readonly<Record<string, string>>) {
      members = [...members, yield* startGateway(like, program)]
    }),
    roll: Effect.fnUntraced(function* (next: Readonly<Record<string, string>>, other?: string) {
      const before = members
      const started = yield* startGateway(next, other)
      members = [...before, started]
      yield* Effect.sleep(together)
      members = [started]
      for (const gateway of before) {
        yield* eventually(atRest(gateway))
        assert.strictEqual(yield* gateway.stop, 0)
      }
    })
  } satisfies Fleet
})

/** A call that is repeated, at each replica by turns. It fails, or answers 400 or more, when it goes wrong. */
export interface Repeated {
  readonly name: string
  readonly call: (gateway: Gateway, other: Gateway) => Effect.Effect<Answer<unknown>>
}

/** Between two calls of one kind, in milliseconds. */
const pause = 40

/** Longer than a replica needs for any of them. */
const limit = "60 seconds"

/** Makes these calls until the scope ends. What went wrong is listed, and how often each went well is counted. */
export const lightLoad = Effect.fnUntraced(function* (fleet: Fleet, calls: ReadonlyArray<Repeated>) {
  const failures: Array<string> = []
  const succeeded = new Map<string, number>()
  const ended = yield* Queue.unbounded<void>()

  const once = Effect.fnUntraced(function* ({ call, name }: Repeated) {
    const exit = yield* Effect.exit(Effect.timeout(fleet.atNext(call), limit))
    if (Exit.isFailure(exit)) failures.push(`${name}: ${Cause.pretty(exit.cause).split("\n")[0]}`)
    else if (exit.value.status >= 400) {
      failures.push(`${name}: ${exit.value.status} ${exit.value.body.code} ${exit.value.body.detail}`)
    } else succeeded.set(name, (succeeded.get(name) ?? 0) + 1)
    yield* Queue.offer(ended, undefined)
  })

  for (const repeated of calls)
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(once(repeated), Effect.sleep(pause))))

  return {
    /** Nothing has gone wrong so far, and each call was made this often since the last look. */
    isFine: Effect.fnUntraced(function* (when: string, atLeast = 5) {
      succeeded.clear()
      const isMade = () => calls.every(({ name }) => (succeeded.get(name) ?? 0) >= atLeast)
      // The limit of each call bounds the wait, and a busy machine may take as long as it needs.
      while (!isMade() && failures.length === 0) yield* Queue.take(ended)
      assert.deepStrictEqual(failures, [], when)
    })
  }
})
