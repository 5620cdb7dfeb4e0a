import { collections, companyUrl } from "@portico/testing/cloud/collections"
import { simulatedWith } from "@portico/testing/cloud/Simulated"
import { ConfigProvider, Layer } from "effect"
import { Desk } from "./Desk.ts"
import { CompanySteps } from "./steps.ts"

const settings = { DESK_URL: companyUrl("desk"), DESK_TOKEN: "a token of the desk" }

/** A support desk as it is before the first tenant. */
export const company = () => ({ desk: collections({ queues: { unique: "name" } }) })

/** The gateway with the company's step, over a cloud and a support desk in memory. */
export const Simulated = simulatedWith(settings, { onboarding: CompanySteps, company })

/** The same, with the client of the desk, for tests that call it. */
export const SimulatedDesk = Desk.layer.pipe(
  Layer.provideMerge(Simulated),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
)
