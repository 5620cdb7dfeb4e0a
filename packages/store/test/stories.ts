import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import * as Store from "../src/Store.ts"
import { Aging } from "./Aging.ts"
import { TestDatabase } from "./TestDatabase.ts"

const inMemory = Layer.merge(Store.layerMemory, Aging.layerMemory)

const onPostgres = Layer.merge(Store.layerNoDeps, Aging.layer).pipe(Layer.provide(TestDatabase.layer))

type Story = (title: string, story: () => Effect.Effect<void, unknown, Store.Store | Aging | Scope.Scope>) => void

/** Tells the same stories of both stores, each of a fresh one. */
export const storiesOf = (subject: string, tell: (story: Story) => void) => {
  describe(`${subject}, in memory`, () =>
    tell((title, story) => it.effect(title, () => Effect.provide(Effect.scoped(story()), inMemory))))
  describe(`${subject}, on PostgreSQL`, () =>
    tell((title, story) => it.live(title, () => Effect.provide(Effect.scoped(story()), onPostgres))))
}

/** What a story cannot go on without. */
export const present = <A, E, R>(effect: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.map(effect, (_) => {
    assert.isDefined(_)
    return _
  })
