import { whole } from "../tenants/whole.ts"
import { reconcilePurges } from "@portico/domain/projects/purge"
import { Cause, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "../clock.ts"
import { buildAnotherProcess } from "../cloud/Simulated.ts"
import { from, type Seed, seedOf } from "../cloud/seeded.ts"
import { type Explanation, explain, type Seen } from "./explain.ts"
import { found, foundOf, isFound, type Known, wrongInCloud } from "./found.ts"
import { modelOf } from "./model.ts"
import { type Answered, answered } from "./operations.ts"
import { type Order, orderOf } from "./order.ts"
import { type First, inWords, type Key, type Plan, type Scene, scenes } from "./plan.ts"
import { randomOf } from "./random.ts"
import { type Acme, begin } from "./scenes.ts"
import { Actor, clientInTurns, inTurns, quiet, Turns } from "./Turns.ts"

export type Scenes = Readonly<Record<Scene, Seed<Acme>>>

/** The beginnings of all histories. */
export const makeScenes = async (): Promise<Scenes> => {
  const [live, suspended, condemned, closed] = await Promise.all(scenes.map((_) => seedOf(begin(_))))
  if (live === undefined || suspended === undefined || condemned === undefined || closed === undefined) {
    throw new Error("a scene is missing")
  }
  return { live, suspended, condemned, closed }
}

/** A history that was played. */
export interface Played {
  readonly plan: Plan
  /** Calls and answers in their order. */
  readonly seen: ReadonlyArray<Seen>
  /** The turns in their order: who, and what it did. */
  readonly turns: ReadonlyArray<string>
  readonly explanation: Explanation | undefined
  /** What is wrong beside the answers. */
  readonly wrong: ReadonlyArray<string>
}

export const isRight = ({ explanation, wrong }: Played): boolean => explanation !== undefined && wrong.length === 0

/** Everything of a history, for a person to read. */
export const report = ({ plan, seen, turns, wrong }: Played): string =>
  [
    `history ${plan.seed}, which begins ${plan.scene}:`,
    ...plan.operations.map((_, index) => `  ${inWords(_, index)}`),
    "seen:",
    ...seen.map((_) => ("called" in _ ? `  ${_.called} is called` : `  ${_.answered} answers ${_.answer}`)),
    "wrong:",
    ...(wrong.length === 0
      ? ["  no order of the operations explains the answers and the end"]
      : wrong.map((_) => `  ${_}`)),
    "turns:",
    ...turns.map((_) => `  ${_}`)
  ].join("\n")

const mostTurns = 20_000

/**
 * Plays a history on the simulated cloud and the store in memory, and looks for an explanation.
 *
 * @param order whose turn is next; by the seed of the plan when absent
 */
export const play = (scenes: Scenes, plan: Plan, order?: Order): Effect.Effect<Played> => {
  const turns = new Turns()
  const random = randomOf(plan.seed ^ 0x5e_ed)
  const next = order ?? orderOf(random, plan.operations.length)
  const begun = from(scenes[plan.scene], (below) =>
    clientInTurns(turns).pipe(Layer.provideMerge(inTurns(turns, below)))
  )
  return begun((acme) => Effect.scoped(playOn(acme, plan, turns, next))).pipe(
    Effect.provide(Layer.merge(TestClock.layer(), Logger.layer([]))),
    Effect.orDie
  )
}

const playOn = Effect.fnUntraced(function* (acme: Acme, plan: Plan, turns: Turns, next: Order) {
  const itsOwn = yield* buildAnotherProcess
  const seen: Array<Seen> = []
  const log: Array<string> = []
  const answers = new Map<number, Answered>()

  const operations = plan.operations.map((operation, index) => {
    const running =
      operation.process === 0 ? answered(acme, operation) : Effect.provideContext(answered(acme, operation), itsOwn)
    return Effect.gen(function* () {
      yield* turns.pass("begin")
      seen.push({ called: index })
      const result = yield* running
      answers.set(index, result)
      seen.push({ answered: index, answer: result.answer })
    }).pipe(Effect.provideService(Actor, index))
  })
  const fibers = yield* Effect.forEach(operations, (_) => Effect.forkScoped(_))
  for (let step = 0; answers.size < operations.length; step++) {
    yield* quiet
    if (step > mostTurns) return { ...unfinished(plan, seen, log) }
    const chosen = turns.waiting.length === 0 ? undefined : next(turns.waiting)
    if (chosen === undefined) {
      yield* TestClock.adjust("250 millis")
      continue
    }
    log.push(`${chosen.actor} ${chosen.at}`)
    turns.go(chosen)
  }
  yield* quiet
  yield* Effect.forEach(fibers, Fiber.await)

  const known = knownOf(acme, answers)
  const end = yield* found(acme, known)
  const begin = modelOf(plan.scene)
  const explanation = explain(plan.operations, begin, seen, (model) => isFound(end, model))
  const wrong = [...(yield* wrongInCloud(acme)), ...(yield* wrongAfterwards(acme, answers))]
  const words =
    explanation === undefined
      ? [
          `no order of the operations explains the answers and the end, which is ${JSON.stringify(end, null, 2)}`,
          ...closest(plan, begin, seen)
        ]
      : []
  return { plan, seen, turns: log, explanation, wrong: [...words, ...wrong] } satisfies Played
})

const unfinished = (plan: Plan, seen: ReadonlyArray<Seen>, turns: ReadonlyArray<string>): Played => ({
  plan,
  seen,
  turns,
  explanation: undefined,
  wrong: [`it does not end within ${mostTurns} turns`]
})

/** An order that explains the answers, and how it would end. */
const closest = (
  plan: Plan,
  begin: Parameters<typeof explain>[1],
  seen: ReadonlyArray<Seen>
): ReadonlyArray<string> => {
  const ends = new Set<string>()
  explain(plan.operations, begin, seen, (model) => {
    ends.add(JSON.stringify(foundOf(model), null, 2))
    return ends.size > 3
  })
  return ends.size === 0
    ? ["no order explains the answers alone"]
    : [...ends].map((_) => `the answers would be explained by the end ${_}`)
}

const firsts: ReadonlyArray<First> = ["c0", "c1", "c2"]

const knownOf = ({ ids, tokens }: Acme, answers: ReadonlyMap<number, Answered>): ReadonlyArray<Known> => [
  ...firsts.map((key) => ({ key, id: ids[key], token: tokens[key] })),
  ...[...answers].flatMap(([index, { credential }]) => {
    if (credential === undefined) return []
    return [{ ...credential, key: keyOf(index) }]
  })
]

const keyOf = (index: number): Key => `m${index}`

/** The deletion that is left is carried out, and leaves nothing; a tenant that was onboarded is whole. */
const wrongAfterwards = Effect.fnUntraced(function* (acme: Acme, answers: ReadonlyMap<number, Answered>) {
  yield* inTime(reconcilePurges)
  const wrong = [...(yield* wrongInCloud(acme))]
  for (const { onboarded } of answers.values()) {
    if (onboarded === undefined) continue
    const exit = yield* Effect.exit(Effect.suspend(() => whole(onboarded, "the tenant is whole")))
    if (Exit.isFailure(exit)) wrong.push(Cause.pretty(exit.cause))
  }
  return wrong
})
