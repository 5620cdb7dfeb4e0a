import { applyPlan } from "../plans/applyPlan.ts"
import type { Rights } from "../Rights.ts"
import { areasTool } from "./areas.ts"
import { operationTools } from "./operations.ts"
import { proxyTools } from "./proxies.ts"
import type { Tool } from "./Tool.ts"

/** Every tool of the agent plane. Two tools of one name are a defect, at which the process does not start. */
export const allTools = (rights: Rights["Service"]): ReadonlyArray<Tool> => {
  const tools = [...operationTools((caller, endpoint) => rights.permits(caller, endpoint)), ...proxyTools(rights)]
  const whole = [...tools, areasTool(tools), applyPlan(tools)]
  const names = new Set(whole.map((_) => _.name))
  if (names.size < whole.length) throw new Error("two tools have one name")
  return whole
}
