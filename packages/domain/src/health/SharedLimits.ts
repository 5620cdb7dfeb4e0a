import { Context } from "effect"

/** How the store does in which replicas share rate limits. */
export const SharedLimits = Context.Reference<{ state(): "ok" | "unreachable" | undefined }>(
  "portico/domain/health/SharedLimits",
  { defaultValue: () => ({ state: () => undefined }) }
)
