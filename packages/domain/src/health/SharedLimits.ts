import { Context } from "effect"

export type SharedLimitsState = "ok" | "unreachable" | "unauthorized"

/** The state of the Redis in which replicas share rate limits; undefined when none is configured. */
export const SharedLimits = Context.Reference<{ state(): SharedLimitsState | undefined }>(
  "portico/domain/health/SharedLimits",
  { defaultValue: () => ({ state: () => undefined }) }
)
