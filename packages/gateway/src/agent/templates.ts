import { mcpPath } from "@portico/agent/AgentServer"
import { discoveryPath } from "../requests/discoveryPath.ts"
import { templatesOf } from "../observability/templates.ts"
import { AgentApi } from "./AgentApi.ts"

/** The paths of the agent plane, for metrics and traces. */
export const templates = templatesOf(AgentApi, [mcpPath, `${discoveryPath}${mcpPath}`])
