import { assert, it } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { nova, small, tenant } from "./nova.ts"

const absent = "00000000-0000-4000-8000-000000000000"

it.effect("an update shows former extensions from microversion 2.75 on", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.server()
    yield* TestClock.adjust(2000)
    const old = nova(acme.token, "2.74")
    const extended = ({ server }: { readonly server: object }) =>
      Object.keys(server).filter((_) => /^(OS-EXT|OS-SRV|os-ext|key_name|config_drive|security)/.test(_))
    const change = { server: { name: "www" } }
    assert.deepStrictEqual(extended((yield* old.put(`/servers/${id}`, change)).json), [])
    assert.include(extended((yield* acme.put(`/servers/${id}`, change)).json), "OS-EXT-STS:vm_state")
    assert.include(extended((yield* old.get(`/servers/${id}`)).json), "OS-EXT-STS:vm_state")
    const rebuild = { rebuild: { imageRef: publicImageId } }
    const rebuilt = yield* old.post(`/servers/${id}/action`, rebuild)
    assert.deepStrictEqual(extended(rebuilt.json), ["key_name"])
    assert.isNull(rebuilt.json.server.user_data)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a create's flavor is the last segment of a link's path, and a resize's the text itself", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    for (const flavorRef of ["3", 3, "http://nova/v2.1/flavors/3?a=/2#/2", `//${"a".repeat(300)}/3`]) {
      const id = yield* acme.server({ flavorRef })
      assert.strictEqual((yield* nova(acme.token, "2.46").get(`/servers/${id}`)).json.server.flavor.id, "3")
    }
    const id = yield* acme.server()
    yield* TestClock.adjust(2000)
    const resize = (flavorRef: string) => acme.post(`/servers/${id}/action`, { resize: { flavorRef } })
    assert.strictEqual((yield* resize("http://nova/v2.1/flavors/3")).status, 400)
    assert.strictEqual((yield* resize("3")).status, 202)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("access addresses and the disk's configuration are stored, changed by update and rebuild", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const shown = (id: string) =>
      Effect.map(acme.get(`/servers/${id}`), ({ json: { server } }) => [
        server.accessIPv4,
        server.accessIPv6,
        server["OS-DCF:diskConfig"]
      ])
    const given = { accessIPv4: "1.1.1.1", accessIPv6: "::babe:220.12.22.2", "OS-DCF:diskConfig": "AUTO" }
    const id = yield* acme.server(given)
    assert.deepStrictEqual(yield* shown(id), ["1.1.1.1", "::babe:dc0c:1602", "AUTO"])
    yield* acme.put(`/servers/${id}`, { server: { accessIPv4: "2.2.2.2" } })
    assert.deepStrictEqual(yield* shown(id), ["2.2.2.2", "::babe:dc0c:1602", "AUTO"])
    yield* TestClock.adjust(2000)
    const rebuild = { imageRef: publicImageId, "OS-DCF:diskConfig": "MANUAL", accessIPv6: "fe80::1" }
    yield* acme.post(`/servers/${id}/action`, { rebuild })
    assert.deepStrictEqual(yield* shown(id), ["2.2.2.2", "fe80::1", "MANUAL"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a body outside the schema is a 400 with Nova's message", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const id = yield* acme.server()
    const refusals: ReadonlyArray<readonly [method: "post" | "put", path: string, body: object, message: string]> = [
      ...(
        [
          [{ accessIPv4: "1.1" }, "accessIPv4. Value: 1.1. '1.1' is not a 'ipv4'"],
          [{ accessIPv6: "1.1.1.1" }, "accessIPv6. Value: 1.1.1.1. '1.1.1.1' is not a 'ipv6'"],
          [{ "OS-DCF:diskConfig": "no" }, "OS-DCF:diskConfig. Value: no. 'no' is not one of ['AUTO', 'MANUAL']"],
          [{ key_name: "" }, "key_name. Value: . '' is too short"],
          [{ block_device_mapping_v2: [{ boot_index: "x" }] }, "boot_index. Value: x. 'x' does not match '^-?[0-9]+$'"],
          [
            { block_device_mapping_v2: [{ source_type: "tape" }] },
            "source_type. Value: tape. 'tape' is not one of ['volume', 'image', 'snapshot', 'blank']"
          ],
          [{ metadata: { a: "x".repeat(256) } }, `a. Value: ${"x".repeat(256)}. '${"x".repeat(256)}' is too long`]
        ] as const
      ).map(([more, why]) => ["post", "/servers", { server: { ...small, ...more } }, why] as const),
      [
        "post",
        `/servers/${id}/metadata`,
        { metadata: { "": "x" } },
        "metadata. Value: {'': 'x'}. '' does not match any of the regexes: '^[a-zA-Z0-9-_:. ]{1,255}$'"
      ],
      [
        "put",
        `/servers/${id}/metadata`,
        { metadata: { ["k".repeat(256)]: "x" } },
        `'${"k".repeat(256)}' does not match any of the regexes`
      ],
      ["put", `/servers/${id}/metadata/a`, { meta: {} }, "meta. Value: {}. {} does not have enough properties"],
      ["put", `/servers/${id}/metadata/a`, { meta: { b: "x" } }, "Request body and URI mismatch"]
    ]
    for (const [method, path, body, message] of refusals) {
      const refused = yield* acme[method](path, body)
      assert.strictEqual(refused.status, 400, message)
      assert.include(refused.json.badRequest.message, message)
    }
    const named = yield* nova(acme.token, "2.18").put(`/servers/${id}`, { server: { description: "x" } })
    assert.include(
      named.json.badRequest.message,
      "Additional properties are not allowed ('description' was unexpected)"
    )
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("only disks numbered from 0 without a gap boot, and only from a bootable volume", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const made = yield* ask("POST", `/volume/v3/${acme.projectId}/volumes`, {
      token: acme.token,
      json: { volume: { size: 1 } }
    })
    yield* TestClock.adjust(2000)
    const blank = { source_type: "blank", destination_type: "volume", volume_size: 1 }
    const volume = { source_type: "volume", destination_type: "volume", uuid: made.json.volume.id }
    const sequence = "Boot sequence for the instance and image/block device mapping combination is not valid."
    for (const [imageRef, mappings, message] of [
      ["", [{ ...volume, boot_index: 0 }], `Block Device ${volume.uuid} is not bootable.`],
      ["", [{ ...volume, uuid: absent, boot_index: 0 }], `failed to get volume ${absent}.`],
      [publicImageId, [{ ...blank, boot_index: -1 }], sequence],
      ["", [{ ...blank, boot_index: 1 }], sequence],
      ["", [{ ...blank, uuid: absent }], "Invalid device UUID."],
      ["", [{ source_type: "image", destination_type: "volume" }], "Missing device UUID."],
      ["", [{ ...volume, volume_type: "x", boot_index: 0 }], "Specifying volume type to existing volume"]
    ] as const) {
      const server = { ...small, imageRef, block_device_mapping_v2: mappings }
      const refused = yield* acme.post("/servers", { server })
      assert.strictEqual(refused.status, 400, message)
      assert.include(refused.json.badRequest.message, message)
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a public key must be loadable", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const old = nova(acme.token, "2.2")
    const { public_key } = (yield* old.post("/os-keypairs", { keypair: { name: "made" } })).json.keypair
    const importing = (key: string) =>
      Effect.map(acme.post("/os-keypairs", { keypair: { name: "k", public_key: key } }), (_) => [
        _.status,
        _.json.badRequest?.message
      ])
    const junk = [400, "Keypair data is invalid: failed to generate fingerprint"]
    const [type, blob] = String(public_key).split(" ")
    for (const key of ["", " ", "ssh-rsa JUNK nova@ubuntu", `ssh-rsa ${blob}`, `${type} ${blob}AAAA`, "ssh-rsa AAAA"]) {
      assert.deepStrictEqual(yield* importing(key), junk, key)
    }
    assert.deepStrictEqual(yield* importing(`ssh-rsa ${"A".repeat(16_384)}`), junk)
    assert.strictEqual((yield* importing(public_key))[0], 201)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a deleted server's actions are readable since 2.21, by its own project", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const id = yield* acme.server()
    yield* acme.delete(`/servers/${id}`)
    yield* TestClock.adjust(2000)
    const path = `/servers/${id}/os-instance-actions`
    const { instanceActions } = (yield* acme.get(path)).json
    assert.deepStrictEqual(
      instanceActions.map((_: { action: string }) => _.action),
      ["delete", "create"]
    )
    assert.strictEqual(
      (yield* acme.get(`${path}/${instanceActions[0].request_id}`)).json.instanceAction.action,
      "delete"
    )
    assert.strictEqual((yield* nova(acme.token, "2.20").get(path)).status, 404)
    assert.strictEqual((yield* globex.get(path)).status, 404)
    assert.strictEqual((yield* acme.get(`/servers/${id}`)).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a server group lists the servers that were scheduled with it", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* tenant("acme"), yield* tenant("globex")]
    const made = yield* acme.post("/os-server-groups", { server_group: { name: "g", policy: "affinity" } })
    const { id: group } = made.json.server_group
    const boot = (_: typeof acme, group: string) =>
      _.post("/servers", { server: small, "os:scheduler_hints": { group } })
    const { id } = (yield* boot(acme, group)).json.server
    assert.deepStrictEqual((yield* acme.get(`/os-server-groups/${group}`)).json.server_group.members, [id])
    const foreign = yield* boot(globex, group)
    assert.strictEqual(foreign.json.badRequest.message, `Instance group ${group} could not be found.`)
    assert.strictEqual((yield* boot(acme, "x")).json.badRequest.message.includes("'x' is not a 'uuid'"), true)
    yield* acme.delete(`/servers/${id}`)
    yield* TestClock.adjust(2000)
    assert.deepStrictEqual((yield* acme.get("/os-server-groups")).json.server_groups[0].members, [])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a resize keeps the power state", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    for (const end of ["confirmResize", "revertResize"]) {
      const id = yield* acme.server()
      const act = (action: object) => Effect.andThen(acme.post(`/servers/${id}/action`, action), TestClock.adjust(2000))
      yield* TestClock.adjust(2000)
      yield* act({ "os-stop": null })
      yield* act({ resize: { flavorRef: "3" } })
      assert.strictEqual((yield* acme.get(`/servers/${id}`)).json.server.status, "VERIFY_RESIZE")
      yield* act({ [end]: null })
      assert.strictEqual((yield* acme.get(`/servers/${id}`)).json.server.status, "SHUTOFF", end)
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
