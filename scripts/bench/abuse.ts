import { Console, Effect, FileSystem } from "effect"
import { attackers, firstAttacker } from "./abuse/attackers.ts"
import { callsPerSecond, type Taken, tenant } from "./abuse/tenant.ts"
import { fillAudit } from "./events/pages.ts"
import { summaryOf } from "./numbers.ts"
import { type Contender, originOn, portico } from "./proxy/contenders.ts"
import { databases, fill } from "./proxy/database.ts"
import { countsOf, identityOn } from "./proxy/identity.ts"
import { dividedCpus, growthDuring, words } from "./proxy/machine.ts"
import { paths } from "./proxy/names.ts"
import { onNode, running } from "./proxy/processes.ts"
import { got } from "./proxy/stage.ts"
import { cell, concluded, type Goal, type Part, ratio, shown } from "./results.ts"

/** Each abuse is measured so often, and right before it the tenant alone. */
const rounds = 3
const seconds = 2.5
/** As long as V8 takes to compile a gateway. */
const warming = 6
/** In the audit of each of those who export it. */
const records = 4_000

interface Abuse {
  readonly name: string
  readonly kind: "flood" | "docs" | "large" | "watches" | "exports" | "lists"
  readonly count: number
}

const abuses: ReadonlyArray<Abuse> = [
  { name: "500 dead tokens a second", kind: "flood", count: 500 },
  { name: "1,000 that never read /docs", kind: "docs", count: 1000 },
  { name: "100 that never read a large answer", kind: "large", count: 100 },
  { name: "1,500 watches", kind: "watches", count: 1500 },
  { name: "150 exports of the audit", kind: "exports", count: 150 },
  { name: "100 lists of images of 9 MB", kind: "lists", count: 100 }
]

/** The slowest of the fastest 95 in 100. */
const p95 = (taken: ReadonlyArray<number>): number =>
  taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.95)] ?? Number.NaN

const descriptors = (pid: number) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    Effect.orElseSucceed(
      Effect.map(fs.readDirectory(`/proc/${pid}/fd`), (_) => _.length),
      () => Number.NaN
    )
  )

/** The last count of an attacker's that matches; zero when it counts nothing of the kind. */
const counted = (said: string, name: string): number =>
  Number([...said.matchAll(new RegExp(`"${name}":(\\d+)`, "g"))].at(-1)?.[1] ?? 0)

/**
 * A tenant that calls steadily, beside those who mean no good: its p95 by what
 * it is without them, and what they cost in memory, descriptors and questions
 * to the identity provider.
 *
 * A name of an abuse behind `abuse` measures that one alone.
 */
export const abuseBench = Effect.gen(function* () {
  const wanted = process.argv.slice(3)
  const cpus = yield* dividedCpus
  const database = yield* (yield* databases)("bench_abuse")
  const origin = yield* originOn(cpus.load)
  const identity = yield* identityOn(cpus.load)
  const settings = { KUBERNETES_URL: `${origin.up}/cluster` }
  const started = { name: "Portico", origin: origin.up, identity, database, cpus: cpus.contenders, settings }
  const gateway = yield* portico(started)
  yield* fill(database, 1_000, 10_000)
  yield* fillAudit(database, records, attackers, firstAttacker)
  yield* Console.log(words(cpus))
  for (let token = 0; token < firstAttacker + attackers; token++) yield* got(gateway.url(paths.show), token)
  yield* tenant(gateway, warming)

  const measured = yield* Effect.forEach(
    abuses.filter(({ kind }) => wanted.length === 0 || wanted.includes(kind)),
    (abuse) =>
      Effect.map(
        Effect.forEach(Array.from({ length: rounds }), () => round(gateway, abuse, cpus.load, identity)),
        (values) => ({ abuse, values })
      )
  )
  const part = yield* shown("abuse", Effect.succeed(partOf(measured)))
  yield* concluded("abuse", "A tenant beside those who mean no good", [part], { machine: words(cpus) })
})

