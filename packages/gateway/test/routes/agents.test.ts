import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Cast, mint } from "../harness/Cast.ts"
import { nameOf, type Route, routes } from "./routes.ts"
import type { Success } from "./Success.ts"
import { successes } from "./successes.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

/** Credentials of kind mcp, tier 1: one of acme's, and one that an agent minted. */
class Agents extends Context.Service<Agents, { readonly agent: string; readonly below: string }>()(
  "portico/gateway/test/Agents"
) {
  static readonly layer = Layer.effect(
    Agents,
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { pat: agent } = yield* mint(acme.tokens[2], 1, "agent", { kind: "mcp" })
      const { pat: below } = yield* mint(agent, 1, "an agent's agent", { kind: "mcp" })
      return Agents.of({ agent, below })
    })
  )
}

const Everything = Agents.layer.pipe(Layer.provideMerge(Cast.layer), Layer.provideMerge(TestGateway.layer))
const live = { excludeTestServices: true }

/** Those that a credential of tier 1 reaches on the customer plane. */
const reached = routes.filter((_) => _.planes.has("customer") && _.authenticated && !_.platformAdmin && _.tier < 2)
const stored = reached.filter((_) => _.answersSecret === "stored")
const noSecret = { detail: "A credential of kind mcp reads no stored secret", code: "agent_reads_no_secret" }

/** What an agent is refused for another reason: what its minting has to be, and what asks for tier 2 by what it acts on. */
const otherwise: Readonly<Record<string, string>> = {
  "POST /v1/credentials": "agent_mints_agents",
  "POST /v1/credentials/:credential_id/rotate": "tier_too_low"
}

/** What the matrix asks for, asked by somebody else. */
const asks = Effect.fnUntraced(function* (token: string, { method }: Route, row: Success) {
  const { call, trace } = yield* TestGateway
  const { body, headers = {}, path } = yield* row.prepare
  // Its own first use is no trace of the call.
  yield* call("customer", "GET", "/v1/whoami", { token })
  const before = yield* trace
  const answer = yield* call("customer", method, path, { token, body, headers })
  const after = yield* trace
  if (row.after !== undefined) yield* row.after
  return { answer, before, after }
})

layer(Everything, live)("a credential of kind mcp and tier 1", (it) => {
  for (const route of reached) {
    const name = nameOf(route)
    const row = successes[name]
    if (row === undefined || row.ownLogin === true) continue
    const role = row.roles?.refusal

    if (stored.includes(route)) {
      it.effect(`${name} is refused, and changes nothing; a script's is answered`, () =>
        Effect.gen(function* () {
          const { agent, below } = yield* Agents
          for (const token of [agent, below]) {
            const { after, answer, before } = yield* asks(token, route, row)
            assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, noSecret], answer.text)
            assert.deepStrictEqual(after, before)
          }
          const { acme } = yield* Cast
          const { answer } = yield* asks(acme.tokens[1], route, row)
          assert.strictEqual(answer.status, row.status, answer.text)
        })
      )
      continue
    }

    it.effect(`${name} ${otherwise[name] ?? (role === undefined ? "works" : "needs a person")}`, () =>
      Effect.gen(function* () {
        const { agent } = yield* Agents
        const { answer } = yield* asks(agent, route, row)
        if (otherwise[name] !== undefined) {
          assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, otherwise[name]], answer.text)
        } else if (role !== undefined) {
          assert.deepStrictEqual([answer.status, jsonOf(answer)], [role.status, role.body])
        } else assert.strictEqual(answer.status, row.status, answer.text)
      })
    )
  }

  it.effect("mints and rotates agents' credentials, and sees its own new webhook's secret", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { agent: token } = yield* Agents
      const { credential_id, pat } = yield* mint(token, 0, "minted by an agent", { kind: "mcp" })
      const listed = yield* call("customer", "GET", "/v1/credentials", { token: pat })
      assert.strictEqual(listed.status, 200, listed.text)
      const turned = yield* call("customer", "POST", `/v1/credentials/${credential_id}/rotate`, { token, body: {} })
      assert.strictEqual(turned.status, 201, turned.text)
      const made = yield* call("customer", "POST", "/v1/webhooks", { token, body: { url: "http://127.0.0.1:1/" } })
      assert.strictEqual(made.status, 201, made.text)
      assert.isString(jsonOf(made).secret)
    })
  )

  it.effect("is refused a stored secret on these routes", () =>
    Effect.sync(() =>
      assert.sameMembers(stored.map(nameOf), [
        "GET /v1/object-storage/credentials",
        "POST /v1/object-storage/credentials/rotate",
        "GET /v1/databases/:engine/:name/credentials",
        "POST /v1/webhooks/:webhook_id/rotate-secret"
      ])
    )
  )
})
