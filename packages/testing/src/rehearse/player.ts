import { Effect, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import { parentPort, workerData } from "node:worker_threads"
import { casesOf, play } from "../onboarding/cases.ts"
import { type Observation, observe } from "../onboarding/observe.ts"
import { acme } from "../onboarding/subject.ts"
import { messageOf } from "../onboarding/Violation.ts"
import { subjectOf, Unusable } from "./company.ts"
import type { FromPlayer, PlayerData, ToPlayer } from "./players.ts"
import { rowOf } from "./Report.ts"

// A thread that plays cases of one company's onboarding: those whose numbers it is sent, one after the other.

const quiet = Layer.merge(TestClock.layer(), Logger.layer([]))

/** What the clients of the steps lack is known when the gateway is built. */
const observed = Effect.fnUntraced(function* (subject: Effect.Success<ReturnType<typeof subjectOf>>) {
  return yield* observe(acme).pipe(
    Effect.provide(subject.simulated),
    Effect.catchTags({
      DoesNotWork: ({ message }) =>
        new Unusable({ message: `The onboarding does not even work when nothing fails: ${message}` }),
      ConfigError: ({ message }) =>
        new Unusable({ message: `The steps cannot be built: ${message}\nExport what they read as \`settings\`.` })
    }),
    Effect.catchDefect((defect) => new Unusable({ message: `The steps cannot be built: ${messageOf(defect)}` }))
  )
})

const { file, observation: given }: PlayerData = workerData
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
const say = (message: FromPlayer) => parentPort?.postMessage(message)

const begin = Effect.gen(function* () {
  const subject = yield* subjectOf(file)
  const observation: Observation = given ?? (yield* observed(subject))
  return { subject: { ...subject, observation }, observation, cases: observation.calls.flatMap(casesOf) }
}).pipe(Effect.provide(quiet), Effect.result)

const begun = await Effect.runPromise(begin)

if (Result.isFailure(begun)) {
  say({ is: "unusable", message: begun.failure.message })
} else {
  const { cases, observation, subject } = begun.success
  parentPort?.on("message", ({ index }: ToPlayer) => {
    const played = cases[index]
    if (played === undefined) return
    const playing = Effect.map(play(subject, played), (verdict) => {
      say({ is: "played", index, row: rowOf(observation, played, verdict) })
    })
    // The clock of one case is not that of the next one.
    Effect.runFork(Effect.provide(playing, quiet, { local: true }))
  })
  say({ is: "ready", observation })
}
