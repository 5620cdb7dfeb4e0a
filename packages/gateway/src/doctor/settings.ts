import { Effect } from "effect"
import { check } from "../settings/check.ts"
import { variables, warningsAbout } from "../settings/unknown.ts"
import { type Check, failed, type Finding, ok, warning } from "./Check.ts"

const fix = "docker/env.example says what it is"

/** Every missing and every wrong setting, and variables that look like a misspelled one. */
export const settings: Check<never> = {
  name: "settings",
  run: Effect.gen(function* () {
    const misspelled = warningsAbout(yield* variables).map((_) => warning(_, "Correct its name, or unset it"))
    const problems = yield* Effect.match(check(), {
      onSuccess: (): ReadonlyArray<Finding> => [ok("every setting is one that a start accepts")],
      onFailure: ({ sentences }) => sentences.map((_) => failed(_, fix))
    })
    return [...misspelled, ...problems]
  })
}
