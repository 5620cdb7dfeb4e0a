import { Authenticated, tierNeeded } from "@portico/contract/Access"
import { CustomerApi } from "@portico/contract/Api"
import { areaOf, areas } from "@portico/contract/areas"
import { HttpApi } from "effect/http-api"
import { summaryOf } from "../answers/operations.ts"
import type { Agent } from "../CurrentAgent.ts"
import type { Tool } from "../tools/Tool.ts"

interface Operation {
  readonly id: string
  readonly area: string
  /** `GET /v1/credentials` */
  readonly route: string
  readonly destroys: boolean
}

/**
 * The operations of the customer plane that take a credential, without the catch-alls: those have tools of their own.
 */
const operations: ReadonlyArray<Operation> = (() => {
  const found: Array<Operation> = []
  HttpApi.reflect(CustomerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) => {
      if (![...middleware].some((_) => _.key === Authenticated.key) || endpoint.path.endsWith("*")) return
      found.push({
        id: `${group.identifier}.${endpoint.identifier}`,
        area: areaOf(endpoint.path),
        route: `${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`,
        destroys: tierNeeded(endpoint) === 2
      })
    }
  })
  return found
})()

/** Every area with the tools that the agent may use in it. */
export const areaList = (tools: ReadonlyArray<Tool>, agent: Agent) => ({
  areas: areas.map((area) => ({
    area,
    resource: `portico://areas/${area}`,
    tools: tools.filter((_) => _.area === area && _.visibleTo(agent)).map((_) => _.name)
  }))
})

/**
 * An area's operations: those that are tools, and those that agents do not have. Undefined when there is no such area.
 */
export const areaNamed = (area: string, tools: ReadonlyArray<Tool>, agent: Agent) => {
  if (!areas.includes(area)) return undefined
  const own = tools.filter((_) => _.area === area)
  const covered = new Set(own.flatMap((_) => _.operation ?? []))
  return {
    area,
    tools: own.map((tool) => ({
      tool: tool.name,
      title: tool.title,
      writes: tool.writes,
      available: tool.visibleTo(agent)
    })),
    not_for_agents: operations
      .filter((_) => _.area === area && !covered.has(_.id))
      .map(({ destroys, id, route }) => ({
        route,
        summary: summaryOf(id),
        why: destroys ? "It deletes: a person does it." : "It answers with a secret, or is no call for an agent."
      }))
  }
}
