import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { discovery } from "../discovery/discovery.ts"
import { ActionsLive } from "./actions.ts"
import { HealthHandlers } from "../handlers/Health.ts"
import { AgentApi } from "./AgentApi.ts"
import { AreasLive } from "./areas.ts"
import { McpEndpoint } from "./endpoint.ts"
import { agentMiddleware } from "./middleware.ts"
import { NotedApi } from "./notedCalls.ts"
import { PlansLive } from "./plans.ts"
import { AgentPolicyLive } from "./policy.ts"
import { ProxyWeightsLive } from "./proxyWeights.ts"
import { RightsLive } from "./rights.ts"

const Health = HttpApiBuilder.layer(AgentApi).pipe(Layer.provide(HealthHandlers("agent")))

/** The routes of the agent plane: MCP for callers with a token, health, and the metadata that leads to a login. */
export const AgentRoutes = Layer.mergeAll(McpEndpoint, Health, discovery("agent"), agentMiddleware).pipe(
  Layer.provide([ActionsLive, AgentPolicyLive, AreasLive, NotedApi, PlansLive, ProxyWeightsLive, RightsLive])
)
