import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { ClientOptions } from "@modelcontextprotocol/sdk/client/index.js"
import { Effect } from "effect"
import { TestGateway } from "./TestGateway.ts"

/** A client of the official SDK at the agent plane, until the scope ends. */
export const connected = Effect.fnUntraced(function* (token: string, options: ClientOptions = {}, search = "") {
  const { agentUrl } = yield* TestGateway
  return yield* connectedTo(`${agentUrl}${search}`, token, options)
})

/** The same at an address. */
export const connectedTo = (url: string, token: string, options: ClientOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "story", version: "1.0.0" }, options)
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )
