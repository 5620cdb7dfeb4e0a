import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as transport from "@portico/simulator/transport"
import type { World } from "@portico/simulator/World"
import { Memory } from "../store/Memory.ts"
import * as MemoryStore from "../store/MemoryStore.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { deserialize, serialize } from "node:v8"
import { Process, Simulated } from "./Simulated.ts"

/** A cloud and a store as they were at some moment. */
export interface Seed<A> {
  /** As v8 writes it, because each test reads a world of its own from it. */
  readonly world: Buffer
  readonly tables: Tables
  readonly at: number
  readonly made: A
}

/** Runs the effect once, and keeps what it made of an empty world, so that many tests can begin there. */
export const seedOf = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof Simulated>>): Promise<Seed<A>> =>
  kept(effect).pipe(Effect.provide(Simulated), Effect.provide(TestClock.layer()), Effect.runPromise)

/** Runs the effect, and keeps what it made. */
export const kept = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const made = yield* effect
  const { world } = yield* SimulatedCloud
  const tables = tablesOf(yield* Memory)
  return { world: serialize(world), tables, at: yield* Clock.currentTimeMillis, made } satisfies Seed<A>
})

/** Makes an empty cloud and store what they are in the seed. */
export const restored = Effect.fnUntraced(function* <A>({ made, tables, world }: Seed<A>) {
  yield* (yield* SimulatedCloud).load(worldIn(world))
  fill(yield* Memory, tables)
  return made
})

type Tables = Readonly<Record<string, ReadonlyMap<unknown, unknown>>>

const tablesOf = (memory: Memory["Service"]): Tables =>
  Object.fromEntries(Object.entries(memory).map(([table, rows]) => [table, new Map<unknown, unknown>(rows)]))

/** Rows are never changed in place, so that they can be shared. */
const fill = (memory: Memory["Service"], tables: Tables): void => {
  for (const [table, rows] of Object.entries<Map<unknown, unknown>>({ ...memory })) {
    for (const [key, row] of tables[table] ?? []) rows.set(key, row)
  }
}

const worldIn = (written: Buffer): World => deserialize(written)

/** A cloud and a store as they are in the seed. */
const below = <A>({ tables, world }: Seed<A>) =>
  transport.layer.pipe(
    Layer.provideMerge(Layer.sync(SimulatedCloud, () => SimulatedCloud.make(worldIn(world)))),
    Layer.provideMerge(MemoryStore.layer),
    Layer.tap((context) => Effect.sync(() => fill(Context.get(context, Memory), tables)))
  )

/**
 * A test that begins where the seed is, with a process that has seen nothing of it.
 *
 * @param around puts something between the process and what is below it
 */
export const from =
  <A>(seed: Seed<A>, around: (_: ReturnType<typeof below>) => ReturnType<typeof below> = (_) => _) =>
  <B, E>(test: (made: A) => Effect.Effect<B, E, Layer.Success<typeof Simulated>>) =>
    Effect.andThen(
      TestClock.setTime(seed.at),
      Effect.provide(
        Effect.suspend(() => test(seed.made)),
        Layer.provideMerge(Process, around(below(seed)))
      )
    )
