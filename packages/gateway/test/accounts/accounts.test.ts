import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { repeatInTime } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const ask = Effect.fnUntraced(function* (token: string, method: string, path: string, body?: unknown) {
  const answer = yield* (yield* TestGateway).call("customer", method, path, { token, body })
  return { status: answer.status, body: jsonOf(answer) }
})

const asOperator = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const answer = yield* (yield* TestGateway).call("operator", method, path, { token: operator, body })
  return { status: answer.status, body: jsonOf(answer) }
})

const closing = {
  detail:
    "Concurrent deletion state: the project is being deleted or its account is being closed, and nothing in it " +
    "can be changed",
  code: "concurrent_deletion_state"
}

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

layer(Everything)("an account on the wire", (it) => {
  it.effect("its owner closes it, its members can still read, and an operator reopens it", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme, customerOwner } = yield* Cast
      const shown = yield* ask(customerOwner, "GET", "/v1/account")
      assert.strictEqual(shown.status, 200)
      const { name, number } = shown.body
      assert.deepStrictEqual(
        shown.body.projects.map((_: { project_id: string }) => _.project_id),
        [acme.projectId]
      )

      const closed = yield* ask(customerOwner, "POST", "/v1/account/close", { confirm: name, reason: "moving out" })
      assert.strictEqual(closed.status, 202, JSON.stringify(closed.body))
      assert.deepInclude(closed.body, { number, state: "closing", reason: "moving out", window_days: 30 })

      for (const plane of planes) {
        for (const path of ["/v1/account", "/v1/whoami", "/v1/iaas/compute/servers"]) {
          const held = yield* call(plane, "GET", path, { token: acme.tokens[2] })
          const body = { detail: "Credential is suspended", code: "credential_suspended" }
          assert.deepStrictEqual([held.status, jsonOf(held)], [401, body], path)
          assert.strictEqual((yield* call(plane, "GET", path, { token: customerOwner })).status, 200, path)
        }
        for (const [method, path, body] of [
          ["POST", "/v1/account/close", { confirm: name }],
          ["POST", "/v1/credentials", { kind: "api-key", tier: 0, label: "late" }],
          ["POST", "/v1/iaas/network/security-groups", { security_group: { name: "late" } }]
        ] as const) {
          const refused = yield* call(plane, method, path, { token: customerOwner, body })
          assert.deepStrictEqual([refused.status, jsonOf(refused)], [409, closing], path)
        }
      }

      const reopened = yield* asOperator("POST", `/v1/tenants/accounts/${number}/reopen`)
      assert.strictEqual(reopened.status, 200)
      assert.strictEqual(reopened.body.account.state, "open")
      const [project] = reopened.body.projects
      assert.strictEqual(project.project_id, acme.projectId)
      assert.includeMembers(project.restored_credentials, [...acme.credentialIds])
      assert.strictEqual((yield* ask(acme.tokens[2], "GET", "/v1/whoami")).status, 200)
    })
  )

  it.effect("?project= shows and closes any account for a platform administrator, on the operator plane alone", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme, customerOwner, globex } = yield* Cast
      for (const plane of planes) {
        const path = `/v1/account?project=${globex.projectId}`
        const isCustomers = plane === "customer"
        for (const token of [customerOwner, acme.tokens[2], acme.tokens[0], ...(isCustomers ? [operator] : [])]) {
          const refused = yield* call(plane, "GET", path, { token })
          assert.deepStrictEqual(jsonOf(refused).code, "project_override_refused")
        }
        const close = `/v1/account/close?project=${globex.projectId}`
        if (isCustomers) {
          const refused = yield* call(plane, "POST", close, { token: operator, body: { confirm: "globex" } })
          assert.deepStrictEqual(jsonOf(refused).code, "project_override_refused")
          continue
        }
        const shown = yield* call(plane, "GET", path, { token: operator })
        assert.strictEqual(shown.status, 200)
        const { name, number } = jsonOf(shown)
        const closed = yield* call(plane, "POST", close, { token: operator, body: { confirm: name } })
        assert.strictEqual(closed.status, 202, closed.text)
        const again = yield* call(plane, "POST", close, { token: operator, body: { confirm: name } })
        assert.deepStrictEqual([again.status, jsonOf(again)], [409, closing])
        const listed = yield* asOperator("GET", "/v1/tenants/accounts?state=closing")
        assert.deepInclude(listed.body, { count: 1, next_cursor: null })
        assert.deepInclude(listed.body.accounts[0], {
          number,
          state: "closing",
          projects: [{ project_id: globex.projectId }]
        })
        assert.strictEqual((yield* asOperator("POST", `/v1/tenants/accounts/${number}/reopen`)).status, 200)
      }
    })
  )

  it.effect("the list has pages by its cursor", () =>
    Effect.gen(function* () {
      const all = yield* asOperator("GET", "/v1/tenants/accounts")
      const first = yield* asOperator("GET", "/v1/tenants/accounts?limit=1")
      const next = yield* asOperator("GET", `/v1/tenants/accounts?limit=1&cursor=${first.body.next_cursor}`)
      assert.strictEqual(first.body.count, all.body.count)
      assert.deepStrictEqual([...first.body.accounts, ...next.body.accounts], all.body.accounts.slice(0, 2))
    })
  )
})

const AtOnce = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), ACCOUNT_CLOSURE_DAYS: "0", ACCOUNTS_SECONDS: "1" }))
).pipe(Layer.provideMerge(TestGateway.cloud))

layer(Cast.layer.pipe(Layer.provideMerge(AtOnce)))("without a window", (it) => {
  it.effect("a closed account is destroyed by the gateway itself, and its people and keys are refused", () =>
    Effect.gen(function* () {
      const { acme, customerOwner } = yield* Cast
      const { name, number } = (yield* ask(customerOwner, "GET", "/v1/account")).body
      assert.strictEqual((yield* ask(customerOwner, "POST", "/v1/account/close", { confirm: name })).status, 202)
      const row = asOperator("GET", "/v1/tenants/accounts?state=destroyed")
      const { body } = yield* repeatInTime(row, (_) => _.body.count === 1)
      assert.deepInclude(body.accounts[0], {
        number,
        projects: [{ project_id: acme.projectId }],
        attempts: 1,
        refusal: null
      })
      // As long as the identity provider's last word about the login is believed.
      assert.strictEqual((yield* ask(customerOwner, "GET", "/v1/account")).body.code, "no_tenant")
      assert.strictEqual((yield* ask(acme.tokens[2], "GET", "/v1/account")).body.code, "credential_revoked")
      assert.strictEqual((yield* asOperator("GET", `/v1/account?project=${acme.projectId}`)).status, 404)
    })
  )
})
