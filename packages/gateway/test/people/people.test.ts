import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { issueAccessToken } from "@portico/simulator/zitadel/tokens"
import { Clock, Effect, Layer } from "effect"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** Follows the link of the mail, and logs in. */
const login = Effect.fnUntraced(function* (userId: string) {
  const { world } = yield* SimulatedCloud
  const user = world.zitadel.users[userId]
  if (user !== undefined) user.state = "USER_STATE_ACTIVE"
  const token = issueAccessToken(world, userId, yield* Clock.currentTimeMillis)
  return token ?? (yield* Effect.die(`${userId} cannot log in`))
})

const conflict = {
  detail: "The address is a login already, and not one of this account; invite the person with another address",
  code: "login_elsewhere"
}

layer(Everything, { excludeTestServices: true })("people", (it) => {
  for (const plane of planes) {
    it.effect(`${plane}: an owner invites a person, grants billing access, and removes person and credentials`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { acme, customerOwner } = yield* Cast
        const asOwner = (method: string, path: string, body?: unknown) =>
          call(plane, method, path, { token: customerOwner, body })
        const email = `ann@${plane}.example`

        const invited = yield* asOwner("POST", "/v1/org/users/invite", { email, role: "customer" })
        assert.strictEqual(invited.status, 201, invited.text)
        const { user_id } = jsonOf(invited)
        const row = {
          user_id,
          display_name: "Ann",
          email,
          roles: ["customer"],
          state: "USER_STATE_INITIAL",
          billing_access: false,
          project_id: acme.projectId,
          project_name: "acme",
          tenant_name: "Acme"
        }
        assert.deepStrictEqual(jsonOf(invited), { ...row, created: true })
        const again = yield* asOwner("POST", "/v1/org/users/invite", { email, role: "customer" })
        assert.deepStrictEqual([again.status, jsonOf(again)], [200, { ...row, created: false, credentials_capped: [] }])

        const token = yield* login(user_id)
        const asked = (method: string, path: string) => call(plane, method, path, { token })
        assert.strictEqual((yield* asked("GET", "/v1/budgets")).status, 403)
        const granted = yield* asOwner("PUT", `/v1/org/users/${user_id}/billing`, { billing_access: true })
        const active = { ...row, state: "USER_STATE_ACTIVE", billing_access: true }
        assert.deepStrictEqual([granted.status, jsonOf(granted)], [200, active])
        assert.strictEqual((yield* asked("GET", "/v1/budgets")).status, 200)
        assert.deepInclude(jsonOf(yield* asked("GET", "/v1/whoami")), { user_id, user_email: email, tier: 2 })

        const page = jsonOf(yield* asOwner("GET", "/v1/org/users?limit=1"))
        assert.deepStrictEqual([page.users.length, page.next_cursor === null], [1, false])
        const rest = jsonOf(yield* asOwner("GET", `/v1/org/users?cursor=${page.next_cursor}`))
        assert.strictEqual(rest.count, page.count)
        assert.deepStrictEqual(rest.users.at(-1), active)

        const key = yield* mint(token, 1, "Ann's")
        const removed = yield* asOwner("DELETE", `/v1/org/users/${user_id}`)
        assert.deepStrictEqual(
          [removed.status, jsonOf(removed)],
          [200, { user_id, credentials_revoked: [key.credential_id], webhooks_kept: [], integrations_kept: [] }]
        )
        assert.include([401, 403], (yield* asked("GET", "/v1/whoami")).status)
        const dead = yield* call(plane, "GET", "/v1/whoami", { token: key.pat })
        assert.deepStrictEqual([dead.status, jsonOf(dead).code], [401, "credential_revoked"])
        const twice = yield* asOwner("DELETE", `/v1/org/users/${user_id}`)
        const missing = { detail: `User '${user_id}' not found`, code: "user_not_found" }
        assert.deepStrictEqual([twice.status, jsonOf(twice)], [404, missing])
      })
    )
  }

  it.effect("another account's address is a conflict without its owner, and another's project is 404", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { customerAdmin, customerOwner, globex } = yield* Cast
      const elsewhere = { email: "gus@globex.example", role: "customer", project_id: globex.projectId }
      const there = yield* call("operator", "POST", "/v1/org/users/invite", { token: operator, body: elsewhere })
      assert.strictEqual(there.status, 201)
      for (const token of [customerOwner, customerAdmin]) {
        const body = { email: "Gus@Globex.example", role: "customer" }
        const answer = yield* call("customer", "POST", "/v1/org/users/invite", { token, body })
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [409, conflict])
        const [foreign, absent] = yield* Effect.forEach([globex.projectId, "absent"], (id) =>
          Effect.map(call("customer", "GET", `/v1/org/users?project_id=${id}`, { token }), ({ status, text }) => [
            status,
            text.replace(id, "{id}")
          ])
        )
        assert.deepStrictEqual(foreign, absent)
        assert.strictEqual(foreign?.[0], 404)
      }
    })
  )

  it.effect("the platform team reaches all projects, and is hidden from tenants", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { customerOwner } = yield* Cast
      const body = { email: "olga@portico.example", role: "admin" }
      const invited = yield* call("operator", "POST", "/v1/org/users/invite", { token: operator, body })
      assert.strictEqual(invited.status, 201, invited.text)
      const token = yield* login(jsonOf(invited).user_id)
      assert.deepInclude(jsonOf(yield* call("operator", "GET", "/v1/whoami", { token })), {
        all_projects: true,
        tenant: null
      })
      for (const scope of ["all", "platform"]) {
        const refused = yield* call("customer", "GET", `/v1/org/users?scope=${scope}`, { token: customerOwner })
        assert.deepStrictEqual([refused.status, jsonOf(refused).code], [403, "admin_required"])
      }
      const unnamed = yield* call("operator", "GET", "/v1/org/users", { token })
      assert.deepStrictEqual([unnamed.status, jsonOf(unnamed).code], [409, "tenant_required"])
    })
  )
})
