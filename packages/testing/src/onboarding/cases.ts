import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { Clock, Effect, Result } from "effect"
import { kinds, whens } from "../faults/calls.ts"
import { dies, hangsUp, wakes } from "./crash.ts"
import { landsAfterDeath, landsAfterHangUp, landsAlone, landsInASuccessor } from "./lateEffects.ts"
import type { ObservedCall } from "./observe.ts"
import { race } from "./replicas.ts"
import { fails } from "./rollback.ts"
import type { Observed, Rest, Story } from "./subject.ts"
import { messageOf, Violation } from "./Violation.ts"

/** The kinds of faults, by which a person chooses some of them. */
export const faultNames = ["status", "reset", "hang", "garbage", "hang-up", "death", "late", "replicas"] as const
export type FaultName = (typeof faultNames)[number]

/** One call of an onboarding, cut short in one way. */
export interface Case {
  readonly call: ObservedCall
  readonly name: FaultName
  readonly when: Fault["when"]
  /** The fault in a few words. */
  readonly title: string
  readonly fault: Fault
  readonly story: Story
}

/** The gateway gives up after 10 seconds, the effect or the answer comes 20 seconds later. */
const late = { delay_ms: 30_000 }

/** The effect comes when another replica has removed and forgotten the attempt. */
const veryLate = { delay_ms: 300_000 }

const lateStories = [
  ["late effect", landsAlone],
  ["late effect, the name is in use again", landsInASuccessor],
  ["late effect, the client hangs up", landsAfterHangUp],
  ["late effect, the process dies", landsAfterDeath]
] as const

const nameOf = (as: FaultKind): FaultName => {
  if (typeof as === "string") return as
  return "status" in as ? "status" : "late"
}

const titleOf = (as: FaultKind): string => {
  if (typeof as === "string") return as
  return "status" in as ? String(as.status) : `${as.delay_ms} ms`
}

/** The call fails, before and after its effect. */
export const failuresOf = (call: ObservedCall, as: ReadonlyArray<FaultKind> = kinds): ReadonlyArray<Case> =>
  whens.flatMap((when) => as.map((as) => caseOf(call, when, as, nameOf(as), titleOf(as), fails)))

/** The call hangs, and the process dies there, or its machine stands still for a time. */
export const deathsOf = (call: ObservedCall): ReadonlyArray<Case> => [
  ...whens.map((when) => caseOf(call, when, "hang", "death", "the process dies", dies)),
  ...whens.map((when) => caseOf(call, when, late, "death", "the machine stands still", wakes)),
  caseOf(call, "before", veryLate, "death", "the machine stands still, and the call waits in a queue", wakes)
]

export const hangUpsOf = (call: ObservedCall): ReadonlyArray<Case> =>
  whens.map((when) => caseOf(call, when, "hang", "hang-up", "the client hangs up", hangsUp))

/** The call's effect comes when the gateway no longer waits for it. */
export const lateEffectsOf = (call: ObservedCall): ReadonlyArray<Case> =>
  lateStories.map(([title, story]) => caseOf(call, "before", late, "late", title, story))

/** Two replicas do the same at once, and the call of one of them loses its answer. */
export const racesOf = (call: ObservedCall): ReadonlyArray<Case> =>
  whens.map((when) => caseOf(call, when, "reset", "replicas", "reset, two replicas at once", race))

/** Every way in which an onboarding can be cut short at the call. */
export const casesOf = (call: ObservedCall): ReadonlyArray<Case> => [
  ...failuresOf(call),
  ...hangUpsOf(call),
  ...deathsOf(call),
  ...lateEffectsOf(call),
  ...racesOf(call)
]

const caseOf = (
  call: ObservedCall,
  when: Fault["when"],
  as: FaultKind,
  name: FaultName,
  title: string,
  story: Story
): Case => {
  const { method, nth, path, service } = call
  return { call, name, when, title, story, fault: { service, method, path, nth, when, as } }
}

/** How a case ended, and how long that took in the time of the simulated cloud. */
export interface Verdict {
  readonly result: Result.Result<Rest["is"], Violation>
  readonly ms: number
}

/** Plays the case in a cloud and a store of its own. A failed assertion or another exception is a wrong outcome. */
export const play = (subject: Observed, { fault, story }: Case): Effect.Effect<Verdict> =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    const result = yield* story(subject, fault).pipe(
      Effect.catchTag("ConfigError", Effect.die),
      Effect.catchDefect((defect) => Effect.fail(Violation.wrong(messageOf(defect)))),
      Effect.result
    )
    const end = Result.isSuccess(result) ? result.success.at : yield* Clock.currentTimeMillis
    return { result: Result.map(result, (_) => _.is), ms: end - start }
  }).pipe(Effect.provide(subject.simulated), Effect.orDie)

/** For the title of a test, and of a report. */
export const callInWords = ({ method, nth, path, service }: ObservedCall): string =>
  `${service} ${method} ${path}${nth === 1 ? "" : ` (${nth})`}`

export const faultInWords = ({ name, title, when }: Case): string =>
  name === "late" ? title : `${title}, ${when} its effect`
