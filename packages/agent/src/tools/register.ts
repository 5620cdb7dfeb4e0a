import { Context, Effect, Layer, Predicate } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import type { Actions } from "../Actions.ts"
import { inputOf } from "../answers/arguments.ts"
import { Answering } from "../answers/Answering.ts"
import { reportOf } from "../answers/progress.ts"
import { toolsByOperation } from "../answers/toolsByOperation.ts"
import { Areas } from "../Areas.ts"
import { type Agent, CurrentAgent } from "../CurrentAgent.ts"
import { isListed, switchedOn } from "./areas.ts"
import { callTool } from "./callTool.ts"
import { isOpenWorld } from "./openWorld.ts"
import type { Tool, ToolServices } from "./Tool.ts"

/**
 * Adds the tools to the MCP server. A list has the tools that its reader may use. The API refuses calls of the others.
 */
export const registered = (tools: ReadonlyArray<Tool>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const services = yield* Effect.context<Actions | ToolServices>()
      const toolOf = toolsByOperation(tools)
      for (const tool of tools) {
        yield* server.addTool({
          tool: descriptorOf(tool),
          annotations: Context.empty(),
          services,
          handle: (given: unknown) =>
            Effect.gen(function* () {
              const agent = yield* CurrentAgent
              if (agent === undefined) return yield* Effect.die("the request has no agent")
              const answering = { toolOf, report: yield* reportOf(server) }
              const call = callTool(agent, tool, Predicate.isReadonlyObject(given) ? given : {})
              return yield* Effect.provideService(call, Answering, answering)
            }).pipe(Effect.provide(services))
        })
      }
    })
  ).pipe(Layer.provide(visibleOf(tools).layer))

const visibleOf = (tools: ReadonlyArray<Tool>) => {
  const listed = listedOf(tools)
  return McpServer.visibility(
    Effect.map(
      Areas,
      (areas) =>
        ({ method, target }) =>
          method === "tools/call" ? Effect.succeed(true) : Effect.provideService(isSeen(listed, target), Areas, areas)
    )
  )
}

/** Whether the current agent's list has the tool. The server asks this for each tool. */
const isSeen = (listed: ReturnType<typeof listedOf>, name: string) =>
  Effect.flatMap(CurrentAgent, (agent) =>
    agent === undefined
      ? Effect.succeed(false)
      : Effect.map(switchedOn(agent), (areas) => listed(agent, areas).has(name))
  )

/**
 * Returns the names in an agent's list. They are calculated once for each set of areas. A request has a set of its own,
 * which a switch of areas replaces by another one.
 */
const listedOf = (tools: ReadonlyArray<Tool>) => {
  const known = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>()
  return (agent: Agent, areas: ReadonlySet<string>): ReadonlySet<string> => {
    const before = known.get(areas)
    if (before !== undefined) return before
    const names = new Set(tools.filter((_) => isListed(_, areas) && _.visibleTo(agent)).map((_) => _.name))
    known.set(areas, names)
    return names
  }
}

const descriptorOf = (tool: Tool) => {
  const { description, idempotent, name, title, writes } = tool
  return new McpSchema.Tool({
    name,
    title,
    description,
    inputSchema: inputOf(tool),
    annotations: {
      readOnlyHint: !writes,
      destructiveHint: false,
      idempotentHint: idempotent,
      openWorldHint: isOpenWorld(tool)
    }
  })
}