interface Round {
  /** The tenant alone, and beside the abuse. */
  readonly quiet: Taken
  readonly busy: Taken
  /** MiB that the gateway held before, and more at most. */
  readonly before: number
  readonly mib: number
  readonly descriptors: number
  /** Of the identity provider. */
  readonly asked: number
  /** Answers that went on at once at most, that came to their end, and that were refused. */
  readonly open: number
  readonly whole: number
  readonly refused: number
}

const round = Effect.fnUntraced(function* (
  gateway: Contender,
  { count, kind, name }: Abuse,
  cpus: string | undefined,
  identity: string
) {
  const quiet = yield* tenant(gateway, seconds)
  const attacked = Effect.gen(function* () {
    const asked = (yield* countsOf(identity)).introspections
    const attacker = onNode("scripts/bench/abuse/attack.ts", [kind, gateway.url(""), String(count)])
    const { said } = yield* running({ name, cpus, ...attacker }, (_) => (_.includes("begun") ? true : undefined))
    const busy = yield* tenant(gateway, seconds)
    return {
      busy,
      descriptors: yield* descriptors(gateway.pid),
      asked: (yield* countsOf(identity)).introspections - asked,
      open: counted(said(), "most"),
      whole: counted(said(), "whole"),
      refused: counted(said(), "refused")
    }
  })
  const { before, mib, value } = yield* growthDuring(gateway.pid, Effect.scoped(attacked))
  yield* Effect.sleep("500 millis")
  return { quiet, before, mib, ...value } satisfies Round
})

const partOf = (measured: ReadonlyArray<{ readonly abuse: Abuse; readonly values: ReadonlyArray<Round> }>): Part => {
  const rows = measured.map(({ abuse: { name }, values }) => {
    const of = (value: (round: Round) => number) => values.map(value)
    const quiet = of((_) => p95(_.quiet.proxied))
    const busy = of((_) => p95(_.busy.proxied))
    return {
      name,
      quiet,
      busy,
      slower: ratio(busy, quiet),
      slowest: of((_) => Math.max(..._.busy.proxied)),
      health: of((_) => Math.max(..._.busy.health)),
      credentials: of((_) => Math.max(..._.busy.credentials)),
      before: of((_) => _.before),
      mib: of((_) => _.mib),
      descriptors: of((_) => _.descriptors),
      asked: of((_) => _.asked),
      open: of((_) => _.open),
      whole: of((_) => _.whole),
      refused: of((_) => _.refused)
    }
  })
  const summed = (values: ReadonlyArray<number>, digits = 0) => cell(summaryOf(values), digits)
  const goals = rows.flatMap(({ busy, health, mib, name, slower }): ReadonlyArray<Goal> => [
    { what: `p95 by the quiet one: ${name}`, measured: summaryOf(slower), wanted: { atMost: 1.5 } },
    { what: `p95 in ms: ${name}`, measured: summaryOf(busy), wanted: { atMost: 50 } },
    { what: `slowest /health in ms: ${name}`, measured: summaryOf(health), wanted: { atMost: 250 } },
    { what: `MiB more: ${name}`, measured: summaryOf(mib), wanted: { atMost: 128 } }
  ])
  const times = ["quiet p95 ms", "p95 ms", "ratio", "slowest ms", "slowest /health", "slowest /v1/credentials"]
  const costs = ["MiB before", "MiB more", "descriptors", "asked of the provider", "open at once / whole", "refused"]
  return {
    title: `A small proxied GET, ${callsPerSecond} a second`,
    rows: [
      ["beside", ...times],
      ...rows.map((_) => [
        _.name,
        summed(_.quiet, 2),
        summed(_.busy, 2),
        summed(_.slower, 2),
        summed(_.slowest),
        summed(_.health),
        summed(_.credentials)
      ]),
      ["", ...times.map(() => "")],
      ["what it took", ...costs],
      ...rows.map((_) => [
        _.name,
        summed(_.before),
        summed(_.mib),
        summed(_.descriptors),
        summed(_.asked),
        `${summaryOf(_.open).median} / ${summaryOf(_.whole).median}`,
        summed(_.refused)
      ])
    ],
    notes: ["A median (least - most) of the rounds."],
    goals,
    numbers: Object.fromEntries(rows.map((row) => [row.name, row]))
  }
}
