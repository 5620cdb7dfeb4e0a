import type { Onboarded } from "@portico/contract/Tenants"
import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Cause, Clock, type Config, Effect, type Layer, Option } from "effect"
import { inTime, pass } from "../clock.ts"
import { everything } from "../cloud/cleanSlate.ts"
import { leftIn } from "../cloud/leftovers.ts"
import { buildAnotherProcess, type Simulated } from "../cloud/Simulated.ts"
import { whole } from "../tenants/whole.ts"
import type { Observation } from "./observe.ts"
import { entries, expect, nothingLeft, messageOf, unchangedSince, Violation } from "./Violation.ts"

/** Everything below an operation of the gateway. */
export type World = Layer.Success<typeof Simulated>

/** The gateway whose onboarding is tested. */
export interface Subject {
  /** With or without steps of its own, see `simulatedWith`. */
  readonly simulated: typeof Simulated
  /** Asserts what a tenant of this gateway has beside what every tenant has. */
  readonly has?: (onboarded: Onboarded, because: string) => Effect.Effect<void, never, World>
  /** How calls fail; in all ways unless a test has to be quick. */
  readonly kinds?: ReadonlyArray<FaultKind>
}

/** A gateway of which one onboarding was seen to work. */
export interface Observed extends Subject {
  readonly observation: Observation
}

/** How an onboarding ended well, and when that was certain. */
export interface Rest {
  readonly is: "completed" | "rolled back"
  /** By the clock; a story goes on, to see that the rest stays as it is. */
  readonly at: number
}

export const ended = (is: Rest["is"]): Effect.Effect<Rest> => Effect.map(Clock.currentTimeMillis, (at) => ({ is, at }))

/** An onboarding that is cut short by one fault, and what has to hold afterwards. */
export type Story = (subject: Observed, fault: Fault) => Effect.Effect<Rest, Violation | Config.ConfigError, World>

export const acme = { name: "Acme GmbH", tier: "standard" } as const

/** The tenant has all that it should have, once: as much of each kind as when nothing fails. */
export const complete = Effect.fnUntraced(function* (subject: Observed, onboarded: Onboarded) {
  yield* whole(onboarded, "the tenant is whole")
  yield* subject.has?.(onboarded, "the tenant has what the steps make") ?? Effect.void
  const { added } = leftIn(yield* (yield* SimulatedCloud).state)
  const { made } = subject.observation
  for (const kind of new Set([...added, ...made].map((_) => _.kind))) {
    const [has, should] = [added, made].map((_) => _.filter((_) => _.kind === kind).length)
    yield* expect(has === should, `the tenant has ${has} of ${kind}, and ${should} when nothing fails`)
  }
})

const attempt = inTime(onboard(acme))

/** The name is free, and a new onboarding of it succeeds. */
export const onboardAgain = Effect.catch(attempt, (error) =>
  Effect.fail(Violation.wrong(`a second onboarding is refused: ${error.detail}`))
)

/** A new onboarding of the name makes a tenant that has all that it should have, once. */
export const anotherTry = (subject: Observed) => Effect.flatMap(onboardAgain, (_) => complete(subject, _))

/** An onboarding of the same name is refused with this code. */
export const refused = Effect.fnUntraced(function* (code: string) {
  const outcome = yield* Effect.match(attempt, { onSuccess: () => "accepted", onFailure: (_) => _.code })
  yield* expect(outcome === code, `a second onboarding should be refused with ${code}, and is: ${outcome}`)
})

/** The name is free at once, and nothing of the first attempt reaches the second one, nor outlives its rest. */
export const startsAfresh = Effect.fnUntraced(function* (subject: Observed) {
  const resting = (yield* entries).length
  yield* anotherTry(subject)
  const { cloud } = yield* everything
  yield* pass(180)
  const swept = yield* inTime(sweep)
  yield* unchangedSince(cloud, "the sweep of the first attempt changes the second tenant")
  yield* expect((yield* entries).length === 0, "the journal keeps a row of the first attempt")
  return { resting, swept }
})

/** The caller is refused for a reason that he can understand, and is told of nothing that is left. */
export const refusedInWords = Effect.fnUntraced(function* (cause: Cause.Cause<Effect.Error<typeof attempt>>) {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === undefined) return yield* Violation.wrong(`the onboarding broke: ${messageOf(Cause.squash(cause))}`)
  yield* expect(error._tag === "BadGateway" || error._tag === "Conflict", `refused with ${error._tag}`)
  const left = error._tag === "BadGateway" ? (error.left ?? []) : []
  if (left.length > 0) {
    return yield* Violation.left(
      "the caller is told of steps that are left",
      left.map((name) => ({ kind: "step", name }))
    )
  }
})

/** The onboarding failed as it should, and left nothing. */
export const rolledBack = (cause: Cause.Cause<Effect.Error<typeof attempt>>) =>
  Effect.andThen(nothingLeft, refusedInWords(cause))

/** Another replica of the gateway: over the same cloud and store, with clients and a memory of its own. */
export const replica = Effect.map(
  buildAnotherProcess,
  (itsOwn) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideContext(effect, itsOwn)
)
