import { onboard } from "@portico/domain/onboarding/onboard"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Exit, Fiber } from "effect"
import { everything } from "../cloud/cleanSlate.ts"
import { inTime, pass, settle } from "../clock.ts"
import { under } from "../faults/calls.ts"
import { inDyingProcess } from "../faults/dying.ts"
import { acme, anotherTry, complete, ended, onboardAgain, rolledBack, type Story } from "./subject.ts"
import { entries, expect, nothingLeft, nothingLeftAnywhere, unchangedSince } from "./Violation.ts"

/** The rest of an attempt is over: what came late is removed. */
const swept = Effect.andThen(pass(180), inTime(sweep))

const forgotten = Effect.flatMap(entries, (_) => expect(_.length === 0, "the journal keeps a row of the attempt"))

/** Nobody else wants the name: the second look, when the rest is over, removes what came late. */
export const landsAlone: Story = Effect.fnUntraced(function* (subject, fault) {
  const exit = yield* Effect.exit(under(fault, inTime(onboard(acme))))
  if (Exit.isSuccess(exit)) {
    yield* complete(subject, exit.value)
    return yield* ended("completed")
  }
  yield* rolledBack(exit.cause)
  yield* swept
  yield* nothingLeftAnywhere
  const end = yield* ended("rolled back")
  yield* anotherTry(subject)
  return end
})

/** Another attempt has the name by then, and keeps all that is its own. */
export const landsInASuccessor: Story = Effect.fnUntraced(function* (subject, fault) {
  const exit = yield* Effect.exit(under(fault, inTime(onboard(acme))))
  if (Exit.isSuccess(exit)) return yield* ended("completed")
  const successor = yield* onboardAgain
  yield* complete(subject, successor)
  const { cloud } = yield* everything
  yield* swept
  yield* complete(subject, successor)
  yield* unchangedSince(cloud, "the sweep of the first attempt changes the second tenant")
  yield* forgotten
  return yield* ended("rolled back")
})

/** The client is gone at once, and the effect comes later. */
export const landsAfterHangUp: Story = Effect.fnUntraced(function* (_, fault) {
  yield* (yield* SimulatedCloud).fault(fault)
  const request = yield* Effect.forkDetach(onboard(acme))
  yield* settle
  yield* inTime(Fiber.interrupt(request))
  yield* nothingLeft
  yield* swept
  yield* nothingLeft
  yield* forgotten
  return yield* ended("rolled back")
})

/** The process is gone at once. The project is still there when its lease ends, so not even that leaves anything. */
export const landsAfterDeath: Story = Effect.fnUntraced(function* (_, fault) {
  yield* (yield* SimulatedCloud).fault(fault)
  yield* inDyingProcess(onboard(acme))
  yield* swept
  yield* swept
  yield* nothingLeftAnywhere
  return yield* ended("rolled back")
})
