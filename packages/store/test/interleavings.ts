import { PgClient } from "@effect/sql-pg"
import { type Context, DateTime, Deferred, Effect, Exit, Fiber, Layer, Option, Predicate, Schema } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as Store from "../src/Store.ts"
import { Aging } from "@portico/testing/store/Aging"
import { TestDatabase } from "@portico/testing/store/TestDatabase"

/** Something that a process does with the store. */
export type Act = Effect.Effect<unknown, never, Store.Store>

/** What there is before two processes act on it at once, and what each of them may do. */
export interface Scenario {
  readonly title: string
  /** Everything in them is compared, and removed afterwards. */
  readonly tables: ReadonlyArray<string>
  /** Their names begin with that of the store's method that they call. */
  readonly names: ReadonlyArray<string>
  /** Makes what there is, and with it the acts by their names. */
  readonly given: Effect.Effect<(name: string) => Act, never, Store.Store | Aging | SqlClient.SqlClient>
  /**
   * Pairs whose outcome is none of the two orders and right all the same, with
   * the reason. One that is not needed fails.
   */
  readonly otherwise: ReadonlyArray<Exception>
}

/** A pair by its names in either order, and how one of its outcomes is known. */
export interface Exception {
  readonly pair: readonly [string, string]
  readonly because: string
}

export const scenario = <F>(
  title: string,
  options: {
    readonly tables: ReadonlyArray<string>
    readonly given: Effect.Effect<F, never, Store.Store | Aging | SqlClient.SqlClient>
    readonly acts: Readonly<Record<string, (given: F) => Act>>
    readonly otherwise?: ReadonlyArray<Exception>
  }
): Scenario => ({
  title,
  tables: options.tables,
  names: Object.keys(options.acts),
  given: Effect.map(options.given, (given) => (name: string) => options.acts[name]?.(given) ?? Effect.die(name)),
  otherwise: options.otherwise ?? []
})

/** A database with two processes on it, and somebody who looks on. */
export const lane = Effect.gen(function* () {
  const database = yield* Layer.build(Layer.fresh(TestDatabase.layer))
  const { url } = yield* Effect.provide(TestDatabase, database)
  const process = (applicationName: string) =>
    Layer.build(
      Layer.fresh(Layer.provideMerge(Store.layerNoDeps, PgClient.layer({ url, maxConnections: 2, applicationName })))
    )
  const first = yield* process("first")
  const second = yield* process("second")
  const onlooker = yield* Effect.provide(SqlClient.SqlClient, database)
  const aging = yield* Layer.build(Layer.fresh(Aging.layer)).pipe(Effect.provideService(SqlClient.SqlClient, onlooker))
  return { first, second, onlooker, aging }
})
export type Lane = Effect.Success<typeof lane>

/** Where an act is stopped: before which of its statements, or with all of them done and not committed. */
type Place = number | "before the commit"

/** Stops before a statement until it may go on, and counts them. */
const stopAt = Effect.fnUntraced(function* (place: Place) {
  const reached = yield* Deferred.make<void>()
  const mayGoOn = yield* Deferred.make<void>()
  const stop = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(mayGoOn))
  let statements = 0
  const transformer: Statement.Transformer = (statement) =>
    Effect.suspend(() => {
      statements++
      return statements === place ? Effect.as(stop, statement) : Effect.succeed(statement)
    })
  const within = (process: Context.Context<Store.Store | SqlClient.SqlClient>, act: Act) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return yield* place === "before the commit" ? Effect.orDie(sql.withTransaction(Effect.tap(act, () => stop))) : act
    }).pipe(Effect.provideService(Statement.CurrentTransformer, transformer), Effect.provide(process))
  return { reached, goOn: Deferred.succeed(mayGoOn, undefined), within, statements: () => statements }
})

const isDone = (fiber: Fiber.Fiber<unknown, unknown>): boolean => fiber.pollUnsafe() !== undefined

/** Until the second process has finished, or waits for a lock of the first one's. */
const untilItCanGoNoFurther = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  fiber: Fiber.Fiber<unknown, unknown>
) {
  while (!isDone(fiber)) {
    const waiting = yield* sql`
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'second' AND wait_event_type = 'Lock'`
    if (waiting.length > 0) return
  }
})

/** What came of it, with what differs from one run to the next left out. */
const told = (exit: Exit.Exit<unknown>, now: number): string =>
  Exit.isSuccess(exit) ? JSON.stringify(plain(exit.value, now)) : `died: ${String(exit.cause)}`

