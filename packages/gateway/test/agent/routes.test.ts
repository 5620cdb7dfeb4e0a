import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { sweepEndedAgents } from "@portico/domain/agents/end"
import { foldUsage } from "@portico/domain/credentials/usage"
import { inTime, until } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { mint, operator, person, tenant } from "../harness/Cast.ts"
import { connected } from "../harness/agents.ts"
import { send } from "../harness/http.ts"
import { jsonOf, type Plane, TestGateway } from "../harness/TestGateway.ts"

interface Asking {
  readonly token: string
  readonly plane?: Plane
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const ask = Effect.fnUntraced(function* (method: string, path: string, { plane = "customer", ...asked }: Asking) {
  const answer = yield* (yield* TestGateway).call(plane, method, path, asked)
  return { status: answer.status, body: jsonOf(answer), headers: answer.headers }
})

/** And it has to succeed. */
const done = Effect.fnUntraced(function* (method: string, path: string, asking: Asking) {
  const { body, status } = yield* ask(method, path, asking)
  assert.isBelow(status, 300, `${method} ${path}: ${JSON.stringify(body)}`)
  return body
})

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "story", version: "1" } }
}

/** One request to the agent plane, and how it is admitted. */
const atAgentPlane = Effect.fnUntraced(function* (token: string) {
  const { agentUrl } = yield* TestGateway
  const { origin, pathname } = new URL(agentUrl)
  const answer = yield* send(origin, "POST", pathname, {
    token,
    body: initialize,
    headers: { accept: "application/json, text/event-stream" }
  })
  return answer.status === 200 ? [200] : [answer.status, jsonOf(answer).code]
})

const tool = Effect.fnUntraced(function* (token: string, name: string, args: Record<string, unknown> = {}) {
  const client = yield* connected(token)
  return yield* Effect.promise(() => client.callTool({ name, arguments: args }))
}, Effect.scoped)

let made = 0

/** A tenant of its own with its owner and a customer-admin. */
const account = Effect.gen(function* () {
  const name = `Agency ${(made += 1)}`
  const { projectId, tokens } = yield* tenant(name)
  return {
    projectId,
    tokens,
    owner: yield* person(`owner-${made}`, ["customer-owner"], projectId, "customer-owner"),
    admin: yield* person(`admin-${made}`, ["customer-admin"], projectId, "customer-admin"),
    member: yield* person(`member-${made}`, ["customer"], projectId, "customer")
  }
})

const agentOf = (token: string, body: object = {}) =>
  done("POST", "/v1/agents", { token, body: { label: "a", ...body } })

const days = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)

const userStates = Effect.map(SimulatedCloud, ({ world }) =>
  Object.fromEntries(Object.values(world.zitadel.users).map((_) => [_.id, _.state]))
)

