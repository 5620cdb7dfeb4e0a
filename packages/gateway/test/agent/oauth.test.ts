import { assert, layer } from "@effect/vitest"
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { nativeClientId } from "@portico/simulator/zitadel/state"
import { Effect, Layer, Result } from "effect"
import { Cast } from "../harness/Cast.ts"
import { send } from "../harness/http.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const redirectUrl = "http://127.0.0.1:51234/callback"

/** An MCP client that is registered at the identity provider, as far as the OAuth client of the SDK is concerned. */
class RegisteredClient implements OAuthClientProvider {
  readonly redirectUrl = redirectUrl
  readonly clientMetadata = { redirect_uris: [redirectUrl], client_name: "story" }
  information: OAuthClientInformationMixed = { client_id: nativeClientId }
  granted: OAuthTokens | undefined
  /** The page that the person is sent to. */
  page: URL | undefined
  private verifier = ""

  clientInformation = () => this.information
  tokens = () => this.granted
  saveTokens = (tokens: OAuthTokens) => void (this.granted = tokens)
  redirectToAuthorization = (page: URL) => void (this.page = page)
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier)
  codeVerifier = () => this.verifier
}

/** Logs a person in at the identity provider's page; the code that it sends back with. */
const loggedInAt = Effect.fnUntraced(function* (page: URL, person: string) {
  const shown = yield* send(page.origin, "GET", `${page.pathname}${page.search}`)
  assert.include(shown.text, `value="${person}"`)
  const fields = new URLSearchParams(page.search)
  fields.set("login_hint", person)
  const chosen = yield* send(page.origin, "POST", page.pathname, {
    headers: { "content-type": "application/x-www-form-urlencoded", origin: page.origin },
    body: fields.toString()
  })
  const back = new URL(String(chosen.headers["location"]))
  assert.strictEqual(`${back.origin}${back.pathname}`, redirectUrl)
  return back.searchParams.get("code") ?? ""
})

/** A client that knows the address of the MCP endpoint and its own id, and has a person log in. */
const connectedAs = Effect.fnUntraced(function* (person: string) {
  const url = new URL((yield* TestGateway).agentUrl)
  const provider = new RegisteredClient()
  const first = new StreamableHTTPClientTransport(url, { authProvider: provider })
  const refusal = yield* Effect.flip(
    Effect.tryPromise(() => new Client({ name: "story", version: "1.0.0" }).connect(first))
  )
  assert.instanceOf(refusal.cause, UnauthorizedError)
  const page = provider.page ?? (yield* Effect.die("the client found no page for the login"))
  const code = yield* loggedInAt(page, person)
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      await first.finishAuth(code)
      const client = new Client({ name: "story", version: "1.0.0" })
      await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }))
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )
  return { client, page, provider }
})

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

layer(Everything, { excludeTestServices: true })("a person's agent that knows the MCP address alone", (it) => {
  it.effect("finds the identity provider, logs the person in, and calls a tool with tier 1", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { agentUrl } = yield* TestGateway
      const { client, page } = yield* connectedAs("oscar@people.example")
      assert.strictEqual(page.searchParams.get("resource"), agentUrl)
      assert.include(page.searchParams.get("scope") ?? "", ":aud")
      const { structuredContent } = yield* Effect.promise(() => client.callTool({ name: "identity_whoami" }))
      assert.deepInclude(structuredContent, {
        tier: 1,
        tenant: { id: acme.projectId, name: "Acme", source: "credential_store" }
      })
    }).pipe(Effect.scoped)
  )

  it.effect("has neither its person's role nor a destructive tool, although its token has both on the API", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { client, provider } = yield* connectedAs("oscar@people.example")
      const token = provider.granted?.access_token ?? ""
      const whoami = jsonOf(yield* call("customer", "GET", "/v1/whoami", { token }))
      assert.deepInclude(whoami, { tier: 2, roles: ["customer-owner"] })
      const { tools } = yield* Effect.promise(() => client.listTools())
      const names = tools.map((_) => _.name)
      assert.include(names, "credentials_list")
      assert.isEmpty(names.filter((_) => /delete|revoke|remove/.test(_)))
      const body = { email: "ida@people.example", display_name: "Ida", role: "customer-viewer" }
      const refused = yield* Effect.result(
        Effect.tryPromise(() => client.callTool({ name: "org_users_invite", arguments: body }))
      )
      assert.isTrue(Result.isFailure(refused) || refused.success.isError)
      assert.strictEqual((yield* call("customer", "POST", "/v1/org/users/invite", { token, body })).status, 201)
    }).pipe(Effect.scoped)
  )

  it.effect("refreshes its token by itself", () =>
    Effect.gen(function* () {
      const { client, provider } = yield* connectedAs("oscar@people.example")
      const before = provider.granted
      if (before === undefined) return yield* Effect.die("no token")
      provider.granted = { ...before, access_token: "ended" }
      const { structuredContent } = yield* Effect.promise(() => client.callTool({ name: "identity_whoami" }))
      assert.deepInclude(structuredContent, { tier: 1 })
      assert.notInclude(["ended", before.access_token], provider.granted.access_token)
    }).pipe(Effect.scoped)
  )

  it.effect("a login without the API's audience in its scopes is refused", () =>
    Effect.gen(function* () {
      const { agentUrl } = yield* TestGateway
      const { page, provider } = yield* connectedAs("oscar@people.example")
      page.searchParams.set("scope", "openid profile")
      const verifier = provider.codeVerifier()
      const code = yield* loggedInAt(page, "oscar@people.example")
      const answer = yield* send(page.origin, "POST", "/idp/oauth/v2/token", {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({
          grant_type: "authorization_code",
          client_id: nativeClientId,
          redirect_uri: redirectUrl,
          code_verifier: verifier,
          code
        }).toString()
      })
      const refused = yield* send(new URL(agentUrl).origin, "POST", "/mcp", {
        token: jsonOf(answer).access_token,
        headers: { accept: "application/json, text/event-stream" },
        body: { jsonrpc: "2.0", id: 1, method: "ping" }
      })
      assert.strictEqual(refused.status, 401)
      assert.deepInclude(jsonOf(refused), { detail: "Token is not active" })
    }).pipe(Effect.scoped)
  )
})
