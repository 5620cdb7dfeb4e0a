import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { nameServers } from "@portico/simulator/designate/state"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { type Asked, send } from "../harness/http.ts"
import { jsonOf, planes, type Plane, TestGateway } from "../harness/TestGateway.ts"

const settings = Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), PLATFORM_DNS_ZONES: "cloud.example." }))
const Reserved = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(settings)),
  Layer.provideMerge(TestGateway.cloud)
)

const zones = "/v1/dns/zones"

/** As acme, unless it is said otherwise. */
const asked = Effect.fnUntraced(function* (plane: Plane, method: string, path: string, more: Asked = {}) {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  return yield* call(plane, method, path, { token: acme.tokens[2], ...more })
})

/** No zone is in anybody's way. */
const noZones = Effect.gen(function* () {
  const { recordsets, zones } = (yield* SimulatedCloud).world.designate
  for (const id of Object.keys(zones)) delete zones[id]
  for (const id of Object.keys(recordsets)) delete recordsets[id]
})

layer(Reserved)("zones over HTTP", (it) => {
  for (const plane of planes) {
    it.effect(`their life on the ${plane} plane`, () =>
      Effect.gen(function* () {
        yield* noZones
        const made = yield* asked(plane, "POST", zones, { body: { name: "example.org." } })
        assert.strictEqual(made.status, 201, made.text)
        const { zone_id } = jsonOf(made)
        const zone = `${zones}/${zone_id}`
        const recordset = { name: "www", type: "A", records: ["192.0.2.1"] }
        const added = yield* asked(plane, "POST", `${zone}/recordsets`, { body: recordset })
        assert.deepStrictEqual([added.status, jsonOf(added).name], [201, "www.example.org."])
        const again = yield* asked(plane, "POST", `${zone}/recordsets`, { body: recordset })
        assert.deepStrictEqual(
          [again.status, jsonOf(again)],
          [409, { detail: "Duplicate RecordSet", code: "upstream_conflict" }]
        )
        const own = `${zone}/recordsets/${jsonOf(added).recordset_id}`
        const changed = yield* asked(plane, "PATCH", own, { body: { records: ["192.0.2.2"], ttl: 60 } })
        assert.deepStrictEqual([changed.status, jsonOf(changed).records, jsonOf(changed).ttl], [200, ["192.0.2.2"], 60])
        const file = { zonefile: "www 60 A 192.0.2.2\nnew TXT hi\n" }
        const dry = yield* asked(plane, "POST", `${zone}/import`, { body: file })
        assert.deepStrictEqual(
          [dry.status, jsonOf(dry).dry_run, jsonOf(dry).create.length, jsonOf(dry).unchanged],
          [200, true, 1, 1]
        )
        const listed = yield* asked(plane, "GET", `${zone}/recordsets?type=A`)
        assert.deepStrictEqual([jsonOf(listed).count, jsonOf(listed).next_cursor], [1, null])
        const removed = yield* asked(plane, "DELETE", own)
        assert.deepStrictEqual([removed.status, jsonOf(removed).action], [202, "DELETE"])
        const gone = yield* asked(plane, "DELETE", zone)
        assert.deepStrictEqual([gone.status, jsonOf(gone).action], [202, "DELETE"])
      })
    )
  }

  it.effect("the delegation is the DNS's, which a registry decides", () =>
    Effect.gen(function* () {
      yield* noZones
      const { url } = yield* Server
      const made = yield* asked("customer", "POST", zones, { body: { name: "delegated.example." } })
      const checked = Effect.map(asked("customer", "GET", `${zones}/${jsonOf(made).zone_id}/delegation`), (_) => [
        _.status,
        jsonOf(_).status ?? jsonOf(_).code
      ])
      const registry = (records: ReadonlyArray<string>) =>
        send(url, "PUT", "/cloud/dns", { body: { name: "delegated.example.", type: "NS", records } })
      assert.deepStrictEqual(yield* checked, [200, "absent"])
      yield* registry(["ns.elsewhere.example."])
      assert.deepStrictEqual(yield* checked, [200, "elsewhere"])
      yield* registry([...nameServers, "ns.elsewhere.example."])
      assert.deepStrictEqual(yield* checked, [200, "partial"])
      const cloud = yield* SimulatedCloud
      const query = { service: "resolver", method: "GET", path: "**", times: "always", when: "before" } as const
      yield* cloud.fault({ ...query, as: { status: 503 } })
      assert.deepStrictEqual(yield* inTime(checked), [502, "upstream_failed"])
      yield* cloud.clearFaults
    })
  )

  it.effect("a name of the platform is refused before a call to Designate, at the label boundary", () =>
    Effect.gen(function* () {
      yield* noZones
      const { trace } = yield* TestGateway
      for (const name of [
        "cloud.example.",
        "A.Cloud.Example.",
        "b.a.cloud.example.",
        "example.",
        "2.0.192.in-addr.arpa.",
        "co.uk."
      ]) {
        const before = yield* trace
        const answer = yield* asked("customer", "POST", zones, { body: { name } })
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "platform_namespace"], name)
        assert.deepStrictEqual(yield* trace, before)
      }
      for (const name of ["evilcloud.example.", "cloud.example.org.", "acme.co.uk."]) {
        const answer = yield* asked("customer", "POST", zones, { body: { name } })
        assert.strictEqual(answer.status, 201, answer.text)
      }
    })
  )

  const proxied = "/v1/iaas/dns/zones"
  const doors: ReadonlyArray<readonly [what: string, path: string, asked: Asked, code: string]> = [
    ["a zone", proxied, { body: { name: "a.cloud.example.", email: "a@b.example" } }, "platform_namespace"],
    ["another case", proxied, { body: { name: "CLOUD.example.", email: "a@b.example" } }, "platform_namespace"],
    ["no dot", proxied, { body: { name: "a.cloud.example", email: "a@b.example" } }, "platform_namespace"],
    ["a reverse zone", proxied, { body: { name: "2.0.192.in-addr.arpa." } }, "platform_namespace"],
    ["a public suffix", proxied, { body: { name: "Co.UK", email: "a@b.example" } }, "platform_namespace"],
    ["a slash behind", `${proxied}/`, { body: { name: "cloud.example." } }, "platform_namespace"],
    ["a format behind", `${proxied}.json`, { body: { name: "cloud.example." } }, "platform_namespace"],
    ["no JSON", proxied, { body: "name=cloud.example." }, "body_not_json"],
    [
      "a zone file",
      `${proxied}/tasks/imports`,
      { body: "$ORIGIN cloud.example.\n", headers: { "content-type": "text/dns" } },
      "zone_file_refused"
    ],
    ["a zone file in JSON", `${proxied}/tasks/imports`, { body: { zonefile: "" } }, "zone_file_refused"]
  ]
  for (const [what, path, given, code] of doors) {
    it.effect(`a name of the platform is refused through the catch-all: ${what}`, () =>
      Effect.gen(function* () {
        const { trace } = yield* TestGateway
        const before = yield* trace
        for (const plane of planes) {
          const answer = yield* asked(plane, "POST", path, given)
          assert.strictEqual(jsonOf(answer).code, code, answer.text)
        }
        assert.deepStrictEqual(yield* trace, before)
      })
    )
  }

  it.effect("other zones pass, and so do all of the platform's administrators", () =>
    Effect.gen(function* () {
      yield* noZones
      const body = { name: "fine.example.", email: "a@b.example" }
      assert.strictEqual((yield* asked("customer", "POST", proxied, { body })).status, 202)
      const own = { token: operator, body: { ...body, name: "cloud.example." } }
      assert.strictEqual((yield* asked("operator", "POST", proxied, own)).status, 202)
      const file = { token: operator, body: "$ORIGIN a.example.\n", headers: { "content-type": "text/dns" } }
      assert.strictEqual((yield* asked("operator", "POST", `${proxied}/tasks/imports`, file)).status, 202)
    })
  )
})

const Without = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.map(Server, ({ url }) =>
        Object.fromEntries(Object.entries(gatewaySettings(url)).filter(([name]) => name !== "IAAS_DNS_URL"))
      )
    )
  ),
  Layer.provideMerge(TestGateway.cloud)
)

layer(Without)("on a cloud without DNS", (it) => {
  it.effect("every zone route is 404", () =>
    Effect.gen(function* () {
      const absent = { detail: "No platform service at 'dns'", code: "service_not_found" }
      const id = "11111111-2222-4333-8444-555555555555"
      for (const [method, path, body] of [
        ["GET", zones, undefined],
        ["POST", zones, { name: "example.org." }],
        ["GET", `${zones}/${id}`, undefined],
        ["POST", `${zones}/${id}/import`, { zonefile: "" }],
        ["GET", `${zones}/${id}/delegation`, undefined]
      ] as const) {
        const answer = yield* asked("customer", method, path, { body })
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, absent], `${method} ${path}`)
      }
    })
  )
})
