import type { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { inject } from "vitest"
import * as Store from "../src/Store.ts"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { Aging } from "@portico/testing/store/Aging"
import { TestDatabase } from "@portico/testing/store/TestDatabase"

const inMemory = Layer.merge(MemoryStore.layer, Aging.layerMemory)

const onPostgres = Layer.merge(Store.layerNoDeps, Aging.layer).pipe(Layer.provideMerge(TestDatabase.layer))

/** A test that begins with an empty store of its own. */
type Story<R> = (title: string, story: () => Effect.Effect<void, unknown, R | Scope.Scope>) => void

type Anywhere = Store.Store | Aging

/** Tells the same stories of both stores. */
export const storiesOf = (subject: string, tell: (story: Story<Anywhere>) => void) => {
  // Of several releases of PostgreSQL, the first run has told them.
  if (inject("otherRelease") === undefined)
    describe(`${subject}, in memory`, () =>
      tell((title, story) => it.effect(title, () => Effect.provide(Effect.scoped(story()), inMemory))))
  postgresStoriesOf(`${subject}, on PostgreSQL`, tell)
}

/** Stories that need several connections, or look at the database itself. */
export const postgresStoriesOf = (
  subject: string,
  tell: (story: Story<Anywhere | TestDatabase | PgClient.PgClient | SqlClient.SqlClient>) => void
) =>
  describe(subject, () =>
    // Within, because what a story leaves open keeps the pool from closing.
    tell((title, story) => it.live(title, () => Effect.provide(Effect.scoped(story()), onPostgres)))
  )

/** What a story cannot go on without. */
export const present = <A, E, R>(effect: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.map(effect, (_) => {
    assert.isDefined(_)
    return _
  })