const numbered = new Set(["number", "account_n", "sequence"])
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

/** A moment is over, or is still to come; which one it is differs. */
const plain = (value: unknown, now: number): unknown => {
  if (DateTime.isDateTime(value)) return DateTime.toEpochMillis(value) > now + 5000 ? "to come" : "over"
  if (typeof value === "string") {
    return instant.test(value) ? (Date.parse(value) > now + 5000 ? "to come" : "over") : value.replaceAll(uuid, "uuid")
  }
  if (Array.isArray(value)) return value.map((_) => plain(_, now))
  if (!Predicate.isObject(value)) return value === undefined ? "nothing" : value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !numbered.has(key))
      .map(([key, inner]) => [key, plain(inner, now)] as const)
  )
}

/** Triggers keep it, and so do they clear it. */
const counts = "record_counts"

/** Everything in the tables. */
const look = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tables: ReadonlyArray<string>) {
  const of = (table: string) => sql`
    SELECT ${table}::text AS name, COALESCE(jsonb_agg(to_jsonb(t)), '[]') AS rows FROM ${sql(table)} AS t
    WHERE ${table === counts ? sql`count <> 0` : sql`true`}`
  const found = yield* sql<{ name: string; rows: ReadonlyArray<unknown>; now: Date }>`
    SELECT name, rows, clock_timestamp() AS now FROM (${sql.join(" UNION ALL ", false)(tables.map(of))}) AS t`
  const now = found[0]?.now.getTime() ?? 0
  const lines = found.flatMap(({ name, rows }) =>
    rows.map((_) => `${JSON.stringify({ [name]: plain(_, now) })}`).toSorted()
  )
  return { now, tables: `[${lines.join(",")}]` }
})

/** In one statement, after which everything that one table wants of another one holds again. */
const clear = (sql: SqlClient.SqlClient, tables: ReadonlyArray<string>) =>
  sql`WITH ${sql.join(
    ", ",
    false
  )(
    tables.filter((_) => _ !== counts).map((table) => sql`${sql(`no_${table}`)} AS (DELETE FROM ${sql(table)})`)
  )} SELECT`

interface Outcome {
  readonly first: string
  readonly second: string
  readonly tables: string
}

const same = (a: Outcome, b: Outcome): boolean => a.first === b.first && a.second === b.second && a.tables === b.tables

/** Makes what there is, lets the acts run as they are told to, and looks at what came of it. */
const run = Effect.fnUntraced(function* (
  { aging, first, onlooker, second }: Lane,
  { given, tables }: Scenario,
  names: readonly [string, string],
  how: (
    first: (process: (act: Act) => Effect.Effect<unknown>) => Effect.Effect<Exit.Exit<unknown>>,
    second: Effect.Effect<Exit.Exit<unknown>>
  ) => Effect.Effect<readonly [Exit.Exit<unknown>, Exit.Exit<unknown>], unknown>
) {
  yield* clear(onlooker, tables)
  const acts = yield* given.pipe(
    Effect.provide(aging),
    Effect.provide(first),
    Effect.provideService(SqlClient.SqlClient, onlooker)
  )
  const [one, other] = yield* how(
    (process) => Effect.exit(process(acts(names[0]))),
    Effect.exit(Effect.provide(acts(names[1]), second))
  )
  const seen = yield* look(onlooker, tables)
  return { first: told(one, seen.now), second: told(other, seen.now), tables: seen.tables } satisfies Outcome
})

/** How two acts end one after the other, and how many statements the one has that comes first. */
interface Order extends Outcome {
  readonly statements: number
}

const turned = ({ first, second, ...same }: Order): Order => ({ ...same, first: second, second: first })

/**
 * Acts that pass over what another process is changing: it is taken, or
 * written, the next time, and nothing of it now is right too.
 */
const passesOver = (name: string): boolean => /\.(claim|note|fold)/.test(name) && !name.startsWith("Signups")

/** What the first act alone leaves, while the second one passes over all that there is. */
const alone = Effect.fnUntraced(function* (lane: Lane, scenario: Scenario, names: readonly [string, string]) {
  return yield* run(lane, scenario, names, (first) =>
    Effect.map(
      first((act) => Effect.provide(act, lane.first)),
      (one) => [one, Exit.void] as const
    )
  )
})