layer(TestGateway.layer)("POST /v1/agents", (it) => {
  it.effect("mints a credential of kind mcp, tier 0 and 7 days unless the request says otherwise", () =>
    Effect.gen(function* () {
      const { owner, tokens } = yield* account
      for (const token of [owner, tokens[2], tokens[0]]) {
        const plain = yield* agentOf(token)
        assert.deepInclude(plain, { kind: "mcp", tier: 0, minted_tier: 0, label: "a", state: "active" })
        assert.strictEqual(days(plain.created_at, plain.expires_at), 7)
        assert.isString(plain.pat)
        assert.isString(plain.client_secret)
        assert.deepStrictEqual(yield* atAgentPlane(plain.pat), [200])
      }
      const other = yield* agentOf(owner, { tier: 1, expires_in_days: 2, networks: ["127.0.0.0/8"] })
      assert.deepInclude(other, { kind: "mcp", tier: 1, networks: ["127.0.0.0/8"] })
      assert.strictEqual(days(other.created_at, other.expires_at), 2)
    })
  )

  it.effect("refuses more than an agent's limits, or more than the creator has", () =>
    Effect.gen(function* () {
      const { tokens } = yield* account
      const status = (token: string, body: object) =>
        Effect.map(ask("POST", "/v1/agents", { token, body: { label: "a", ...body } }), (_) => [_.status, _.body.code])
      for (const body of [
        { tier: 2 },
        { expires_in_days: 8 },
        { expires_in_days: 0 },
        { kind: "mcp" },
        { label: "" }
      ]) {
        assert.deepStrictEqual(yield* status(tokens[2], body), [422, "validation_error"], JSON.stringify(body))
      }
      assert.deepStrictEqual(yield* status(tokens[0], { tier: 1 }), [403, "tier_too_low"])
      assert.deepStrictEqual(yield* status(operator, {}), [409, "tenant_required"])
      const short = yield* mint(tokens[2], 1, "short", { expires_in_days: 1 })
      assert.deepStrictEqual(yield* status(short.pat, { expires_in_days: 3 }), [403, "credential_outlives_own"])
      const { created_at, expires_at } = yield* agentOf(short.pat)
      assert.strictEqual(days(created_at, expires_at), 1)
    })
  )

  it.effect("is answered once for one Idempotency-Key, and the second time without the secrets", () =>
    Effect.gen(function* () {
      const { owner, tokens } = yield* account
      const asking = { token: owner, body: { label: "once" }, headers: { "idempotency-key": "one-agent" } }
      const first = yield* done("POST", "/v1/agents", asking)
      const second = yield* done("POST", "/v1/agents", asking)
      assert.deepStrictEqual(second, { ...first, pat: null, client_secret: null })
      const { agents } = yield* done("GET", "/v1/agents", { token: tokens[0] })
      assert.lengthOf(agents, 1)
    })
  )

  it.effect("applies limits at the agent plane, also to rotations; people on the API are unaffected", () =>
    Effect.gen(function* () {
      const { owner, tokens } = yield* account
      const wide = yield* mint(owner, 2, "wide", { kind: "mcp", expires_in_days: 300 })
      const whoami = yield* tool(wide.pat, "identity_whoami")
      assert.deepInclude(whoami.structuredContent, { tier: 1 })
      const refusals = [
        { kind: "api-key", tier: 0, label: "x" },
        { kind: "mcp", tier: 2, label: "x" },
        { kind: "mcp", tier: 0, label: "x", expires_in_days: 8 }
      ]
      for (const token of [owner, tokens[2], wide.pat]) {
        for (const body of refusals) {
          const { isError, structuredContent } = yield* tool(token, "credentials_mint", body)
          assert.isTrue(isError, JSON.stringify(structuredContent))
        }
      }
      const narrow = yield* mint(owner, 1, "narrow", { kind: "mcp" })
      const minted = yield* tool(narrow.pat, "credentials_mint", { label: "minted" })
      assert.deepInclude(minted.structuredContent, { kind: "mcp", tier: 0, label: "minted" })
      const { expires_at } = Object(minted.structuredContent)
      const now = yield* Clock.currentTimeMillis
      assert.isAtMost(Math.abs(Date.parse(String(expires_at)) - now - 7 * 86_400_000), 60_000)
      for (const one of [Object(minted.structuredContent), narrow]) {
        yield* done("DELETE", `/v1/credentials/${one.credential_id}`, { token: owner })
      }
      // A rotation keeps the expiry, which is longer than an agent may mint.
      for (const token of [owner, wide.pat]) {
        const turned = yield* tool(token, "credentials_rotate", { credential_id: wide.credential_id })
        assert.isTrue(turned.isError, JSON.stringify(turned))
      }
      const { agents } = yield* done("GET", "/v1/agents", { token: owner })
      assert.deepStrictEqual(
        agents.map((_: { tier: number; label: string }) => [_.label, _.tier]),
        [["wide", 1]]
      )
    })
  )
})

