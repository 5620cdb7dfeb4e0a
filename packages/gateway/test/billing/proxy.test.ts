import { LifecycleEvent } from "@portico/contract/Events"
import { fixtures } from "@portico/simulator/Fixtures"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { repeatInTime } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { Logs } from "../harness/Logs.ts"
import { Tapped } from "../proxy/odd.ts"
import { Tap } from "../harness/Tap.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const decode = Schema.decodeUnknownEffect(LifecycleEvent, { onExcessProperty: "error" })

/** The events of one resource, once there are so many. */
const eventsOf = Effect.fnUntraced(function* (resource: string, count: number) {
  const { events } = yield* Memory
  const found = Effect.sync(() => [...events.values()].filter((_) => _.key === resource))
  const rows = yield* repeatInTime(found, (_) => _.length >= count)
  return yield* Effect.forEach(rows, (_) => decode(_.envelope))
})

const kindsOf = (resource: string, count: number) =>
  Effect.map(eventsOf(resource, count), (events) => events.map((_) => _.kind))

/** One call through the proxy. An administrator is one on the operator plane alone. */
const iaas = Effect.fnUntraced(function* (token: string, method: string, path: string, body?: Asked["body"]) {
  const plane = token === operator ? "operator" : "customer"
  return yield* (yield* TestGateway).call(plane, method, `/v1/iaas/${path}`, { token, body })
})

/** Repeats a read until the platform is done with what it accepted. */
const settled = Effect.fnUntraced(function* (token: string, path: string, envelope: string, status: string) {
  const read = Effect.map(iaas(token, "GET", path), (_) => jsonOf(_)[envelope].status)
  yield* repeatInTime(read, (_) => _ === status)
})

