import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Administrator, polled } from "./Administrator.ts"
import { guest, isGone, made, serverOf, shown, through } from "./Guests.ts"
import { realCloud } from "./RealGateway.ts"

/** A tenant with a server. */
class Machine extends Context.Service<Machine, { readonly acme: Tenant; readonly server: string }>()(
  "portico/gateway/test/real/Machine"
) {
  static readonly layer = Layer.effect(
    Machine,
    Effect.gen(function* () {
      const acme = yield* guest("servers")
      return { acme, server: yield* serverOf(acme, "web") }
    })
  )
}

const stage = Machine.layer.pipe(Layer.provideMerge(realCloud))

/** Waits until a server or a volume has come to this status. */
const reaches = (token: string, path: string, envelope: string, status: string) =>
  polled(shown(token, path), (_) => _[envelope].status === status)

layer(stage, { excludeTestServices: true })("servers and volumes on the real systems", (it) => {
  it.effect("a server becomes ACTIVE on the tenant's network, and counts as usage", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme, server } = yield* Machine
      const { read } = yield* Administrator
      const [token] = acme.tokens
      const own = (yield* shown(token, `/compute/servers/${server}`)).server
      assert.deepStrictEqual([own.status, own.tenant_id], ["ACTIVE", acme.projectId])
      assert.deepStrictEqual((yield* read("compute", `/servers/${server}`)).server.tenant_id, acme.projectId)
      const { ports } = yield* shown(token, `/network/ports?device_id=${server}`)
      assert.deepStrictEqual(
        ports.map((_: { readonly network_id: string }) => _.network_id),
        [acme.networkId]
      )
      const { compute } = jsonOf(yield* call("customer", "GET", "/v1/quotas", { token }))
      assert.deepStrictEqual(compute.instances, { limit: 5, used: 1, source: "nova" })
    })
  )

  it.effect("a volume attaches and detaches at tier 1, and is deleted at tier 2 alone", () =>
    Effect.gen(function* () {
      const { acme, server } = yield* Machine
      const [read, operate, destroy] = acme.tokens
      const { volume } = yield* made(operate, "/volume/volumes", { volume: { size: 1, name: "data" } })
      const one = `/volume/volumes/${volume.id}`
      yield* reaches(read, one, "volume", "available")

      const attachments = `/compute/servers/${server}/os-volume_attachments`
      const attachment = { volumeAttachment: { volumeId: volume.id } }
      assert.strictEqual((yield* through(read, "POST", attachments, { body: attachment })).status, 403)
      yield* made(operate, attachments, attachment)
      yield* reaches(read, one, "volume", "in-use")
      const listed = yield* shown(read, attachments)
      assert.strictEqual(listed.volumeAttachments[0].volumeId, volume.id)

      assert.strictEqual((yield* through(read, "DELETE", `${attachments}/${volume.id}`)).status, 403)
      const detached = yield* through(operate, "DELETE", `${attachments}/${volume.id}`)
      assert.strictEqual(detached.status, 202, detached.text)
      yield* reaches(read, one, "volume", "available")

      assert.strictEqual((yield* through(operate, "DELETE", one)).status, 403)
      assert.strictEqual((yield* through(destroy, "DELETE", one)).status, 202)
      yield* isGone(read, one)
    })
  )

  it.effect("a floating IP is allocated, reaches the server, and is released", () =>
    Effect.gen(function* () {
      const { acme, server } = yield* Machine
      const [read, operate, destroy] = acme.tokens
      const { networks } = yield* shown(read, "/network/networks?router:external=true")
      const { ports } = yield* shown(read, `/network/ports?device_id=${server}`)
      const wanted = { floatingip: { floating_network_id: networks[0].id } }
      const { floatingip } = yield* made(operate, "/network/floatingips", wanted)
      const one = `/network/floatingips/${floatingip.id}`

      const led = yield* through(operate, "PUT", one, { body: { floatingip: { port_id: ports[0].id } } })
      assert.strictEqual(led.status, 200, led.text)
      const { fixed_ip_address, router_id } = (yield* shown(read, one)).floatingip
      assert.deepStrictEqual([fixed_ip_address, router_id], [ports[0].fixed_ips[0].ip_address, acme.routerId])

      assert.strictEqual((yield* through(operate, "DELETE", one)).status, 403)
      assert.strictEqual((yield* through(destroy, "DELETE", one)).status, 204)
      yield* isGone(read, one)
    })
  )

  it.effect("it is stopped and started at tier 1, and deleted at tier 2 alone", () =>
    Effect.gen(function* () {
      const { acme, server } = yield* Machine
      const [read, operate, destroy] = acme.tokens
      const one = `/compute/servers/${server}`
      const act = (token: string, action: string) =>
        Effect.map(through(token, "POST", `${one}/action`, { body: { [action]: null } }), (_) => _.status)
      assert.strictEqual(yield* act(read, "os-stop"), 403)
      assert.strictEqual(yield* act(operate, "os-stop"), 202)
      yield* reaches(read, one, "server", "SHUTOFF")
      assert.strictEqual(yield* act(operate, "os-start"), 202)
      yield* reaches(read, one, "server", "ACTIVE")

      assert.strictEqual((yield* through(operate, "DELETE", one)).status, 403)
      assert.strictEqual((yield* through(destroy, "DELETE", one)).status, 204)
      yield* isGone(read, one)
    })
  )
})