layer(TestGateway.layer)("GET /v1/agents", (it) => {
  it.effect("lists a tenant's agents with their calls, and nothing of another tenant", () =>
    Effect.gen(function* () {
      const { owner, projectId, tokens } = yield* account
      const other = yield* account
      yield* agentOf(other.owner)
      const first = yield* agentOf(owner, { label: "first" })
      yield* TestClock.adjust("1 second")
      yield* agentOf(owner, { label: "second", tier: 1 })
      yield* tool(first.pat, "identity_whoami")
      yield* tool(first.pat, "credentials_mint", { kind: "api-key", tier: 0, label: "x" })
      yield* foldUsage
      const { agents, count } = yield* done("GET", "/v1/agents", { token: tokens[0] })
      assert.strictEqual(count, 2)
      assert.deepInclude(agents[0], {
        credential_id: first.credential_id,
        label: "first",
        tier: 0,
        project_id: projectId,
        state: "active",
        created_by: first.created_by,
        calls: 2,
        refused: 1,
        last_tool: "credentials_mint"
      })
      assert.isString(agents[0].last_call_at)
      assert.deepInclude(agents[1], {
        label: "second",
        tier: 1,
        calls: 0,
        refused: 0,
        last_tool: null,
        last_call_at: null
      })
      assert.notProperty(agents[0], "pat")

      const page = yield* done("GET", "/v1/agents?limit=1", { token: tokens[0] })
      assert.deepInclude(page, { count: 2 })
      const next = yield* done("GET", `/v1/agents?limit=1&cursor=${page.next_cursor}`, { token: tokens[0] })
      assert.deepStrictEqual([page.agents[0].label, next.agents[0].label, next.next_cursor], ["first", "second", null])
    })
  )

  it.effect("lists all tenants' agents for operators, or a project's; another tenant's is a 404", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account
      const other = yield* account
      const own = yield* agentOf(owner)
      const theirs = yield* agentOf(other.owner)
      const listed = (path: string, asking: Asking) =>
        Effect.map(done("GET", path, asking), ({ agents }) =>
          agents.map((_: { credential_id: string }) => _.credential_id)
        )
      const asOperator: Asking = { token: operator, plane: "operator" }
      assert.includeMembers(yield* listed("/v1/agents?limit=1000", asOperator), [
        own.credential_id,
        theirs.credential_id
      ])
      assert.deepStrictEqual(yield* listed(`/v1/agents?project_id=${projectId}`, asOperator), [own.credential_id])
      const foreign = yield* ask("GET", `/v1/agents?project_id=${projectId}`, { token: other.owner })
      assert.deepStrictEqual([foreign.status, foreign.body.code], [404, "tenant_not_found"])
      const unknown = yield* ask("GET", "/v1/agents?project_id=none", asOperator)
      assert.deepStrictEqual([unknown.status, unknown.body.code], [404, "tenant_not_found"])
      assert.strictEqual((yield* ask("GET", "/v1/agents", { token: operator })).status, 409)
    })
  )
})

