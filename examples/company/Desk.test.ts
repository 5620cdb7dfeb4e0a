import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime } from "@portico/testing/clock"
import { callsOf, faultsOf, titleOf, under } from "@portico/testing/faults/calls"
import { Effect } from "effect"
import { Desk } from "./Desk.ts"
import { SimulatedDesk } from "./simulated.ts"

const queue = { name: "acme", origin: "the first attempt" }
const open = Effect.flatMap(Desk, (_) => _.open(queue))
const close = Effect.flatMap(Desk, (_) => _.close(queue.origin))
const queues = Effect.flatMap(SimulatedCloud, (_) => Effect.map(_.state, (_) => _["desk.queues"]?.length))

const calls = await Effect.runPromise(Effect.provide(callsOf(Effect.andThen(open, close)), SimulatedDesk))

for (const fault of calls.flatMap(faultsOf)) {
  it.effect(`opens and closes a queue once despite a fault: ${titleOf(fault)}`, () =>
    Effect.gen(function* () {
      yield* under(fault, Effect.exit(inTime(open)))
      yield* inTime(open)
      assert.strictEqual(yield* queues, 1)
      yield* under(fault, Effect.exit(inTime(close)))
      yield* inTime(close)
      assert.strictEqual(yield* queues, 0)
    }).pipe(Effect.provide(SimulatedDesk))
  )
}

it.effect("leaves a queue alone that another attempt opened", () =>
  Effect.gen(function* () {
    yield* Effect.flatMap(Desk, (_) => _.open({ ...queue, origin: "somebody else" }))
    assert.strictEqual((yield* Effect.flip(open))._tag, "Taken")
    yield* close
    assert.strictEqual(yield* queues, 1)
  }).pipe(Effect.provide(SimulatedDesk))
)

it.effect("passes on the desk's message", () =>
  Effect.gen(function* () {
    const refusal = { status: 403, body: { message: "the licence has ended" } }
    const post = { service: "company", method: "POST", path: "/desk/queues", when: "before", as: refusal } as const
    const failure = yield* under(post, Effect.flip(open))
    assert.strictEqual(failure.summary, "desk open queue: the licence has ended")
  }).pipe(Effect.provide(SimulatedDesk))
)
