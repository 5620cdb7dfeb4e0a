import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Accounts } from "../src/Accounts.ts"
import { migratedBy } from "../src/Database.ts"
import { Exposures } from "../src/Exposures.ts"
import { migrations } from "../src/migrations.ts"
import { Journal } from "../src/Journal.ts"
import { RegistryKeys } from "../src/RegistryKeys.ts"
import * as Store from "../src/Store.ts"
import { Targets } from "../src/Targets.ts"
import { Tenants } from "../src/Tenants.ts"
import { Credentials } from "../src/Credentials.ts"
import { dumpOf, insertRows, restore, schemaOf } from "./dumps/dump.ts"
import { lockedBy, known } from "./dumps/locks.ts"

const folder = join(import.meta.dirname, "dumps")
const releases = readdirSync(folder)
  .filter((_) => _.endsWith(".dump.sql"))
  .toSorted()
const rowsText = readFileSync(join(folder, "rows.sql"), "utf8")

/** The dump of this release is made by `PORTICO_DUMP=<version>`: `scripts/dumps/make.sh`. */
const making = process.env["PORTICO_DUMP"]

const names = Object.keys(migrations) as ReadonlyArray<keyof typeof migrations>

/** The first so many migrations. */
const upTo = (count: number) =>
  Object.fromEntries(names.slice(0, count).map((name) => [name, migrations[name]] as const))

const migrateTo = (count: number) => Layer.build(Layer.fresh(migratedBy(upTo(count))))

const tablesOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`
  return tables.map((_) => _.name)
})

/** Every row of every table as text, without the columns that another schema lacks. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const all = yield* Effect.forEach(yield* tablesOf, (name) =>
    Effect.map(
      sql<{ readonly row: Record<string, unknown> }>`SELECT to_jsonb(whole_row) AS row FROM ${sql(name)} AS whole_row`,
      (rows) => [name, rows.map((_) => _.row)] as const
    )
  )
  return new Map(all)
})

const emptyTables = Effect.map(contents, (_) => [..._].filter(([, rows]) => rows.length === 0).map(([name]) => name))

/** A database of its own, and what `story` makes of it. */
const onDatabase = <A, E, R>(story: Effect.Effect<A, E, R>) =>
  story.pipe(Effect.scoped, Effect.provide(Layer.fresh(TestDatabase.layerEmpty)))

const fresh = Effect.gen(function* () {
  yield* migrateTo(names.length)
  return yield* schemaOf
})

describe("an upgrade from an earlier release", () => {
  if (making !== undefined)
    it.live("makes the dump of this one", () =>
      onDatabase(
        Effect.gen(function* () {
          yield* migrateTo(names.length)
          yield* insertRows(rowsText)
          writeFileSync(join(folder, `${making}.dump.sql`), yield* dumpOf)
        })
      )
    )

  it.live("begins with a row in every table", () =>
    onDatabase(
      Effect.gen(function* () {
        yield* migrateTo(names.length)
        yield* insertRows(rowsText)
        assert.deepStrictEqual(yield* emptyTables, [])
      })
    )
  )

  it("has a dump to begin with", () => assert.isNotEmpty(releases))

  for (const file of releases) {
    it.live(`${file}: ends with the schema of a new database, and every row is kept and readable`, () =>
      onDatabase(
        Effect.gen(function* () {
          yield* restore(readFileSync(join(folder, file), "utf8"))
          assert.deepStrictEqual(yield* emptyTables, [])
          const before = yield* contents
          const { url } = yield* TestDatabase
          const store = yield* Layer.build(Layer.fresh(Layer.provideMerge(Store.layerNoDeps, PgClient.layer({ url }))))
          const after = yield* contents
          for (const [table, rows] of before) {
            if (table === "portico_migrations") continue
            const held = after.get(table) ?? []
            assert.strictEqual(held.length, rows.length, table)
            // A later migration may add columns, and drop none that a replica of that release still reads.
            for (const row of rows) {
              assert.isTrue(
                held.some((_) =>
                  Object.entries(row).every(([name, value]) => JSON.stringify(_[name]) === JSON.stringify(value))
                ),
                `${table}: ${JSON.stringify(row)}`
              )
            }
          }
          assert.strictEqual(yield* schemaOf, yield* onDatabase(fresh))
          yield* Effect.provide(isRead, store)
        })
      )
    )
  }
})

/** The tables read rows of an earlier release. */
const isRead = Effect.gen(function* () {
  assert.lengthOf(yield* (yield* Tenants).list, 2)
  assert.strictEqual((yield* (yield* Credentials).findByUser("user-1"))?.role, "customer-owner")
  assert.strictEqual((yield* (yield* Accounts).find(2))?.state, "closing")
  assert.lengthOf(yield* (yield* Targets).list("project-1"), 1)
  assert.lengthOf(yield* (yield* RegistryKeys).list, 1)
  assert.lengthOf(yield* (yield* Exposures).list("project-1"), 1)
  assert.strictEqual((yield* (yield* Journal).find("attempt-3"))?.state, "resting")
})

describe("migrations", () => {
  it.live("lock no table in use for longer than a moment, with known exceptions", () =>
    onDatabase(
      Effect.gen(function* () {
        yield* migrateTo(0)
        const found = yield* Effect.forEach(names, (name) =>
          Effect.map(lockedBy(migrations[name]), (locks) => [name, locks] as const)
        )
        assert.deepStrictEqual(Object.fromEntries(found.filter(([, locks]) => locks.length > 0)), known)
      })
    )
  )

  it("remove nothing that the previous release reads, and check no rows under a lock", () => {
    const directory = join(import.meta.dirname, "../src/migrations")
    const found = readdirSync(directory).flatMap((file) =>
      [...readFileSync(join(directory, file), "utf8").matchAll(refused)].map(([words]) => `${file}: ${words}`)
    )
    assert.deepStrictEqual(found, knownWords)
  })
})

/** In SQL, which is written in capitals here. A new constraint is NOT VALID first, and validated by a later release. */
const refused =
  /\b(?:DROP (?:TABLE|COLUMN)|RENAME (?:TO|COLUMN)|SET NOT NULL|VALIDATE CONSTRAINT|ADD (?:CONSTRAINT \w+ )?CHECK|ALTER COLUMN \w+ TYPE)\b/g

const knownWords: ReadonlyArray<string> = [
  "0005_people.ts: ALTER COLUMN created_at TYPE",
  "0005_people.ts: ALTER COLUMN created_at TYPE"
]
