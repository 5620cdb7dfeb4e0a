import { NodeHttpServerRequest } from "@effect/platform-node"
import { mcpPath } from "@portico/agent/AgentServer"
import { peopleScopes } from "@portico/contract/openapi/security"
import type { Plane } from "@portico/domain/health/readiness"
import { Config, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { TLSSocket } from "node:tls"
import { ListeningPlanes } from "./ListeningPlanes.ts"
import { documentAddresses } from "../documentAddresses.ts"
import { agentDiscoveryPath, discoveryPath } from "../requests/discoveryPath.ts"

/**
 * The metadata of a plane as an OAuth 2.0 protected resource (RFC 9728), without authentication: the identity provider,
 * the scopes that a person's login needs, and the public client that the command line uses. Without a public URL the
 * resource is the address in the client's request, which the client can reach. The resource of
 * the agent plane is its MCP endpoint, whose metadata MCP clients look for below the well-known path too. The customer
 * plane names that endpoint.
 */
export const discovery = (plane: Plane) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const addresses = yield* documentAddresses(plane)
      const agents = plane === "customer" ? yield* agentUrl : Effect.succeed(undefined)
      const client = yield* Config.option(Config.String("CLI_CLIENT_ID"))
      const metadata = {
        resource_name: `Portico, ${plane} plane`,
        authorization_servers: [addresses.issuer],
        scopes_supported: peopleScopes(addresses),
        bearer_methods_supported: ["header"],
        ...Option.match(client, { onNone: () => ({}), onSome: (_) => ({ portico_cli_client_id: _ }) })
      }
      const answer = Effect.gen(function* () {
        const base = originOf(addresses.server, yield* HttpServerRequest.HttpServerRequest)
        const agent = yield* agents
        return HttpServerResponse.jsonUnsafe(
          {
            resource: plane === "agent" ? `${base}${mcpPath}` : base,
            ...metadata,
            ...(agent === undefined ? {} : { portico_agent_url: agent })
          },
          // The resource depends on the Host of the request, which a shared cache may not look at.
          { headers: { "cache-control": "no-store" } }
        )
      })
      const routes = HttpRouter.add("GET", discoveryPath, answer)
      return plane === "agent" ? Layer.merge(routes, HttpRouter.add("GET", agentDiscoveryPath, answer)) : routes
    })
  )

/** The MCP endpoint as clients reach it: at `AGENT_PUBLIC_URL`, or where this process listens. */
export const agentUrl = Effect.gen(function* () {
  const { server } = yield* documentAddresses("agent")
  const planes = yield* ListeningPlanes
  return Effect.sync(() => (server === "/" ? planes.urlOf("agent") : `${server}${mcpPath}`))
})

/** The public address of a plane; where none is set, the address in the client's request. */
export const originOf = (server: string, request: HttpServerRequest.HttpServerRequest): string => {
  if (server !== "/") return server
  // The router does not see whether the plane itself speaks TLS.
  const { socket } = NodeHttpServerRequest.toIncomingMessage(request)
  const asReceived = request.modify({ protocol: socket instanceof TLSSocket ? "https" : "http" })
  return Option.match(HttpServerRequest.toURL(asReceived), { onNone: () => "", onSome: (_) => _.origin })
}
