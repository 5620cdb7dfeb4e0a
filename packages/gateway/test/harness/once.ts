import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { kept, restored, type Seed } from "@portico/testing/cloud/seeded"
import { Memory } from "@portico/testing/store/Memory"
import { Clock, Context, Effect, Layer } from "effect"
import { TestGateway } from "./TestGateway.ts"

/**
 * What a story begins with, made by the first gateway of its kind in this worker. Later ones, whose cloud and store are
 * empty, get a copy of what that made: onboarding costs as much as the start of a gateway.
 */
export const once = <I, A, E, R>(tag: Context.Key<I, A>, layer: Layer.Layer<I, E, R>) => {
  const seeds = new Map<string, Seed<A>>()
  return Layer.effect(
    tag,
    Effect.gen(function* () {
      const { kind } = yield* TestGateway
      const { tenants } = yield* Memory
      const make = Effect.map(Layer.build(layer), (_) => Context.get(_, tag))
      if (kind === undefined || tenants.size > 0) return yield* make
      // Tokens end and rows grow old, and the clocks of gateways stand in different years.
      const day = Math.floor((yield* Clock.currentTimeMillis) / 86_400_000)
      const key = `${day} ${kind}`
      const known = seeds.get(key)
      if (known !== undefined) {
        const { world } = yield* SimulatedCloud
        const { tokens } = world.keystone
        const made = yield* restored(known)
        // The token with which the gateway has begun stays good.
        Object.assign(world.keystone.tokens, tokens)
        return made
      }
      const seed = yield* kept(make)
      seeds.set(key, seed)
      return seed.made
    })
  )
}
