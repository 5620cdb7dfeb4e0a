import type { Tool } from "../tools/Tool.ts"
import type { ToolOf } from "./advice.ts"

/** Finds the tool of an operation by name. The tool that reads a service behind a catch-all is `read:compute`. */
export const toolsByOperation = (tools: ReadonlyArray<Tool>): ToolOf => {
  const names = new Map(tools.flatMap((_) => keysOf(_).map((key) => [key, _.name] as const)))
  return (operation) => names.get(operation)
}

const keysOf = ({ area, operation, writes }: Tool): ReadonlyArray<string> =>
  operation !== undefined ? [operation] : writes ? [] : [`read:${area}`]
