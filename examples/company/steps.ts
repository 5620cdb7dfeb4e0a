import { OnboardingSteps, step } from "@portico/domain/onboarding/Step"
import { Effect, Layer } from "effect"
import { Desk } from "./Desk.ts"

/** The tenant's queue at the support desk, under its slug. */
const supportQueue = step({
  name: "support queue",
  do: ({ slug, stamp }) => Effect.flatMap(Desk, (_) => _.open({ name: slug, origin: stamp })),
  undo: ({ stamp }) => Effect.flatMap(Desk, (_) => _.close(stamp))
})

/** What the gateway has to be given: the step, with the client that it needs. */
export const CompanySteps = OnboardingSteps.layer(supportQueue).pipe(Layer.provide(Desk.layer))