layer(TestGateway.layer)("DELETE /v1/agents", (it) => {
  it.effect("ends all agents and their derived credentials, on both planes, and no others", () =>
    Effect.gen(function* () {
      const { owner, tokens } = yield* account
      const other = yield* account
      const agent = yield* agentOf(owner, { tier: 1 })
      const below = yield* mint(agent.pat, 0, "below", { kind: "mcp" })
      const theirs = yield* agentOf(other.owner)
      const { ended, ended_at } = yield* done("DELETE", "/v1/agents", { token: owner })
      assert.strictEqual(ended, 2)
      for (const { pat } of [agent, below]) {
        assert.deepStrictEqual(yield* atAgentPlane(pat), [401, "credential_revoked"])
        const { body, status } = yield* ask("GET", "/v1/whoami", { token: pat })
        assert.deepStrictEqual([status, body.code], [401, "credential_revoked"])
      }
      assert.strictEqual((yield* ask("GET", "/v1/whoami", { token: tokens[0] })).status, 200)
      assert.deepStrictEqual(yield* atAgentPlane(theirs.pat), [200])
      assert.deepStrictEqual((yield* done("GET", "/v1/agents", { token: owner })).agents, [])
      const { agents } = yield* done("GET", "/v1/agents?include_revoked=true", { token: owner })
      assert.deepStrictEqual(
        agents.map((_: { state: string }) => _.state),
        ["revoked", "revoked"]
      )
      const { events } = yield* done("GET", "/v1/events?topic=iam.credentials&limit=100", { token: owner })
      const revoked = events.filter((_: { kind: string }) => _.kind === "credential.revoked")
      assert.sameMembers(
        revoked.map((_: { data: { credential_id: string } }) => _.data.credential_id),
        [agent.credential_id, below.credential_id]
      )
      assert.strictEqual((yield* done("GET", "/v1/agents/policy", { token: owner })).ended_at, ended_at)
      assert.strictEqual((yield* done("DELETE", "/v1/agents", { token: owner })).ended, 0)
    })
  )

  it.effect("refuses earlier logins and machines at the agent plane alone, and admits later ones", () =>
    Effect.gen(function* () {
      const { admin, owner, projectId, tokens } = yield* account
      assert.deepStrictEqual(yield* atAgentPlane(owner), [200])
      assert.deepStrictEqual(yield* atAgentPlane(tokens[2]), [200])
      yield* done("DELETE", "/v1/agents", { token: owner })
      for (const token of [owner, admin, tokens[2]]) {
        assert.deepStrictEqual(yield* atAgentPlane(token), [401, "agents_ended"])
        assert.strictEqual((yield* ask("GET", "/v1/whoami", { token })).status, 200)
      }
      // Seconds are what an identity provider counts.
      yield* TestClock.adjust("1100 millis")
      const later = yield* person(`later-${(made += 1)}`, ["customer"], projectId, "customer")
      assert.deepStrictEqual(yield* atAgentPlane(later), [200])
      const script = yield* mint(owner, 1, "later")
      assert.deepStrictEqual(yield* atAgentPlane(script.pat), [200])
      assert.deepStrictEqual(yield* atAgentPlane((yield* agentOf(owner)).pat), [200])
    })
  )

  it.effect("is for an owner or a platform administrator, in the own project", () =>
    Effect.gen(function* () {
      const { admin, member, owner, projectId, tokens } = yield* account
      const agent = yield* agentOf(owner, { tier: 1 })
      const other = yield* account
      for (const token of [admin, member, tokens[2]]) {
        const { body, status } = yield* ask("DELETE", "/v1/agents", { token })
        assert.deepStrictEqual([status, body.code], [403, "owner_required"])
      }
      const low = yield* ask("DELETE", "/v1/agents", { token: agent.pat })
      assert.deepStrictEqual([low.status, low.body.code], [403, "tier_too_low"])
      const foreign = yield* ask("DELETE", `/v1/agents?project_id=${projectId}`, { token: other.owner })
      assert.deepStrictEqual([foreign.status, foreign.body.code], [404, "tenant_not_found"])
      const unnamed = yield* ask("DELETE", "/v1/agents", { token: operator, plane: "operator" })
      assert.deepStrictEqual([unnamed.status, unnamed.body.code], [409, "tenant_required"])
      assert.deepStrictEqual(yield* atAgentPlane(agent.pat), [200])
      const path = `/v1/agents?project_id=${projectId}`
      assert.strictEqual((yield* done("DELETE", path, { token: operator, plane: "operator" })).ended, 1)
      assert.deepStrictEqual(yield* atAgentPlane(agent.pat), [401, "credential_revoked"])
    })
  )

  it.effect("works for an owner that a policy lowered, in a suspended tenant, and in a closing account", () =>
    Effect.gen(function* () {
      const { owner, projectId } = yield* account
      yield* agentOf(owner)
      yield* done("PUT", "/v1/access/policy", { token: owner, body: { ou: "", max_tier: 0, denies: ["agents"] } })
      assert.strictEqual((yield* done("DELETE", "/v1/agents", { token: owner })).ended, 1)
      yield* done("DELETE", "/v1/access/policy?ou=", { token: owner })
      yield* agentOf(owner)
      yield* done("POST", `/v1/tenants/${projectId}/suspend`, { token: operator, plane: "operator" })
      const refused = yield* ask("POST", "/v1/agents", { token: owner, body: { label: "a" } })
      assert.deepStrictEqual([refused.status, refused.body.code], [403, "tenant_suspended"])
      assert.strictEqual((yield* done("DELETE", "/v1/agents", { token: owner })).ended, 1)
      const { name } = yield* done("GET", "/v1/account", { token: owner })
      yield* done("POST", "/v1/account/close", { token: owner, body: { confirm: name } })
      yield* done("DELETE", "/v1/agents", { token: owner })
    })
  )

  it.effect("does not wait for a failing identity provider; the user is deactivated later", () =>
    Effect.gen(function* () {
      const { owner } = yield* account
      const cloud = yield* SimulatedCloud
      const agent = yield* agentOf(owner)
      const userId = (yield* Memory).credentials.get(agent.credential_id)?.user_id ?? assert.fail("no record")
      yield* cloud.fault({
        service: "zitadel",
        method: "POST",
        path: "/management/v1/users/*/_deactivate",
        when: "before",
        times: "always",
        as: { status: 503 }
      })
      assert.strictEqual((yield* done("DELETE", "/v1/agents", { token: owner })).ended, 1)
      assert.deepStrictEqual(yield* atAgentPlane(agent.pat), [401, "credential_revoked"])
      yield* inTime(sweepEndedAgents)
      assert.strictEqual((yield* userStates)[userId], "USER_STATE_ACTIVE")
      yield* cloud.clearFaults
    })
  )

  it.effect("deactivates the users at the identity provider", () =>
    Effect.gen(function* () {
      const { owner } = yield* account
      const agent = yield* agentOf(owner)
      const userId = (yield* Memory).credentials.get(agent.credential_id)?.user_id ?? assert.fail("no record")
      yield* done("DELETE", "/v1/agents", { token: owner })
      const inactive = Effect.map(userStates, (_) => assert.strictEqual(_[userId], "USER_STATE_INACTIVE"))
      yield* inTime(sweepEndedAgents)
      yield* inactive
    })
  )

  it.effect("ends a running mint", () =>
    Effect.gen(function* () {
      const { owner } = yield* account
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "zitadel",
        method: "PUT",
        path: "/management/v1/users/*/secret",
        when: "before",
        as: { delay_ms: 2_000 }
      })
      yield* cloud.clearCalls
      const minting = yield* Effect.forkChild(ask("POST", "/v1/agents", { token: owner, body: { label: "under way" } }))
      yield* until(Effect.map(cloud.calls, (_) => _.some(({ path }) => path.endsWith("/secret"))))
      yield* done("DELETE", "/v1/agents", { token: owner })
      const minted = yield* inTime(Fiber.join(minting))
      assert.strictEqual(minted.status, 502, JSON.stringify(minted.body))
      assert.deepStrictEqual((yield* done("GET", "/v1/agents", { token: owner })).agents, [])
    })
  )
})

