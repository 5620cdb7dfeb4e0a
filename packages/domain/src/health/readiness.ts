import type { Readiness } from "@portico/contract/Health"
import { Probes } from "@portico/upstream/Probes"
import { Tenants } from "@portico/store/Tenants"
import { Duration, Effect } from "effect"
import { BusHealth } from "../bus/BusHealth.ts"
import { ClusterWarnings } from "../kubernetes/warnings.ts"
import { Background } from "./Background.ts"
import { SharedLimits } from "./SharedLimits.ts"

/** Customers reach tenants' routes; operators, on the administrative address, all of them. */
export type Plane = "customer" | "operator"

/** A look into the store that is good for nothing else. */
const patience = Duration.seconds(2)

const database = Effect.flatMap(Tenants, (_) => _.find("")).pipe(
  Effect.timeout(patience),
  Effect.as("ok" as const),
  Effect.catchCause(() => Effect.succeed("unreachable" as const))
)

/**
 * Whether what the gateway stands on can be reached. Always an answer: a
 * gateway that can say so can serve. The customer plane is not told which part.
 */
export const readiness = Effect.fn("health.readiness")(function* (plane: Plane) {
  const [systems, store] = yield* Effect.all([(yield* Probes).all, database], { concurrency: 2 })
  const background = (yield* Background).isBehind() ? ("behind" as const) : ("ok" as const)
  const limits = (yield* SharedLimits).state()
  const bus = (yield* BusHealth).state()
  const components = {
    ...systems,
    database: store,
    background,
    ...(bus === undefined ? {} : { bus }),
    ...(limits === undefined ? {} : { "rate-limits": limits })
  }
  const isWell = (state: string) => state === "ok" || state === "not configured"
  const status = Object.values(components).every(isWell) ? ("ready" as const) : ("degraded" as const)
  const warnings = (yield* ClusterWarnings).current()
  return (
    plane === "operator" ? { status, components, ...(warnings.length === 0 ? {} : { warnings }) } : { status }
  ) satisfies Readiness
})