/** Both orders, that of the pair first. */
const inOrder = Effect.fnUntraced(function* (lane: Lane, scenario: Scenario, [one, other]: readonly [string, string]) {
  const order = Effect.fnUntraced(function* (names: readonly [string, string]) {
    const counted = yield* stopAt(0)
    const outcome = yield* run(lane, scenario, names, (first, second) =>
      Effect.all([first((act) => counted.within(lane.first, act)), second])
    )
    return { ...outcome, statements: counted.statements() } satisfies Order
  })
  const forward = yield* order([one, other])
  return [forward, turned(one === other ? forward : yield* order([other, one]))] as const
})

/** Stops the first act at the place, lets the second one go as far as it can, and then both to their ends. */
const interleaved = Effect.fnUntraced(function* (
  lane: Lane,
  scenario: Scenario,
  names: readonly [string, string],
  place: Place
) {
  const stop = yield* stopAt(place)
  return yield* run(lane, scenario, names, (first, second) =>
    Effect.gen(function* () {
      const one = yield* Effect.forkChild(first((act) => stop.within(lane.first, act)))
      yield* Effect.raceFirst(Deferred.await(stop.reached), Effect.asVoid(Fiber.await(one)))
      const other = yield* Effect.forkChild(second)
      yield* untilItCanGoNoFurther(lane.onlooker, other)
      yield* stop.goOn
      return [yield* Fiber.join(one), yield* Fiber.join(other)] as const
    })
  )
})

/** A way in which two acts at once end as they do in neither order. */
export interface Anomaly {
  readonly pair: readonly [string, string]
  readonly place: Place
  readonly outcome: Outcome
  readonly orders: ReadonlyArray<Outcome>
}

/** All that goes wrong when one of two acts comes in anywhere in the middle of the other one. */
export const anomaliesOf = Effect.fnUntraced(function* (
  lane: Lane,
  scenario: Scenario,
  pair: readonly [string, string]
) {
  const [one, other] = pair
  const anomalies: Array<Anomaly> = []
  const orders = yield* inOrder(lane, scenario, pair)
  const ways =
    one === other
      ? [{ pair, orders }]
      : [
          { pair, orders },
          { pair: [other, one] as const, orders: orders.map(turned) }
        ]
  for (const { orders, pair } of ways) {
    const [{ statements }] = orders
    const inside: ReadonlyArray<Place> = Array.from({ length: Math.max(0, statements - 1) }, (_, index) => index + 2)
    for (const place of [...inside, "before the commit" as const]) {
      const outcome = yield* interleaved(lane, scenario, pair, place)
      if (orders.some((_) => same(_, outcome))) continue
      const passed =
        passesOver(pair[1]) && same({ ...(yield* alone(lane, scenario, pair)), second: outcome.second }, outcome)
      if (!passed) anomalies.push({ pair, place, outcome, orders })
    }
  }
  return anomalies
})

/** Each pair once, and each act with itself. */
export const pairsOf = ({ names }: Scenario): ReadonlyArray<readonly [string, string]> =>
  names.flatMap((first, index) => names.slice(index).map((second) => [first, second] as const))

/** For the message of an assertion: in what it differs from the two orders. */
export const wordsOf = ({ orders, outcome, pair: [first, second], place }: Anomaly): string =>
  [
    `${first}, stopped ${place === "before the commit" ? place : `before its statement ${place}`}, while ${second} comes in:`,
    ...orders.map((_) => `  not: ${differences(parsed(outcome), parsed(_)).join("; ")}`)
  ].join("\n")

const parsed = ({ first, second, tables }: Outcome): Schema.Json => ({
  first: jsonOf(first),
  second: jsonOf(second),
  tables: jsonOf(tables)
})

const jsonOf = (text: string): Schema.Json =>
  Option.getOrElse(Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))(text), () => text)

const entriesOf = (value: Schema.Json | undefined): ReadonlyMap<string, Schema.Json> | undefined =>
  typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined

const differences = (a: Schema.Json | undefined, b: Schema.Json | undefined, path = ""): ReadonlyArray<string> => {
  const [left, right] = [entriesOf(a), entriesOf(b)]
  if (left !== undefined && right !== undefined) {
    return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) =>
      differences(left.get(key), right.get(key), `${path}.${key}`)
    )
  }
  const [one, other] = [JSON.stringify(a), JSON.stringify(b)]
  return one === other ? [] : [`${path} ${one}, but ${other}`]
}