layer(TestGateway.layer)("webhooks that agents created or redirected", (it) => {
  it.effect("are disabled when agents are ended, and those that people decided stay", () =>
    Effect.gen(function* () {
      const { owner } = yield* account
      const agent = yield* agentOf(owner, { tier: 1 })
      const below = yield* agentOf(agent.pat, { tier: 1, expires_in_days: 1 })
      const hook = Effect.fnUntraced(function* (token: string, path: string) {
        const { webhook_id } = yield* done("POST", "/v1/webhooks", {
          token,
          body: { url: `https://hooks.acme.example/${path}` }
        })
        return `/v1/webhooks/${webhook_id}`
      })
      const change = (token: string, path: string, body: object) => done("PATCH", path, { token, body })
      const redirected = yield* hook(owner, "redirected")
      yield* change(agent.pat, redirected, { topics: [] })
      const ended = [yield* hook(agent.pat, "agent"), yield* hook(below.pat, "below"), redirected]
      const kept = [yield* hook(owner, "owner"), yield* hook(owner, "described"), yield* hook(agent.pat, "taken-over")]
      yield* change(agent.pat, kept[1] ?? "", { description: "of mine" })
      yield* change(owner, kept[2] ?? "", { url: "https://hooks.acme.example/ours" })
      yield* done("DELETE", "/v1/agents", { token: owner })
      for (const path of ended) {
        const { disabled_reason, enabled } = yield* done("GET", path, { token: owner })
        const reason = "The agents of the tenant were ended, and one of them had made it, or said where it sends"
        assert.deepStrictEqual([enabled, disabled_reason], [false, reason])
      }
      for (const path of kept) assert.isTrue((yield* done("GET", path, { token: owner })).enabled, path)
      assert.isTrue((yield* change(owner, ended[0] ?? "", { enabled: true })).enabled)
    })
  )
})

