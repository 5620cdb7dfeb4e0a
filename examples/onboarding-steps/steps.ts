import { type Attempt, OnboardingSteps, step } from "@portico/domain/onboarding/Step"
import { project } from "@portico/domain/onboarding/steps"
import { Effect, Layer } from "effect"
import { Cmdb } from "./Cmdb.ts"
import { Dns } from "./Dns.ts"

/** The tenant's entry in the company's inventory, under its slug. It needs no other step, so it is made at once. */
export const cmdbEntry = step({
  name: "cmdb entry",
  do: ({ name, slug, stamp }) => Effect.flatMap(Cmdb, (_) => _.register({ key: slug, owner: name, origin: stamp })),
  undo: ({ stamp }) => Effect.flatMap(Cmdb, (_) => _.removeAll(stamp))
})

/** The same in both directions, and in every process: undo has nothing else to go by. */
const zoneOf = ({ slug, stamp }: Attempt) => ({ name: `${slug}.tenants.example.org.`, stamp })

/** A DNS zone of the tenant's own, in its project. */
export const defaultZone = step({
  name: "default zone",
  needs: [project],
  do: (attempt, made) => Effect.flatMap(Dns, (_) => _.createZone({ ...zoneOf(attempt), projectId: made(project).id })),
  undo: (attempt) => Effect.flatMap(Dns, (_) => _.removeZone(zoneOf(attempt)))
})

/** Both, with the clients that they need: all that a gateway has to be given. */
export const CompanySteps = OnboardingSteps.layer(cmdbEntry, defaultZone).pipe(Layer.provide([Cmdb.layer, Dns.layer]))
