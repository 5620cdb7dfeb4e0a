import type { Readiness } from "@portico/contract/Health"
import { Probes } from "@portico/upstream/Probes"
import { Effect } from "effect"

/** Customers reach tenants' routes; operators, on the administrative address, all of them. */
export type Plane = "customer" | "operator"

/**
 * Whether what the gateway stands on can be reached. Always an answer: a
 * gateway that can say so can serve. The customer plane is not told which part.
 */
export const readiness = Effect.fn("health.readiness")(function* (plane: Plane) {
  const components = yield* (yield* Probes).all
  const status = Object.values(components).every((_) => _ === "ok") ? ("ready" as const) : ("degraded" as const)
  return (plane === "operator" ? { status, components } : { status }) satisfies Readiness
})
