import { Config, Effect, Option } from "effect"
import { check } from "../settings/check.ts"
import { variables, warningsAbout } from "../settings/unknown.ts"
import { type Check, failed, type Finding, ok, warning } from "./Check.ts"

const fix = "docker/env.example says what it is"

/** A second platform key, which opens as much as the first one until it is unset. */
const secondKey = Effect.match(Config.option(Config.Redacted("ACCEPTED_TENANT_PASSWORD_KEY")), {
  onSuccess: (key): ReadonlyArray<Finding> =>
    Option.isNone(key)
      ? []
      : [
          warning(
            "ACCEPTED_TENANT_PASSWORD_KEY is set: a rotation of the platform's key is not over",
            "docs/operators/rotation.md says what is left to do before it is unset"
          )
        ],
  onFailure: () => []
})

/** Every missing and every wrong setting, a second platform key, and variables that look like a misspelled one. */
export const settings: Check<never> = {
  name: "settings",
  run: Effect.gen(function* () {
    const misspelled = warningsAbout(yield* variables).map((_) => warning(_, "Correct its name, or unset it"))
    const problems = yield* Effect.match(check(), {
      onSuccess: (): ReadonlyArray<Finding> => [ok("every setting is one that a start accepts")],
      onFailure: ({ sentences }) => sentences.map((_) => failed(_, fix))
    })
    return [...misspelled, ...(yield* secondKey), ...problems]
  })
}
