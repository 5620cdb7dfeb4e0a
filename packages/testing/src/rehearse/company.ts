import { Effect, Layer, Predicate, Schema } from "effect"
import { existsSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { type Onboarding, simulatedWith } from "../cloud/Simulated.ts"
import { messageOf } from "../onboarding/Violation.ts"
import type { Subject } from "../onboarding/subject.ts"

/** The file says nothing that can be rehearsed; why, for the person who wrote it. */
export class Unusable extends Schema.TaggedError<Unusable>()("Unusable", { message: Schema.String }) {}

const unusable = (message: string) => new Unusable({ message })

/** A function of the file is trusted to be of the type that the help names: a wrong one fails when it is called. */
type Own = NonNullable<Parameters<typeof simulatedWith>[1]>

const isOnboarding = (value: unknown): value is Onboarding => Layer.isLayer(value)
const isCompany = (value: unknown): value is NonNullable<Own["company"]> => Predicate.isFunction(value)
const isHas = (value: unknown): value is NonNullable<Subject["has"]> => Predicate.isFunction(value)
const isSettings = Schema.is(Schema.Record(Schema.String, Schema.String))

/** The company's gateway, from a module that exports its steps. */
export const subjectOf = Effect.fnUntraced(function* (file: string) {
  if (!existsSync(file)) return yield* unusable(`There is no file ${file}.`)
  const module: unknown = yield* Effect.tryPromise({
    try: () => import(pathToFileURL(file).href),
    catch: (error) => unusable(`${file} cannot be loaded: ${messageOf(error)}`)
  })
  const exported: Readonly<Record<PropertyKey, unknown>> = Predicate.isReadonlyObject(module) ? module : {}
  const { company, has, onboarding, settings = {} } = exported

  if (onboarding === undefined) {
    const names = Object.keys(exported)
    return yield* unusable(
      `${file} exports no \`onboarding\`, but ${names.length === 0 ? "nothing" : names.join(", ")}. ` +
        "It should be the layer of your steps: export const onboarding = OnboardingSteps.layer(...)"
    )
  }
  if (!isOnboarding(onboarding)) {
    return yield* unusable(`The \`onboarding\` of ${file} is not a layer, such as OnboardingSteps.layer(...).`)
  }
  if (!isSettings(settings)) return yield* unusable(`The \`settings\` of ${file} are not an object of strings.`)
  if (company !== undefined && !isCompany(company)) {
    return yield* unusable(
      `The \`company\` of ${file} is not a function, such as () => ({ cmdb: collections({ entries: {} }) }).`
    )
  }
  if (has !== undefined && !isHas(has)) return yield* unusable(`The \`has\` of ${file} is not a function.`)

  const simulated = simulatedWith(settings, { onboarding, ...(company === undefined ? {} : { company }) })
  return { simulated, ...(has === undefined ? {} : { has }) } satisfies Subject
})
