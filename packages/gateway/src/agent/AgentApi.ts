import { Health } from "@portico/contract/Health"
import { HttpApi } from "effect/http-api"

/** The declared routes of the agent plane beside MCP: its health, which load balancers check on every plane. */
export class AgentApi extends HttpApi.make("portico").add(Health) {}
