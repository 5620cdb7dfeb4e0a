import type { Readiness } from "@portico/contract/Health"
import { Context, Effect } from "effect"
import { BusHealth, type BusState } from "../bus/BusHealth.ts"
import { ClusterWarnings } from "../kubernetes/warnings.ts"
import { type Component, Components } from "./Components.ts"

/**
 * Customers reach the tenants' routes; operators, on the administrative address, reach all routes. The tool calls of
 * the agent plane are calls to the tenants' routes, with an agent's rights (`asAgent`).
 */
export type Plane = "customer" | "operator" | "agent"

/**
 * The readiness: the last known state of the systems that the gateway needs. It always answers,
 * because a gateway that can answer can serve. The customer plane does not see the components.
 */
export const readiness = Effect.fn("health.readiness")(function* (plane: Plane) {
  const all = yield* components
  const isWell = ({ state }: Component) => state === "ok" || state === "not configured"
  const status = Object.values(all).every(isWell) ? ("ready" as const) : ("degraded" as const)
  const body: Readiness = plane === "operator" ? { status, components: all } : { status }
  return body
})

/** Every component by its name in the readiness. It asks no system. */
export const components = Effect.gen(function* () {
  const systems = (yield* Components).all()
  const background = (yield* Background).state()
  const limits = (yield* SharedLimits).state()
  const bus = (yield* BusHealth).state()
  const { kubernetes } = systems
  const all: Readonly<Record<string, Component>> = {
    ...systems,
    ...(kubernetes === undefined
      ? {}
      : { kubernetes: { ...kubernetes, warnings: (yield* ClusterWarnings).current() } }),
    background: backgroundOf(background),
    ...(bus === undefined ? {} : { bus: busOf(bus) }),
    ...(limits === undefined ? {} : { "rate-limits": limitsOf(limits) })
  }
  return all
})

/** A component that this process itself reports, without a probe. */
const own = (state: Component["state"], message: string | null = null): Component => ({
  state,
  since: null,
  message,
  checked_at: null,
  warnings: []
})

const busOf = (state: BusState): Component =>
  ({
    ok: own("ok"),
    behind: own("degraded", "an event has been waiting for Kafka for more than a minute"),
    unreachable: own("down", "Kafka does not answer; the log says why"),
    unauthorized: own("unauthorized", "Kafka does not accept KAFKA_USERNAME and KAFKA_PASSWORD")
  })[state]

const limitsOf = (state: SharedLimitsState): Component =>
  ({
    ok: own("ok"),
    unreachable: own("down", "Redis does not answer: each replica counts for itself"),
    unauthorized: own("unauthorized", "Redis does not accept the user and password in REDIS_URL")
  })[state]

const backgroundOf = (state: BackgroundState): Component =>
  ({
    ok: own("ok"),
    behind: own("degraded", "a background job has failed three times in a row"),
    elsewhere: own("not configured", "BACKGROUND_JOBS=elsewhere: other replicas run the background jobs")
  })[state]

export type BackgroundState = "ok" | "behind" | "elsewhere"

/** Whether the background jobs of this process keep failing, or run in other processes. */
export const Background = Context.Reference<{ state(): BackgroundState }>("portico/domain/health/Background", {
  defaultValue: () => ({ state: () => "ok" })
})

export type SharedLimitsState = "ok" | "unreachable" | "unauthorized"

/** The state of the Redis in which replicas share rate limits; undefined when none is configured. */
export const SharedLimits = Context.Reference<{ state(): SharedLimitsState | undefined }>(
  "portico/domain/health/SharedLimits",
  { defaultValue: () => ({ state: () => undefined }) }
)
