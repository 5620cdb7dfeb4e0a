import type { Arguments, InputSchema, Tool } from "../tools/Tool.ts"
import { fieldsInput, fieldsOf } from "./fields.ts"
import { waitingOf } from "./work.ts"

/** The arguments of a tool call, divided by their use. */
export interface Asked {
  /** The arguments of the operation. */
  readonly given: Arguments
  /** The fields to which the answer is reduced; undefined for all of them. */
  readonly fields: ReadonlyArray<string> | undefined
  /** Whether the tool waits for the work that the call begins. */
  readonly wait: boolean
}

/** Whether the operation has no argument of this name itself. */
const isFree = ({ input }: Tool, name: string): boolean => !(name in input.properties)

const takesFields = (tool: Tool): boolean => !tool.writes && isFree(tool, "fields")
const takesWait = (tool: Tool): boolean => waitingOf(tool.operation) !== undefined && isFree(tool, "wait")

/** The schema of a tool's arguments, with `fields` and `wait` where the tool takes them. */
export const inputOf = (tool: Tool): InputSchema => ({
  ...tool.input,
  properties: {
    ...tool.input.properties,
    ...(takesFields(tool) ? { fields: fieldsInput } : {}),
    ...(takesWait(tool) ? { wait: { type: "boolean" } } : {})
  }
})

/** Divides the arguments of a call into those of the operation, `fields` and `wait`. */
export const askedOf = (tool: Tool, all: Arguments): Asked => {
  const { fields, wait, ...rest } = all
  const own = { fields: takesFields(tool), wait: takesWait(tool) }
  return {
    given: {
      ...rest,
      ...(own.fields || fields === undefined ? {} : { fields }),
      ...(own.wait || wait === undefined ? {} : { wait })
    },
    fields: own.fields ? fieldsOf(fields) : undefined,
    wait: own.wait && wait === true
  }
}