layer(TestGateway.layer)("the policy for agents", (it) => {
  it.effect("has defaults, is replaced whole, and disables the agent plane at once", () =>
    Effect.gen(function* () {
      const { admin, owner, tokens } = yield* account
      const agent = yield* agentOf(owner)
      const path = "/v1/agents/policy"
      const unset = {
        enabled: true,
        confirm: ["billed", "irreversible"],
        updated_at: null,
        updated_by: null,
        ended_at: null
      }
      assert.deepStrictEqual(yield* done("GET", path, { token: tokens[0] }), unset)
      const put = yield* done("PUT", path, {
        token: admin,
        body: { enabled: false, confirm: ["writes", "compute_write"] }
      })
      assert.deepInclude(put, { enabled: false, confirm: ["writes", "compute_write"] })
      assert.deepStrictEqual(yield* done("GET", path, { token: agent.pat }), put)
      for (const token of [agent.pat, owner, tokens[2]]) {
        assert.deepStrictEqual(yield* atAgentPlane(token), [403, "agents_disabled"])
        assert.strictEqual((yield* ask("GET", "/v1/whoami", { token })).status, 200)
      }
      assert.deepInclude(yield* done("PUT", path, { token: owner, body: {} }), {
        enabled: true,
        confirm: ["billed", "irreversible"]
      })
      assert.deepStrictEqual(yield* atAgentPlane(agent.pat), [200])
    })
  )

  it.effect("is set by owners, customer-admins and platform administrators, never by an agent or a key", () =>
    Effect.gen(function* () {
      const { member, owner, projectId, tokens } = yield* account
      const other = yield* account
      const put = (asking: Omit<Asking, "body">, path = "/v1/agents/policy", body: object = { confirm: [] }) =>
        Effect.map(ask("PUT", path, { ...asking, body }), (_) => [_.status, _.body.code])
      for (const token of [member, tokens[2]])
        assert.deepStrictEqual(yield* put({ token }), [403, "policy_role_required"])
      const agent = yield* agentOf(owner, { tier: 1 })
      assert.deepStrictEqual(yield* put({ token: agent.pat }), [403, "tier_too_low"])
      const named = `/v1/agents/policy?project_id=${projectId}`
      assert.deepStrictEqual(yield* put({ token: other.owner }, named), [404, "tenant_not_found"])
      assert.deepStrictEqual(yield* put({ token: operator, plane: "operator" }), [409, "tenant_required"])
      assert.deepStrictEqual(yield* put({ token: operator, plane: "operator" }, named), [200, undefined])
      for (const confirm of [["Billed"], [""], ["a".repeat(65)], "writes", ["a-b"]]) {
        const answer = yield* put({ token: owner }, "/v1/agents/policy", { confirm })
        assert.deepStrictEqual(answer, [422, "validation_error"], JSON.stringify(confirm))
      }
    })
  )
})
