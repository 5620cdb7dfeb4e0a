import { areas } from "@portico/contract/areas"
import { Context, Effect, Layer } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { codes } from "../answers/advice.ts"
import { answerOf } from "../answers/answerOf.ts"
import { bounded } from "../answers/bounded.ts"
import { completionOf } from "../answers/completion.ts"
import { failureOf } from "../answers/failure.ts"
import { untrustedKey, untrustedText } from "../answers/result.ts"
import { toolsByOperation } from "../answers/toolsByOperation.ts"
import { visible } from "../answers/visible.ts"
import { Api } from "../Api.ts"
import { type Agent, CurrentAgent } from "../CurrentAgent.ts"
import type { Tool } from "../tools/Tool.ts"
import { agentDocument } from "./agent.ts"
import { areaList, areaNamed } from "./areas.ts"
import { errorList, errorNamed } from "./errors.ts"

type Json = Readonly<Record<string, unknown>>

const mimeType = "application/json"

const caller = Effect.flatMap(CurrentAgent, (_) =>
  _ === undefined ? Effect.die("the request has no agent") : Effect.succeed(_)
)

/** A resource whose whole text comes from the server. */
const own = (uri: string, document: Json): McpSchema.ReadResourceResult => ({
  contents: [{ uri, mimeType, text: JSON.stringify(document) }]
})

/** A resource with text that other people may have written. */
const ofOthers = (uri: string, name: string, document: Json): McpSchema.ReadResourceResult => ({
  contents: [
    {
      uri,
      mimeType,
      _meta: { [untrustedKey]: true },
      text: JSON.stringify({ [name]: visible(document), note: untrustedText })
    }
  ]
})

/** A document of the tenant from the API, which checks the call. A refusal by the API fails the read. */
const fromApi = Effect.fnUntraced(function* (
  agent: Agent,
  path: string,
  toolOf: (operation: string) => string | undefined
) {
  const answer = answerOf(yield* (yield* Api).call(agent, { method: "GET", path }))
  if (answer.failed) {
    const { requestId } = agent
    const data = visible(failureOf(answer, { requestId, writes: false, toolOf }))
    return yield* new McpSchema.InternalError({ message: String(data["detail"]), data })
  }
  const found = bounded(answer.body)
  return "body" in found ? found.body : { too_large: found.sizes }
})

/** Adds the resources to the MCP server: areas and tools, the tenant's quotas, the status, failures, and the caller. */
export const resources = (tools: ReadonlyArray<Tool>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const services = yield* Effect.context<Api>()
      const toolOf = toolsByOperation(tools)
      const annotations = Context.empty()

      const add = (
        uri: string,
        name: string,
        description: string,
        handle: Effect.Effect<McpSchema.ReadResourceResult, McpSchema.InternalError, Api>
      ) =>
        server.addResource({
          resource: new McpSchema.Resource({ uri, name, description, mimeType }),
          annotations,
          services,
          handle: Effect.provide(handle, services)
        })

      /** @param parts the values that the parameter can have */
      const addEach = (
        parameter: string,
        uri: string,
        name: string,
        description: string,
        parts: ReadonlyArray<string>,
        find: (part: string, agent: Agent) => Json | undefined
      ) =>
        server.addResourceTemplate({
          template: new McpSchema.ResourceTemplate({
            uriTemplate: `${uri}/{${parameter}}`,
            name,
            description,
            mimeType
          }),
          annotations,
          services,
          routerPath: `${uri.replace(":", "::")}/:0`,
          completions: { [parameter]: completionOf(parts) },
          handle: (asked, [part = ""]) =>
            Effect.flatMap(caller, (agent) => {
              const found = find(part, agent)
              return found === undefined
                ? Effect.fail(new McpSchema.InvalidParams({ message: `No such ${parameter}; ${uri} lists them` }))
                : Effect.succeed(own(asked, found))
            })
        })

      const read = (uri: string, name: string, path: string) =>
        Effect.flatMap(caller, (agent) => Effect.map(fromApi(agent, path, toolOf), (_) => ofOthers(uri, name, _)))

      yield* add(
        "portico://areas",
        "areas",
        "The areas of the platform and the tools in each",
        Effect.map(caller, (agent) => own("portico://areas", areaList(tools, agent)))
      )
      yield* addEach(
        "area",
        "portico://areas",
        "area",
        "An area's operations: tools, and what only people do",
        areas,
        (area, agent) => areaNamed(area, tools, agent)
      )
      yield* add(
        "portico://quotas",
        "quotas",
        "The tenant's quotas and what of them is used",
        read("portico://quotas", "quotas", "/v1/quotas")
      )
      yield* add(
        "portico://status",
        "status",
        "The platform's status and incidents",
        read("portico://status", "status", "/v1/status")
      )
      yield* add("portico://errors", "errors", "Every error code", Effect.succeed(own("portico://errors", errorList)))
      yield* addEach(
        "code",
        "portico://errors",
        "error",
        "An error code: meaning, cause and what to do",
        codes,
        (code) => errorNamed(code, toolOf)
      )
      yield* add(
        "portico://agent",
        "agent",
        "Who the caller is: tier, expiry, and what it may not do",
        Effect.map(caller, (agent) => ofOthers("portico://agent", "agent", agentDocument(agent)))
      )
    })
  )
