import { assert, layer } from "@effect/vitest"
import { asgTopic, auditTopic, lifecycleTopic } from "@portico/contract/Events"
import { publicImageId } from "@portico/simulator/glance/state"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, repeatInTime } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

/** The gateway with a job that looks every second. */
const Everything = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), AUTOSCALING_SECONDS: "1" })))
  ),
  Layer.provideMerge(TestGateway.cloud)
)

const groups = "/v1/autoscaling/groups"
const template = { flavor_id: "2", image_id: publicImageId }
const web = { name: "web", min: 1, max: 3, template, policies: [{ name: "up", adjustment: 1 }] }

/** Looks until it is so. */
const until = Effect.fnUntraced(function* (
  path: string,
  isSo: (answer: { readonly status: number; readonly body: ReturnType<typeof jsonOf> }) => boolean
) {
  const { call } = yield* TestGateway
  const { acme } = yield* Cast
  const look = Effect.map(call("customer", "GET", path, { token: acme.tokens[0] }), (_) => ({
    status: _.status,
    body: jsonOf(_)
  }))
  return (yield* repeatInTime(look, isSo)).body
})

layer(Everything)("autoscaling groups over the wire", (it) => {
  it.effect("the life of a group: it grows alone and by a policy, replaces servers, and is removed", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const [read, operate, destroy] = acme.tokens
      assert.strictEqual((yield* call("customer", "POST", groups, { token: read, body: web })).status, 403)
      const answer = yield* call("customer", "POST", groups, { token: operate, body: web })
      assert.strictEqual(answer.status, 201, answer.text)
      const made = jsonOf(answer)
      assert.match(made.group_id, /^asg-[0-9a-f]{12}$/)
      assert.deepInclude(made, {
        name: "web",
        min: 1,
        max: 3,
        desired: 1,
        state: "scaling",
        servers: [],
        reason: null
      })
      assert.deepStrictEqual(made.template, { ...template, network_id: acme.networkId, has_user_data: false })
      const again = yield* call("customer", "POST", groups, { token: operate, body: web })
      assert.deepStrictEqual([again.status, jsonOf(again).code], [409, "autoscaling_name_taken"])

      const path = `${groups}/${made.group_id}`
      yield* until(path, ({ body }) => body.state === "active" && body.servers.length === 1)
      const trigger = yield* call("customer", "POST", `${path}/policies/up/trigger`, { token: operate })
      assert.deepInclude(jsonOf(trigger), { applied: true, reason: null })
      const early = yield* call("customer", "POST", `${path}/policies/up/trigger`, { token: operate, body: {} })
      assert.deepInclude(jsonOf(early), { applied: false, reason: "cooldown" })
      const grown = yield* until(path, ({ body }) => body.state === "active" && body.servers.length === 2)

      // Through the proxy its servers are the tenant's like any other.
      const victim = grown.servers[0].server_id
      const shown = yield* call("customer", "GET", `/v1/iaas/compute/servers/${victim}`, { token: read })
      assert.match(jsonOf(shown).server.name, /^web-[0-9a-f]{8}$/)
      const gone = yield* call("customer", "DELETE", `/v1/iaas/compute/servers/${victim}`, { token: destroy })
      assert.strictEqual(gone.status, 204)
      yield* call("customer", "PATCH", path, { token: operate, body: { cooldown_seconds: 1 } })
      yield* until(
        path,
        ({ body }) =>
          body.state === "active" &&
          body.servers.length === 2 &&
          body.servers.every((_: { readonly server_id: string }) => _.server_id !== victim)
      )

      const unordered = yield* call("customer", "PATCH", path, { token: operate, body: { min: 3, max: 2 } })
      assert.strictEqual(unordered.status, 422)
      const beyond = yield* call("customer", "PATCH", path, { token: operate, body: { desired: 4 } })
      assert.deepStrictEqual([beyond.status, jsonOf(beyond).code], [422, "autoscaling_range"])
      assert.strictEqual((yield* call("customer", "DELETE", path, { token: operate })).status, 403)
      const removed = yield* call("customer", "DELETE", path, { token: destroy })
      assert.deepStrictEqual([removed.status, jsonOf(removed).state], [202, "deleting"])
      const late = yield* call("customer", "PATCH", path, { token: operate, body: { desired: 2 } })
      assert.include(["autoscaling_group_deleting", "autoscaling_group_not_found"], jsonOf(late).code)
      yield* until(path, ({ status }) => status === 404)
      const { servers } = jsonOf(yield* call("customer", "GET", "/v1/iaas/compute/servers", { token: read }))
      assert.deepStrictEqual(servers, [])

      const { events } = yield* Memory
      const told = (topic: string) =>
        [...events.values()]
          .filter((_) => _.topic === topic && _.envelope["project_id"] === acme.projectId)
          .map((_) => String(_.envelope["kind"]))
          .toSorted()
      assert.deepStrictEqual(told(asgTopic), [
        "group.scaled_in",
        "group.scaled_in",
        "group.scaled_out",
        "group.scaled_out",
        "group.scaled_out",
        "group.server_replaced"
      ])
      // One of the deletions is the proxy's.
      const created = ["server.create", "server.create", "server.create"]
      assert.deepStrictEqual(told(lifecycleTopic), [...created, "server.delete", "server.delete", "server.delete"])
      const routes = [...events.values()].flatMap((_) =>
        _.topic === auditTopic ? [JSON.stringify(_.envelope["data"])] : []
      )
      assert.isTrue(routes.some((_) => _.includes("/v1/autoscaling/groups/:group_id/policies/:policy/trigger")))
    })
  )

  it.effect("another tenant's id, an unknown and a malformed one are the same bytes, on both planes", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const made = jsonOf(yield* call("customer", "POST", groups, { token: acme.tokens[1], body: { ...web, min: 0 } }))
      const ids = [made.group_id, "asg-000000000000", "x", acme.projectId]
      const asked = [
        ["GET", "", undefined],
        ["PATCH", "", { desired: 0 }],
        ["DELETE", "", undefined],
        ["POST", "/policies/up/trigger", undefined]
      ] as const
      for (const plane of planes) {
        for (const [method, rest, body] of asked) {
          const answers = yield* Effect.forEach(ids, (id) =>
            Effect.map(call(plane, method, `${groups}/${id}${rest}`, { token: globex.tokens[2], body }), (_) => ({
              status: _.status,
              text: _.text.replaceAll(id, "ID"),
              headers: Object.keys(_.headers).toSorted()
            }))
          )
          for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
          assert.deepStrictEqual(
            [answers[0]?.status, JSON.parse(answers[0]?.text ?? "")],
            [404, { detail: "Autoscaling group 'ID' not found", code: "autoscaling_group_not_found" }]
          )
        }
        assert.deepStrictEqual(jsonOf(yield* call(plane, "GET", groups, { token: globex.tokens[0] })), {
          count: 0,
          groups: []
        })
        const admin = yield* call(plane, "GET", groups, { token: operator })
        assert.deepStrictEqual([admin.status, jsonOf(admin).code], [409, "tenant_required"])
      }
      const policy = yield* call("customer", "POST", `${groups}/${made.group_id}/policies/down/trigger`, {
        token: acme.tokens[1]
      })
      assert.deepStrictEqual(
        [policy.status, jsonOf(policy)],
        [404, { detail: "Autoscaling policy 'down' not found", code: "autoscaling_policy_not_found" }]
      )
      yield* call("customer", "DELETE", `${groups}/${made.group_id}`, { token: acme.tokens[2] })
    })
  )

  it.effect("an unusable reference in a template is refused with the platform's message", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const refused = (more: object) =>
        Effect.map(
          call("customer", "POST", groups, {
            token: acme.tokens[1],
            body: { ...web, name: "other", template: { ...template, ...more } }
          }),
          (_) => [_.status, jsonOf(_)]
        )
      assert.deepStrictEqual(yield* refused({ flavor_id: "99" }), [
        422,
        { detail: "Flavor 99 could not be found.", code: "upstream_refused" }
      ])
      // Another tenant's network is none.
      assert.deepStrictEqual(yield* refused({ network_id: globex.networkId }), [
        422,
        { detail: `Network ${globex.networkId} could not be found.`, code: "upstream_refused" }
      ])
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "glance",
        method: "GET",
        path: "/v2/images/*",
        when: "before",
        times: "always",
        as: { status: 500 }
      })
      const failed = yield* inTime(refused({}))
      yield* cloud.clearFaults
      assert.deepStrictEqual(failed, [
        502,
        { detail: "glance show image: simulated 500", code: "upstream_failed", transient: true }
      ])
    })
  )
})
