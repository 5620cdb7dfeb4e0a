import { assert, describe, it, layer } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { nativeClientId } from "@portico/simulator/zitadel/state"
import { Effect, Layer } from "effect"
import { send } from "../harness/http.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const path = "/.well-known/oauth-protected-resource"

const scopes = [
  "openid",
  "urn:zitadel:iam:org:projects:roles",
  `urn:zitadel:iam:org:project:id:${fixtures.idp.projectId}:aud`,
  "profile",
  "email",
  "offline_access"
]

layer(TestGateway.layer, { excludeTestServices: true })("the metadata of a protected resource", (it) => {
  for (const plane of planes) {
    it.effect(`${plane}: has the login's issuer and scopes, for any caller`, () =>
      Effect.gen(function* () {
        const { agentUrl, call, url } = yield* TestGateway
        const answer = yield* call(plane, "GET", path)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["content-type"], "application/json")
        assert.strictEqual(answer.headers["cache-control"], "no-store")
        const { scopes_supported, ...others } = jsonOf(answer)
        assert.sameMembers(scopes_supported, scopes)
        assert.deepStrictEqual(others, {
          resource: url[plane],
          resource_name: `Portico, ${plane} plane`,
          authorization_servers: [`${(yield* Server).url}/idp`],
          bearer_methods_supported: ["header"],
          portico_cli_client_id: nativeClientId,
          ...(plane === "customer" ? { portico_agent_url: agentUrl } : {})
        })
      })
    )

    it.effect(`${plane}: is only read`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        assert.strictEqual((yield* call(plane, "POST", path)).status, 405)
        const options = yield* call(plane, "OPTIONS", path)
        assert.deepStrictEqual([options.status, options.headers["allow"]], [204, "GET, HEAD, OPTIONS"])
      })
    )
  }

  it.effect("agent: the resource is the MCP endpoint, at its own path of metadata too", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { origin } = new URL(agentUrl)
      for (const at of [path, `${path}/mcp`]) {
        const answer = yield* send(origin, "GET", at)
        assert.deepStrictEqual([answer.status, answer.headers["cache-control"]], [200, "no-store"], at)
        const { scopes_supported, ...others } = jsonOf(answer)
        assert.sameMembers(scopes_supported, scopes)
        assert.deepStrictEqual(others, {
          resource: agentUrl,
          resource_name: "Portico, agent plane",
          authorization_servers: [`${(yield* Server).url}/idp`],
          bearer_methods_supported: ["header"],
          portico_cli_client_id: nativeClientId
        })
      }
    })
  )

  it.effect("agent: the resource has the requested host", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { origin } = new URL(agentUrl)
      const answer = yield* send(origin, "GET", `${path}/mcp`, { headers: { host: "agents.acme.example" } })
      assert.strictEqual(jsonOf(answer).resource, "http://agents.acme.example/mcp")
    })
  )
})

const configured = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => {
    const { CLI_CLIENT_ID: _, ...settings } = gatewaySettings(url)
    return {
      ...settings,
      CUSTOMER_PUBLIC_URL: "https://api.acme.example/cloud/",
      AGENT_PUBLIC_URL: "https://agents.acme.example/"
    }
  })
).pipe(Layer.provideMerge(TestGateway.cloud))

const everywhere = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), AGENT_HOST: "0.0.0.0" }))
).pipe(Layer.provideMerge(TestGateway.cloud))

describe("the metadata of a gateway whose agent plane listens everywhere", () => {
  it.effect("leaves out the agent plane, because a wildcard address cannot be connected to", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      assert.notProperty(jsonOf(yield* call("customer", "GET", path)), "portico_agent_url")
    }).pipe(Effect.provide(everywhere))
  )
})

describe("the metadata of a gateway with public addresses and without a client for the command line", () => {
  it.effect("has the former, and leaves the latter out", () =>
    Effect.gen(function* () {
      const { agentUrl, call } = yield* TestGateway
      const metadata = jsonOf(yield* call("customer", "GET", path))
      assert.strictEqual(metadata.resource, "https://api.acme.example/cloud")
      assert.strictEqual(metadata.portico_agent_url, "https://agents.acme.example/mcp")
      const ofAgents = jsonOf(yield* send(new URL(agentUrl).origin, "GET", `${path}/mcp`))
      assert.strictEqual(ofAgents.resource, "https://agents.acme.example/mcp")
      assert.notProperty(metadata, "portico_cli_client_id")
    }).pipe(Effect.provide(configured))
  )
})
