import { Console, Effect, FileSystem } from "effect"
import { Agent, request } from "undici"
import { summaryOf } from "./numbers.ts"
import { type Contender, originOn, portico } from "./proxy/contenders.ts"
import { databases, fill } from "./proxy/database.ts"
import { countsOf } from "./proxy/identity.ts"
import { dividedCpus, growthDuring, words } from "./proxy/machine.ts"
import { paths } from "./proxy/names.ts"
import { onNode, running, urlIn } from "./proxy/processes.ts"
import { got, headersOf } from "./proxy/stage.ts"
import { cell, concluded, type Goal, type Part, printed, ratio } from "./results.ts"

/** Each abuse is measured so often, and right before it the tenant alone. */
const rounds = 3
const seconds = 2.5
/** As long as V8 takes to compile a gateway. */
const warming = 6
/** The tenant's calls a second, sent when they are due and not when the one before is over. */
const callsPerSecond = 200
/** Tokens of the tenant, all known. */
const tokens = 20

interface Abuse {
  readonly name: string
  readonly kind: "flood" | "docs" | "large"
  readonly count: number
}

const abuses: ReadonlyArray<Abuse> = [
  { name: "500 dead tokens a second", kind: "flood", count: 500 },
  { name: "1,000 that never read /docs", kind: "docs", count: 1000 },
  { name: "100 that never read a large answer", kind: "large", count: 100 }
]

/** Lets go of connections long before the gateway does, so that none is used at the moment of its end. */
const agent = new Agent({ connections: 64, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 })

/** Milliseconds that the tenant's calls took, of all that were sent in this time. */
const tenant = ({ url }: Contender, lasting: number) =>
  Effect.promise(async () => {
    const taken: Array<number> = []
    const calls: Array<Promise<void>> = []
    const begun = performance.now()
    const call = async (index: number, due: number) => {
      const headers = headersOf(index % tokens)
      const { body, statusCode } = await request(url(paths.show), { dispatcher: agent, headers })
      await body.dump()
      // From when it was due, so that a gateway that answers nothing for a while is not let off.
      taken.push(statusCode === 200 ? performance.now() - due : Number.POSITIVE_INFINITY)
    }
    for (let index = 0; index < lasting * callsPerSecond; index++) {
      const due = begun + (index * 1000) / callsPerSecond
      const early = due - performance.now()
      if (early > 0) await new Promise((done) => setTimeout(done, early))
      calls.push(call(index, Math.max(due, performance.now())))
    }
    await Promise.all(calls)
    return taken
  })

const p95 = (taken: ReadonlyArray<number>): number =>
  taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.95)] ?? Number.NaN

const descriptors = (pid: number) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    Effect.orElseSucceed(
      Effect.map(fs.readDirectory(`/proc/${pid}/fd`), (_) => _.length),
      () => Number.NaN
    )
  )

/**
 * A tenant that calls steadily, beside those who mean no good: its p95 by what
 * it is without them, and what they cost in memory, descriptors and questions
 * to the identity provider.
 */
export const abuseBench = Effect.gen(function* () {
  const cpus = yield* dividedCpus
  const database = yield* (yield* databases)("bench_abuse")
  const origin = yield* originOn(cpus.load)
  const program = onNode("scripts/bench/proxy/programs/identity.ts")
  const { up: identity } = yield* running({ name: "the identity provider", cpus: cpus.load, ...program }, urlIn)
  const gateway = yield* portico({ name: "Portico", origin: origin.up, identity, database, cpus: cpus.contenders })
  yield* fill(database, 1_000, 10_000)
  yield* Console.log(words(cpus))
  for (let token = 0; token < 300; token++) yield* got(gateway.url(paths.show), token)
  yield* tenant(gateway, warming)

  const beside = Effect.fnUntraced(function* ({ count, kind, name }: Abuse) {
    const asked = (yield* countsOf(identity)).introspections
    const attacker = onNode("scripts/bench/abuse/attack.ts", [kind, gateway.url(""), String(count)])
    yield* running({ name, cpus: cpus.load, ...attacker }, (said) => (said.includes("begun") ? true : undefined))
    const taken = yield* tenant(gateway, seconds)
    return {
      p95: p95(taken),
      descriptors: yield* descriptors(gateway.pid),
      asked: (yield* countsOf(identity)).introspections - asked
    }
  }, Effect.scoped)

  const measured = yield* Effect.forEach(abuses, (abuse) =>
    Effect.map(
      Effect.forEach(Array.from({ length: rounds }), () =>
        Effect.gen(function* () {
          const quiet = p95(yield* tenant(gateway, seconds))
          const { mib, value } = yield* growthDuring(gateway.pid, beside(abuse))
          yield* Effect.sleep("500 millis")
          return { quiet, mib, ...value }
        })
      ),
      (values) => ({ abuse, values })
    )
  )
  const part = partOf(measured)
  yield* Console.log(printed(part))
  yield* concluded("abuse", "A tenant beside those who mean no good", [{ name: "abuse", part }], {
    machine: words(cpus)
  })
})

interface Round {
  readonly quiet: number
  readonly p95: number
  readonly mib: number
  readonly descriptors: number
  readonly asked: number
}

const partOf = (measured: ReadonlyArray<{ readonly abuse: Abuse; readonly values: ReadonlyArray<Round> }>): Part => {
  const of = (values: ReadonlyArray<Round>, key: keyof Round) => summaryOf(values.map((_) => _[key]))
  const goals = measured.flatMap(({ abuse: { name }, values }): ReadonlyArray<Goal> => {
    const slower = ratio(
      values.map((_) => _.p95),
      values.map((_) => _.quiet)
    )
    return [
      { what: `p95 by the quiet one: ${name}`, measured: summaryOf(slower), wanted: { atMost: 1.5 } },
      { what: `p95 in ms: ${name}`, measured: of(values, "p95"), wanted: { atMost: 50 } },
      { what: `MiB more: ${name}`, measured: of(values, "mib"), wanted: { atMost: 128 } }
    ]
  })
  return {
    title: "A small proxied GET, 200 a second",
    rows: [
      ["beside", "quiet p95 ms", "p95 ms", "MiB more", "descriptors", "asked of the provider"],
      ...measured.map(({ abuse, values }) => [
        abuse.name,
        cell(of(values, "quiet"), 2),
        cell(of(values, "p95"), 2),
        cell(of(values, "mib"), 0),
        cell(of(values, "descriptors"), 0),
        cell(of(values, "asked"), 0)
      ])
    ],
    notes: ["A median (least - most) of the rounds."],
    goals,
    numbers: Object.fromEntries(measured.map(({ abuse, values }) => [abuse.name, values]))
  }
}
