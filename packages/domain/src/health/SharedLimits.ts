import { Context } from "effect"

export type SharedLimitsState = "ok" | "unreachable" | "unauthorized"

/** How the store does in which replicas share rate limits; undefined where there is none. */
export const SharedLimits = Context.Reference<{ state(): SharedLimitsState | undefined }>(
  "portico/domain/health/SharedLimits",
  { defaultValue: () => ({ state: () => undefined }) }
)
