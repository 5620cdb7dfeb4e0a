import { Context } from "effect"

/** Whether the background jobs of this process keep failing. */
export const Background = Context.Reference<{ isBehind(): boolean }>("portico/domain/health/Background", {
  defaultValue: () => ({ isBehind: () => false })
})
