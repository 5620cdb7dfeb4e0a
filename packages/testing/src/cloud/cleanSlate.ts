import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "../store/Memory.ts"
import { Effect } from "effect"
import assert from "node:assert"
import { untouchedLike } from "./leftovers.ts"

/** Nothing exists in the whole cloud that was not there before the first tenant. */
export const cleanCloud = Effect.fnUntraced(function* (because: string) {
  const state = yield* (yield* SimulatedCloud).state
  assert.deepStrictEqual(state, untouchedLike(state), because)
})

/** They count against limits, and outlive what they count. */
const counts: ReadonlySet<string> = new Set(["signupRequests", "invitationMails"] satisfies Array<
  keyof Memory["Service"]
>)

/** Every row of every table, by table, but for counts. */
export const tables = Effect.map(Memory, (memory) =>
  Object.fromEntries(
    Object.entries(memory).flatMap(([table, rows]) => (counts.has(table) ? [] : [[table, [...rows.values()]] as const]))
  )
)

/** A store in which nothing ever was. */
export const empty = Effect.runSync(Effect.provide(tables, Memory.layer))

/** Everything that exists, in the cloud and in every table, is as before the first tenant. */
export const cleanSlate = Effect.fnUntraced(function* (because: string) {
  yield* cleanCloud(because)
  assert.deepStrictEqual(yield* tables, empty, because)
})

/** Everything that exists, for comparing a later moment with this one. */
export const everything = Effect.gen(function* () {
  return { cloud: yield* (yield* SimulatedCloud).state, tables: yield* tables }
})

/** The kinds of which the cloud holds other things than before the first tenant. */
export const leftovers = Effect.gen(function* () {
  const state = yield* (yield* SimulatedCloud).state
  const before = untouchedLike(state)
  return Object.keys(state).filter((kind) => JSON.stringify(state[kind]) !== JSON.stringify(before[kind]))
})
