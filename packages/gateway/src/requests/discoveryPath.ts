import { mcpPath } from "@portico/agent/AgentServer"

/** Where clients find how to authenticate (RFC 9728), on every plane beside the API. */
export const discoveryPath = "/.well-known/oauth-protected-resource"

/** Where they find it for the MCP endpoint of the agent plane (RFC 9728, section 3.1: before the resource's path). */
export const agentDiscoveryPath = `${discoveryPath}${mcpPath}` as const
