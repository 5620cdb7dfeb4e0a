import { assert, layer } from "@effect/vitest"
import { applyTool } from "@portico/agent/plans/answers"
import type { MemberRole } from "@portico/store/Credentials"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { sampled } from "@portico/testing/sample/sampled"
import { Memory } from "@portico/testing/store/Memory"
import { Context, Effect, Layer } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast, mint, person } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { called, exampleOf, listed, tools } from "./toolCalls.ts"

/** People and credentials of acme, by what they are. */
class Callers extends Context.Service<Callers, Readonly<Record<string, string>>>()("portico/gateway/test/Callers") {
  static readonly layer = Layer.effect(
    Callers,
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const member = (name: string, role: MemberRole) => person(name, [role], acme.projectId, role)
      const owner = yield* member("olga", "customer-owner")
      const done = Effect.fnUntraced(function* (method: string, path: string, body: unknown) {
        const answer = yield* call("customer", method, path, { token: owner, body })
        assert.isBelow(answer.status, 300, answer.text)
      })
      const inUnit = Effect.fnUntraced(function* (ou: string, limits: object) {
        const { credential_id, pat } = yield* mint(acme.tokens[2], 2, ou)
        yield* done("POST", "/v1/org/ous", { path: ou })
        yield* done("PUT", `/v1/org/ous/${ou}/members/${credential_id}`, undefined)
        yield* done("PUT", "/v1/access/policy", { ou, ...limits })
        return pat
      })
      const { pat: agent } = yield* mint(acme.tokens[2], 1, "agent", { kind: "mcp" })
      return {
        "tier 0": acme.tokens[0],
        "tier 1": acme.tokens[1],
        "tier 2": acme.tokens[2],
        "an agent's credential": agent,
        "an owner": owner,
        "an admin": yield* member("adam", "customer-admin"),
        "an engineer": yield* member("emma", "customer-engineer"),
        "a viewer": yield* member("vera", "customer-viewer"),
        "a unit without writes of databases": yield* inUnit("no-databases", { denies: ["databases:operate"] }),
        "a unit without compute": yield* inUnit("no-compute", { denies: ["compute:read"] }),
        "a unit with a cap": yield* inUnit("capped", { max_tier: 0 })
      }
    })
  )
}

const names = [
  "tier 0",
  "tier 1",
  "tier 2",
  "an agent's credential",
  "an owner",
  "an admin",
  "an engineer",
  "a viewer",
  "a unit without writes of databases",
  "a unit without compute",
  "a unit with a cap"
]

const Everything = Callers.layer.pipe(Layer.provideMerge(Cast.layer), Layer.provideMerge(TestGateway.layer))

/** The refusals of a caller whose rights do not reach, whatever the call is about. */
const withheld: ReadonlySet<unknown> = new Set([
  "tier_too_low",
  "policy_denied",
  "billing_access_required",
  "people_role_required",
  "role_required",
  "owner_required",
  "identity_route_refused",
  "agent_reads_no_secret"
])

/** Tables that record calls, refused ones too. */
const recorded = /events|relays|actions/i

/** What the caller changed: everything but the record that it tried. */
const changed = Effect.gen(function* () {
  const { trace } = yield* TestGateway
  yield* trace
  const calls = yield* (yield* SimulatedCloud).calls
  const memory = yield* Memory
  return {
    writes: calls.filter(
      (_) => !["GET", "HEAD"].includes(_.method) && !_.path.endsWith("/auth/tokens") && !_.path.includes("/oauth/v2/")
    ).length,
    tables: JSON.stringify(
      Object.entries(memory).flatMap(([table, rows]) => (recorded.test(table) ? [] : [...rows.values()])),
      (key, value: unknown) => (key.startsWith("last_used_") ? undefined : value)
    )
  }
})

layer(Everything, { excludeTestServices: true })("listing and calling a tool", (it) => {
  for (const who of names) {
    it.effect(`${who}: a tool is listed exactly when the API permits the call`, () =>
      Effect.gen(function* () {
        const { [who]: token } = yield* Callers
        assert.isDefined(token)
        const client = yield* connected(token, {}, "?areas=all")
        const seen = new Set((yield* listed(client)).map((_) => _.name))
        // Known by heart, so that a matrix of nothing is not green.
        assert.isTrue(seen.has("identity_whoami"))
        const drawn = sampled(`tools of ${who}`, 15, tools)
        for (const tool of drawn) {
          const before = yield* changed
          const planned = yield* called(client, tool.name, exampleOf(tool))
          const { plan_id } = planned.body
          // What a person has to confirm is confirmed: a plan does not say yet that the API lets the call through.
          const answer = plan_id === undefined ? planned : yield* called(client, applyTool, { plan_id })
          const isWithheld = withheld.has(answer.body["code"])
          // These two make no API call of their own.
          if (tool.name !== "areas" && tool.name !== applyTool) {
            assert.strictEqual(seen.has(tool.name), !isWithheld, `${tool.name}: ${JSON.stringify(answer.body)}`)
          }
          if (!isWithheld) continue
          assert.isTrue(answer.isError)
          assert.isString(answer.body["detail"])
          assert.deepStrictEqual(yield* changed, before, tool.name)
        }
      }).pipe(Effect.scoped)
    )
  }
})
