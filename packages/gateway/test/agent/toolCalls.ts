import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { allTools } from "@portico/agent/tools/all"
import { readDocument } from "@portico/agent/document"
import { operations, routeOf } from "@portico/agent/tools/operation"
import { nameOf } from "@portico/agent/tools/operations"
import type { Arguments, Tool } from "@portico/agent/tools/Tool"
import { Effect, Predicate } from "effect"

/** Every tool, as somebody without limits sees it. */
export const tools: ReadonlyArray<Tool> = allTools({ permits: () => true, permitsArea: () => true })

/** Of the tools of operations: the route, as the document spells it. */
export const routeByTool: ReadonlyMap<string, string> = new Map(
  operations(readDocument()).map((_) => [nameOf(_.id), routeOf(_.endpoint)])
)

/** What a tool answers. */
export interface Told {
  readonly isError: boolean
  readonly body: Readonly<Record<string, unknown>>
}

export const called = (client: Client, name: string, given: Arguments = {}): Effect.Effect<Told> =>
  Effect.promise(async () => {
    const { isError, structuredContent } = await client.callTool({ name, arguments: { ...given } })
    return { isError: isError === true, body: Predicate.isReadonlyObject(structuredContent) ? structuredContent : {} }
  })

export const listed = (client: Client) => Effect.promise(async () => (await client.listTools()).tools)

/** Arguments as the contract's example has them, with ids that name nothing. */
export const exampleOf = ({ input, name }: Tool, id = "absent"): Arguments => {
  const inPath = new Set([...(routeByTool.get(name) ?? "").matchAll(/\{(\w+)\}/g)].map((_) => _[1] ?? ""))
  const { examples } = input
  const example = Array.isArray(examples) && Predicate.isReadonlyObject(examples[0]) ? examples[0] : {}
  const needed =
    name.endsWith("_read") || name.endsWith("_write")
      ? { path: name.startsWith("identity") ? "regions" : "absent" }
      : {}
  const method = name.endsWith("_write") ? { method: "POST", body: {} } : {}
  return {
    ...needed,
    ...method,
    ...example,
    ...Object.fromEntries([...inPath].map((_) => [_, _ === "engine" ? "postgres" : id]))
  }
}