layer(Tapped.pipe(Layer.provideMerge(Logs.layer)))("the billing event of a forwarded write", (it) => {
  it.effect("is recorded, and a refused write has none", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const [, operate, destroy] = acme.tokens
      const created = yield* iaas(operate, "POST", "volume/volumes", { volume: { size: 3, name: "data" } })
      assert.strictEqual(created.status, 202)
      const { id } = jsonOf(created).volume
      const volume = `volume/volumes/${id}`

      const [event, ...more] = yield* eventsOf(id, 1)
      assert.deepStrictEqual(more, [])
      assert.deepInclude(event, { kind: "volume.create", project_id: acme.projectId, key: id })
      const { data } = yield* Effect.fromNullishOr(event)
      assert.deepInclude(data, { resource_id: id, credential_id: acme.credentialIds[1] })
      assert.strictEqual(data.request_id, created.headers["x-request-id"])
      assert.strictEqual(data.detail.size_gb, 3)

      yield* settled(operate, volume, "volume", "available")
      const extend = (size: number) => iaas(operate, "POST", `${volume}/action`, { "os-extend": { new_size: size } })
      assert.strictEqual((yield* extend(2)).status, 400)
      assert.strictEqual((yield* extend(100_000)).status, 413)
      assert.strictEqual((yield* iaas(operate, "DELETE", volume)).status, 403)
      assert.strictEqual((yield* iaas(globex.tokens[2], "DELETE", volume)).status, 404)
      assert.strictEqual((yield* iaas(operate, "POST", `${volume}/action`, "{not json")).status, 400)
      assert.strictEqual((yield* extend(5)).status, 202)
      yield* settled(operate, volume, "volume", "available")
      assert.strictEqual((yield* iaas(destroy, "DELETE", volume)).status, 202)

      assert.deepStrictEqual(yield* kindsOf(id, 3), ["volume.create", "volume.extend", "volume.delete"])
    })
  )

  it.effect("exists for a server's power changes too", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const [, operate, destroy] = acme.tokens
      const server = { name: "web", flavorRef: "2", imageRef: publicImageId, networks: [{ uuid: acme.networkId }] }
      const created = yield* iaas(operate, "POST", "compute/servers", { server })
      const { id } = jsonOf(created).server
      const path = `compute/servers/${id}`
      const act = (body: object) => Effect.map(iaas(operate, "POST", `${path}/action`, body), (_) => _.status)
      yield* settled(operate, path, "server", "ACTIVE")
      assert.strictEqual(yield* act({ "os-start": null }), 409)
      assert.strictEqual(yield* act({ lock: null }), 202)
      assert.strictEqual(yield* act({ unlock: null }), 202)
      assert.strictEqual(yield* act({ "os-stop": null }), 202)
      assert.strictEqual(yield* act({ "os-stop": null }), 409)
      assert.strictEqual((yield* iaas(destroy, "DELETE", path)).status, 204)

      const events = yield* eventsOf(id, 3)
      assert.deepStrictEqual(
        events.map((_) => _.kind),
        ["server.create", "server.stop", "server.delete"]
      )
      assert.deepStrictEqual(events[0]?.data.detail, { flavor: "2" })
    })
  )

  it.effect("exists for each address of a list, and for an administrator's", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const asked = { floating_network_id: fixtures.externalNetworkId }
      const created = yield* iaas(acme.tokens[1], "POST", "network/floatingips", { floatingips: [asked, asked] })
      assert.strictEqual(created.status, 201, created.text)
      const [first, second] = jsonOf(created).floatingips
      for (const { floating_ip_address, id } of [first, second]) {
        const [event] = yield* eventsOf(id, 1)
        assert.deepInclude(event, { kind: "floating_ip.create", project_id: acme.projectId })
        assert.strictEqual(event?.data.detail.address, floating_ip_address)
      }

      assert.strictEqual((yield* iaas(operator, "DELETE", `network/floatingips/${first.id}`)).status, 204)
      const [, deleted] = yield* eventsOf(first.id, 2)
      assert.deepInclude(deleted, { kind: "floating_ip.delete", project_id: null })
    })
  )

  it.effect("exists for a create with an odd path, and for one that asked for XML", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const tap = yield* Tap
      yield* tap.forget
      const [, operate, destroy] = acme.tokens
      const created = yield* call("customer", "POST", "/v1/iaas/network/qos/floatingips/index", {
        token: operate,
        headers: { accept: "application/xml", "accept-encoding": "gzip" },
        body: { floatingip: { floating_network_id: fixtures.externalNetworkId } }
      })
      assert.strictEqual(created.status, 201, created.text)
      const { id } = jsonOf(created).floatingip
      const [seen] = (yield* tap.seen).filter((_) => _.url.includes("/floatingips"))
      assert.deepInclude(seen?.headers, { accept: "application/json", "accept-encoding": "identity" })
      assert.strictEqual((yield* iaas(destroy, "DELETE", `network/floatingips/${id}/index`)).status, 204)
      assert.deepStrictEqual(yield* kindsOf(id, 2), ["floating_ip.create", "floating_ip.delete"])
    })
  )

  it.effect("does not change the answer, even if it cannot be recorded", () =>
    Effect.gen(function* () {
      const { globex } = yield* Cast
      const { events } = yield* Memory
      const { has } = events
      // The table's own methods fail, as a database that is down.
      events.has = () => {
        throw new Error("the database is down")
      }
      const created = yield* iaas(globex.tokens[1], "POST", "volume/volumes", { volume: { size: 1 } })
      const { id } = jsonOf(created).volume
      assert.strictEqual(created.status, 202)
      assert.deepStrictEqual(yield* kindsOf(id, 0), [])

      events.has = has
      assert.deepStrictEqual(yield* kindsOf(id, 1), ["volume.create"])
    })
  )

  it.effect("is at least logged when the answer cannot be read", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      const { forget, lines } = yield* Logs
      yield* forget
      const call = { service: "cinder", method: "POST", path: "/**", when: "before" } as const
      yield* cloud.fault({ ...call, times: 1, as: { status: 202, body: "fine" } })
      const asked = { volume: { size: 1 } }
      assert.strictEqual((yield* iaas(acme.tokens[1], "POST", "volume/volumes", asked)).status, 202)
      const told = yield* repeatInTime(lines, (_) => _.some((line) => line.includes("no event tells of it")))
      assert.include(told.join("\n"), "POST volume/volumes succeeded")
    })
  )
})
