import { assert, layer } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { repeatInTime } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { withoutChance } from "../harness/http.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))
const never = "0b5e7d1c-8f0a-4c6e-9d43-1c1f0a9b8e77"

/** As acme's credential of this tier, on the customer plane. */
const as = Effect.fnUntraced(function* (
  tier: 0 | 1 | 2,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {}
) {
  const { acme } = yield* Cast
  return yield* (yield* TestGateway).call("customer", method, `/v1/iaas${path}`, {
    token: acme.tokens[tier],
    body,
    headers
  })
})

const made = Effect.fnUntraced(function* (path: string, body: object) {
  const answer = yield* as(1, "POST", path, body)
  assert.isBelow(answer.status, 300, answer.text)
  return jsonOf(answer)
})

const settled = (path: string, isSo: (body: ReturnType<typeof jsonOf>) => boolean) =>
  repeatInTime(as(0, "GET", path), (_) => isSo(jsonOf(_)))

const server = Effect.gen(function* () {
  const { acme } = yield* Cast
  const wanted = { name: "web", flavorRef: "2", imageRef: publicImageId, networks: [{ uuid: acme.networkId }] }
  const { server } = yield* made("/compute/servers", { server: wanted })
  yield* settled(`/compute/servers/${server.id}`, (_) => _.server.status === "ACTIVE")
  return String(server.id)
})

const volumeOf = Effect.fnUntraced(function* (more: object) {
  const { volume } = yield* made("/volume/volumes", { volume: { size: 1, ...more } })
  yield* settled(`/volume/volumes/${volume.id}`, (_) => _.volume.status === "available")
  return String(volume.id)
})

const volume = volumeOf({})

/** One that a server boots from. */
const bootable = volumeOf({ size: 10, imageRef: publicImageId })

const refused = (act: string) => ({
  detail:
    `Insufficient credential tier: ${act} requires tier 2, the caller's credential is tier 1. ` +
    "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes).",
  code: "tier_too_low"
})

const policy = Effect.fnUntraced(function* (...denies: ReadonlyArray<string>) {
  const { acme } = yield* Cast
  const path = `/v1/access/policy?project_id=${acme.projectId}`
  const body = { ou: "", denies }
  const answer = yield* (yield* TestGateway).call("operator", "PUT", path, { token: operator, body })
  assert.strictEqual(answer.status, 200, answer.text)
})

const denied = (deny: string) => ({
  detail: `The access policy of the whole account denies '${deny}'. GET /v1/org/effective shows the effective policy.`,
  code: "policy_denied"
})

layer(stage)("destructive POST and PUT requests", (it) => {
  it.effect("of a server need tier 2, and can be denied by policy; operating it does not", () =>
    Effect.gen(function* () {
      const id = yield* server
      const act = (tier: 1 | 2, body: unknown) => as(tier, "POST", `/compute/servers/${id}/action`, body)
      const destroying: ReadonlyArray<readonly [name: string, body: object]> = [
        ["forceDelete", { forceDelete: null }],
        ["rebuild", { rebuild: { imageRef: publicImageId } }],
        ["revertResize", { revertResize: null }],
        ["createBackup", { createBackup: { name: "b", backup_type: "daily", rotation: 1 } }]
      ]
      for (const [name, body] of destroying) {
        const answer = yield* act(1, body)
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, refused(`POST of servers/${name}`)])
      }
      yield* policy("compute:destroy")
      for (const [, body] of destroying) {
        const answer = yield* act(2, body)
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, denied("compute:destroy")])
      }
      // With the policy, and at tier 1.
      assert.strictEqual((yield* act(2, { reboot: { type: "HARD" } })).status, 202)
      yield* settled(`/compute/servers/${id}`, (_) => _.server.status === "ACTIVE")
      for (const body of [{ createImage: { name: "copy" } }, { "os-stop": null }]) {
        const answer = yield* act(1, body)
        assert.strictEqual(answer.status, 202, answer.text)
        yield* settled(`/compute/servers/${id}`, (_) => _.server["OS-EXT-STS:task_state"] === null)
      }
      assert.strictEqual((yield* act(1, { "os-start": null })).status, 202)
      yield* settled(`/compute/servers/${id}`, (_) => _.server.status === "ACTIVE")
      yield* policy()
      assert.strictEqual((yield* act(2, { rebuild: { imageRef: publicImageId } })).status, 202)
      yield* settled(`/compute/servers/${id}`, (_) => _.server.status === "ACTIVE")
      assert.strictEqual((yield* act(2, { forceDelete: null })).status, 202)
    })
  )

  it.effect("reverting a resize needs tier 2; resizing and confirming it do not", () =>
    Effect.gen(function* () {
      const path = `/compute/servers/${yield* server}`
      const act = (tier: 1 | 2, body: unknown) => as(tier, "POST", `${path}/action`, body)
      const resized = Effect.fnUntraced(function* (flavorRef: string) {
        assert.strictEqual((yield* act(1, { resize: { flavorRef } })).status, 202)
        yield* settled(path, (_) => _.server.status === "VERIFY_RESIZE")
      })
      yield* resized("3")
      const answer = yield* act(1, { revertResize: null })
      assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, refused("POST of servers/revertResize")])
      assert.strictEqual((yield* act(1, { confirmResize: null })).status, 204)
      yield* resized("2")
      assert.strictEqual((yield* act(2, { revertResize: null })).status, 202)
      yield* settled(path, (_) => _.server.status === "ACTIVE")
      assert.strictEqual((yield* as(2, "DELETE", path)).status, 204)
    })
  )

  it.effect("need it behind the own project's id too, which may begin a path once", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const own = acme.projectId
      const id = yield* server
      const act = (tier: 1 | 2, front: string, body: unknown) =>
        as(tier, "POST", `/compute/${front}servers/${id}/action`, body)
      const once = yield* act(1, `${own}/`, { forceDelete: null })
      assert.deepStrictEqual([once.status, jsonOf(once)], [403, refused("POST of servers/forceDelete")])
      assert.strictEqual((yield* act(1, `${own}/`, { lock: null })).status, 202)
      for (const front of [`${own}/${own}/`, `${own}/${own}/${own}/`]) {
        for (const tier of [1, 2] as const) {
          for (const body of [{ forceDelete: null }, { "os-resetState": { state: "error" } }, { lock: null }]) {
            const answer = yield* act(tier, front, body)
            assert.deepStrictEqual([answer.status, jsonOf(answer).code], [404, "not_found"], answer.text)
          }
        }
        const hosts = yield* as(1, "GET", `/compute/${front}os-hypervisors`)
        assert.strictEqual(hosts.status, 404, hosts.text)
      }
      assert.strictEqual((yield* as(0, "GET", `/compute/servers/${id}`)).status, 200)
      const volumes = yield* as(0, "GET", `/volume/${own}/${own}/volumes`)
      assert.strictEqual(volumes.status, 404, volumes.text)
    })
  )

  it.effect("are found in any body that a Python service reads as such, and in no other", () =>
    Effect.gen(function* () {
      const path = `/compute/servers/${never}/action`
      const bodies: Readonly<Record<string, readonly [body: string, code: string]>> = {
        "an escape": ['{"force\\u0044elete": null}', "tier_too_low"],
        "a key twice": ['{"forceDelete": null, "forceDelete": {}}', "tier_too_low"],
        blanks: ['\n {\t"rebuild" : {} } ', "tier_too_low"],
        "no JSON": ["forceDelete", "body_not_json"],
        NaN: ['{"forceDelete": NaN}', "body_not_json"],
        "a byte order mark": ['\ufeff{"forceDelete": null}', "body_not_json"]
      }
      for (const [what, [body, code]] of Object.entries(bodies)) {
        for (const type of ["application/json", "application/vnd.openstack.compute+json", "text/plain"]) {
          const answer = yield* as(1, "POST", path, body, { "content-type": type })
          assert.strictEqual(jsonOf(answer).code, code, `${what} as ${type}: ${answer.text}`)
        }
      }
      // Its own words for its own refusals.
      assert.strictEqual((yield* as(1, "POST", path, { "os-start": null })).status, 404)
      assert.strictEqual((yield* as(1, "POST", path, {})).status, 404)
    })
  )

  it.effect("of volumes, snapshots and backups need tier 2; extending and copying do not", () =>
    Effect.gen(function* () {
      const id = yield* volume
      const one = `/volume/volumes/${id}/action`
      const rows: ReadonlyArray<readonly [path: string, body: object, act: string]> = [
        [one, { "os-force_delete": {} }, "POST of volumes/os-force_delete"],
        [one, { revert: { snapshot_id: never } }, "POST of volumes/revert"],
        [one, { "os-reimage": { image_id: publicImageId } }, "POST of volumes/os-reimage"],
        [`/volume/snapshots/${never}/action`, { "os-force_delete": {} }, "POST of snapshots/os-force_delete"],
        [`/volume/backups/${never}/action`, { "os-force_delete": {} }, "POST of backups/os-force_delete"],
        [`/volume/backups/${never}/restore`, { restore: { volume_id: id } }, "POST of backups/restore"],
        ["/volume/volume-transfers", { transfer: { volume_id: id } }, "POST of volume-transfers"],
        ["/volume/os-volume-transfer", { transfer: { volume_id: id } }, "POST of os-volume-transfer"]
      ]
      for (const [path, body, act] of rows) {
        const answer = yield* as(1, "POST", path, body)
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, refused(act)], path)
      }
      // The tenant's own token is no administrator's, and Cinder says so.
      const forced = yield* as(2, "POST", one, { "os-force_delete": {} })
      assert.deepStrictEqual([forced.status, jsonOf(forced).code], [403, undefined])
      assert.strictEqual((yield* as(1, "POST", one, { "os-extend": { new_size: 2 } })).status, 202)
      yield* settled(`/volume/volumes/${id}`, (_) => _.volume.status === "available")
      const { backup } = yield* made("/volume/backups", { backup: { volume_id: id } })
      yield* settled(`/volume/backups/${backup.id}`, (_) => _.backup.status === "available")
      const fresh = yield* as(1, "POST", `/volume/backups/${backup.id}/restore`, { restore: { name: "again" } })
      assert.strictEqual(fresh.status, 202, fresh.text)
      yield* settled(`/volume/backups/${backup.id}`, (_) => _.backup.status === "available")
      const over = yield* as(2, "POST", `/volume/backups/${backup.id}/restore`, { restore: { volume_id: id } })
      assert.strictEqual(over.status, 202, over.text)
    })
  )

  it.effect("need tier 2 for a server with a deletable volume; others do not", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const id = yield* bootable
      const create = (tier: 1 | 2, device: object) =>
        as(tier, "POST", "/compute/servers", {
          server: {
            name: "web",
            flavorRef: "2",
            networks: [{ uuid: acme.networkId }],
            block_device_mapping_v2: [{ boot_index: 0, destination_type: "volume", ...device }]
          }
        })
      const existing = { source_type: "volume", uuid: id }
      const answer = yield* create(1, { ...existing, delete_on_termination: true })
      const only = refused("POST of servers with delete_on_termination")
      assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, only])
      const made = { source_type: "image", uuid: publicImageId, volume_size: 10, delete_on_termination: true }
      for (const [tier, device] of [
        [1, made],
        [1, existing]
      ] as const) {
        const created = yield* create(tier, device)
        assert.strictEqual(created.status, 202, created.text)
      }
      const goes = yield* create(2, { source_type: "volume", uuid: yield* bootable, delete_on_termination: true })
      assert.strictEqual(goes.status, 202, goes.text)
    })
  )

  it.effect("need tier 2 to give a port to a device; detaching it and other changes do not", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { port } = yield* made("/network/ports", { port: { network_id: acme.networkId, name: "data" } })
      const put = (tier: 1 | 2, more: object) => as(tier, "PUT", `/network/ports/${port.id}`, { port: more })
      const given = { device_id: yield* server }
      const answer = yield* put(1, given)
      assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, refused("PUT of ports with device_id")])
      for (const more of [{ name: "renamed" }, { device_id: "", device_owner: "" }]) {
        const changed = yield* put(1, more)
        assert.strictEqual(changed.status, 200, changed.text)
      }
      assert.strictEqual((yield* put(2, given)).status, 200)
    })
  )

  it.effect("of a pool's members need tier 2, unless the list only adds", () =>
    Effect.gen(function* () {
      const path = `/load-balancer/lbaas/pools/${never}/members`
      const put = (query: string) => as(1, "PUT", `${path}${query}`, { members: [] })
      const only = refused("PUT of pools/members")
      for (const query of [
        "",
        "?additive_only=false",
        "?additive_only",
        "?additive_only=true&additive_only=0",
        "?Additive_Only=true"
      ]) {
        assert.deepStrictEqual(jsonOf(yield* put(query)), only, query)
      }
      assert.strictEqual((yield* put("?additive_only=true")).status, 404)
      assert.strictEqual((yield* as(1, "PUT", `${path}/${never}`, { member: { weight: 2 } })).status, 404)
      assert.strictEqual((yield* as(2, "PUT", path, { members: [] })).status, 404)
    })
  )

  it.effect("need tier 2 to give a zone away", () =>
    Effect.gen(function* () {
      const zone = yield* made("/dns/zones", { name: "given.example.", email: "hostmaster@people.example" })
      const path = `/dns/zones/${zone.id}/tasks/transfer_requests`
      assert.deepStrictEqual(jsonOf(yield* as(1, "POST", path, {})), refused("POST of zones/tasks/transfer_requests"))
      assert.strictEqual((yield* as(2, "POST", path, {})).status, 201)
      yield* as(2, "DELETE", `/dns/zones/${zone.id}`)
    })
  )

  it.effect("need tier 2 of the zone's area to prune by an import; a dry run or an addition does not", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const own = (tier: 1 | 2, method: string, path: string, body: object) =>
        call("customer", method, `/v1/dns/zones${path}`, { token: acme.tokens[tier], body })
      const { zone_id } = jsonOf(yield* own(1, "POST", "", { name: "pruned.example." }))
      const added = yield* own(1, "POST", `/${zone_id}/recordsets`, { name: "www", type: "A", records: ["192.0.2.1"] })
      assert.strictEqual(added.status, 201, added.text)
      const file = { zonefile: "new 60 A 192.0.2.2\n" }
      const imported = (tier: 1 | 2, more: object) => own(tier, "POST", `/${zone_id}/import`, { ...file, ...more })
      const pruned = yield* imported(1, { dry_run: false, prune: true })
      assert.deepStrictEqual(
        [pruned.status, jsonOf(pruned)],
        [
          403,
          {
            detail:
              "Insufficient credential tier: this action requires tier 2, the caller's credential is tier 1. Tiers: 0 " +
              "read-only, 1 operate (writes), 2 destructive (deletes). Create a higher-tier credential under POST " +
              "/v1/credentials.",
            code: "tier_too_low"
          }
        ]
      )
      const dry = yield* imported(1, { prune: true })
      assert.deepStrictEqual([dry.status, jsonOf(dry).delete.length], [200, 1])
      assert.strictEqual((yield* imported(1, { dry_run: false })).status, 200)
      yield* policy("dns:destroy")
      const denial = yield* imported(2, { dry_run: false, prune: true })
      assert.deepStrictEqual([denial.status, jsonOf(denial)], [403, denied("dns:destroy")])
      assert.strictEqual((yield* imported(2, { dry_run: false })).status, 200)
      yield* policy()
      const done = yield* imported(2, { dry_run: false, prune: true })
      assert.deepStrictEqual([done.status, jsonOf(done).delete.length], [200, 1])
    })
  )
})

layer(stage)("platform acts closed to tenants", (it) => {
  it.effect("a connection to the storage is refused at every tier, of any volume", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const id = yield* volume
      const connector = { connector: { host: "me", initiator: "iqn.me" } }
      for (const key of ["os-initialize_connection", "os-terminate_connection"]) {
        for (const plane of planes) {
          for (const volume of [id, never]) {
            for (const tier of [1, 2] as const) {
              const path = `/v1/iaas/volume/volumes/${volume}/action`
              const answer = yield* call(plane, "POST", path, { token: acme.tokens[tier], body: { [key]: connector } })
              assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "platform_act_refused"])
              assert.match(jsonOf(answer).detail, new RegExp(`^POST of volumes/${key} is not for tenants: `))
            }
          }
        }
      }
      const admin = yield* call("operator", "POST", `/v1/iaas/volume/volumes/${id}/action`, {
        token: operator,
        body: { "os-initialize_connection": connector }
      })
      assert.strictEqual(admin.status, 200, admin.text)
    })
  )

  it.effect("an attachment is shown without its connection; compute attaches and detaches", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const id = yield* volume
      const attachments = `/compute/servers/${yield* server}/os-volume_attachments`
      yield* made(attachments, { volumeAttachment: { volumeId: id } })
      const now = yield* settled(`/volume/volumes/${id}`, (_) => _.volume.status === "in-use")
      const one = `/volume/attachments/${jsonOf(now).volume.attachments[0].attachment_id}`
      const version = { "openstack-api-version": "volume 3.27" }
      for (const path of [one, "/volume/attachments/detail", "/volume/attachments"]) {
        for (const encoding of ["identity", "gzip"]) {
          const shown = yield* as(0, "GET", path, undefined, { ...version, "accept-encoding": encoding })
          assert.deepStrictEqual([shown.status, shown.text.includes("connection_info")], [200, false], path)
          assert.notInclude(shown.text, "password")
          assert.include(shown.text, id)
        }
      }
      const admin = yield* call("operator", "GET", `/v1/iaas${one}`, { token: operator, headers: version })
      assert.include(admin.text, "auth_password")
      for (const [method, body] of [
        ["PUT", { attachment: { connector: {} } }],
        ["DELETE", undefined]
      ] as const) {
        const answer = yield* as(2, method, one, body, version)
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "platform_act_refused"])
      }
      assert.strictEqual((yield* as(1, "DELETE", `${attachments}/${id}`)).status, 202)
    })
  )

  it.effect("the key of a zone transfer is shown to callers who may offer it, and the offer to all", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const zone = yield* made("/dns/zones", { name: "offered.example.", email: "ops@offered.example" })
      const offers = "/dns/zones/tasks/transfer_requests"
      const offered = yield* as(2, "POST", `/dns/zones/${zone.id}/tasks/transfer_requests`, {})
      const { id, key } = jsonOf(offered)
      assert.isString(key)
      const agent = jsonOf(
        yield* call("customer", "POST", "/v1/credentials", {
          token: acme.tokens[2],
          body: { kind: "mcp", tier: 2, label: "agent", expires_in_days: 1 }
        })
      ).pat
      for (const path of [offers, `${offers}/${id}`]) {
        for (const [token, isShown] of [
          [acme.tokens[0], false],
          [acme.tokens[1], false],
          [acme.tokens[2], true],
          [agent, false]
        ] as const) {
          const shown = yield* call("customer", "GET", `/v1/iaas${path}`, { token })
          assert.deepStrictEqual([shown.status, shown.text.includes(key)], [200, isShown], shown.text)
          assert.include(shown.text, id)
        }
      }
      yield* as(2, "DELETE", `${offers}/${id}`)
      yield* as(2, "DELETE", `/dns/zones/${zone.id}`)
    })
  )

  it.effect("image imports fetch no address, and an upload and staged data are accepted", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const image = { name: "own", disk_format: "raw", container_format: "bare" }
      const { id } = yield* made("/image/images", image)
      const uri = "http://169.254.169.254/latest/meta-data"
      const download = { method: { name: "web-download", uri } }
      for (const tier of [1, 2] as const) {
        const answer = yield* as(tier, "POST", `/image/images/${id}/import`, download)
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "image_import_refused"])
        const task = yield* as(tier, "POST", "/image/tasks", { type: "import", input: { import_from: uri } })
        assert.deepStrictEqual([task.status, jsonOf(task).code], [403, "platform_act_refused"])
      }
      const octets = { "content-type": "application/octet-stream" }
      assert.strictEqual((yield* as(1, "PUT", `/image/images/${id}/stage`, Buffer.from("bytes"), octets)).status, 204)
      const staged = yield* as(1, "POST", `/image/images/${id}/import`, { method: { name: "glance-direct" } })
      assert.strictEqual(staged.status, 202, staged.text)
      const other = yield* made("/image/images", image)
      assert.strictEqual(
        (yield* as(1, "PUT", `/image/images/${other.id}/file`, Buffer.from("bytes"), octets)).status,
        204
      )
      const theirs = yield* call("operator", "POST", "/v1/iaas/image/images", { token: operator, body: image })
      const fetched = yield* call("operator", "POST", `/v1/iaas/image/images/${jsonOf(theirs).id}/import`, {
        token: operator,
        body: { method: { name: "web-download", uri: "https://images.example.org/x" } }
      })
      assert.strictEqual(fetched.status, 202, fetched.text)
    })
  )

  it.effect("a zone's master cannot be an address of the platform", () =>
    Effect.gen(function* () {
      const zone = { name: "secondary.example.", type: "SECONDARY" }
      const refusedMasters = [
        "169.254.169.254:80",
        "10.0.0.1",
        "[::1]:53",
        "::1",
        "fd00::1",
        "localhost:53",
        "010.0.0.1",
        "ns.example.org"
      ]
      for (const master of refusedMasters) {
        const answer = yield* as(2, "POST", "/dns/zones", { ...zone, masters: ["8.8.8.8", master] })
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "zone_masters_refused"], master)
      }
      const many = yield* as(2, "POST", "/dns/zones", { ...zone, masters: Array.from({ length: 51 }, () => "8.8.8.8") })
      assert.strictEqual(jsonOf(many).detail, "A zone has at most 50 masters")
      const made = yield* as(1, "POST", "/dns/zones", { ...zone, masters: ["8.8.8.8", "9.9.9.9:53", "2620:fe::fe"] })
      assert.strictEqual(made.status, 202, made.text)
      const one = `/dns/zones/${jsonOf(made).id}`
      const moved = yield* as(2, "PATCH", one, { masters: ["192.168.0.1"] })
      assert.strictEqual(jsonOf(moved).code, "zone_masters_refused")
      assert.notStrictEqual((yield* as(1, "PATCH", one, { masters: ["9.9.9.9"] })).status, 403)
    })
  )

  it.effect("a server cannot get an autoscaling group's metadata from a tenant, and keeps its own", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const own = { "portico-autoscaling-group": "g", "portico-autoscaling-slot": "s" }
      const path = `/compute/servers/${yield* server}`
      const wanted = { name: "web", flavorRef: "2", imageRef: publicImageId, networks: [{ uuid: acme.networkId }] }
      const refusedOnes = [
        as(2, "POST", "/compute/servers", { server: { ...wanted, metadata: own } }),
        as(2, "POST", `${path}/metadata`, { metadata: own }),
        as(2, "PUT", `${path}/metadata/portico-autoscaling-slot`, { meta: { "portico-autoscaling-slot": "s" } }),
        as(2, "POST", `${path}/action`, { rebuild: { imageRef: publicImageId, metadata: own } })
      ]
      for (const attempt of refusedOnes) {
        const answer = yield* attempt
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "platform_act_refused"], answer.text)
      }
      assert.strictEqual((yield* as(1, "POST", `${path}/metadata`, { metadata: { role: "web" } })).status, 200)
      const body = { metadata: own }
      const admin = yield* call("operator", "POST", `/v1/iaas${path}/metadata`, { token: operator, body })
      assert.strictEqual(admin.status, 200, admin.text)
      // As a client does that changes one value of all.
      const whole = yield* as(1, "PUT", `${path}/metadata`, { metadata: { ...own, role: "db" } })
      assert.deepStrictEqual([whole.status, jsonOf(whole)], [200, { metadata: { ...own, role: "db" } }])
      const other = yield* as(1, "PUT", `${path}/metadata`, { metadata: { ...own, "portico-autoscaling-slot": "t" } })
      assert.strictEqual(jsonOf(other).code, "platform_act_refused")
      assert.strictEqual((yield* as(2, "DELETE", `${path}/metadata/portico-autoscaling-slot`)).status, 204)
    })
  )

  it.effect("a tenant cannot bind a port to a host", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const port = (more: object) => as(1, "POST", "/network/ports", { port: { network_id: acme.networkId, ...more } })
      for (const more of [{ "binding:profile": { trusted: "true" } }, { "binding:host_id": "compute-1" }]) {
        assert.strictEqual(jsonOf(yield* port(more)).code, "platform_act_refused")
      }
      const bulk = yield* as(1, "POST", "/network/ports", { ports: [{}, { "binding:profile": { x: 1 } }] })
      assert.strictEqual(jsonOf(bulk).code, "platform_act_refused")
      assert.strictEqual((yield* port({ name: "own" })).status, 201)
    })
  )
})

layer(stage)("answers", (it) => {
  it.effect("all paths of an image and of a list are the gateway's", () =>
    Effect.gen(function* () {
      const { id } = yield* made("/image/images", { name: "own" })
      const shown = jsonOf(yield* as(0, "GET", `/image/images/${id}`))
      const paths = [`/v1/iaas/image/images/${id}`, `/v1/iaas/image/images/${id}/file`]
      assert.deepStrictEqual([shown.self, shown.file], paths)
      const list = jsonOf(yield* as(0, "GET", "/image/images?limit=1000"))
      const row = list.images.find((_: { readonly id: string }) => _.id === id)
      assert.deepStrictEqual([row.self, row.file], paths)
      for (const { self } of list.images) {
        assert.strictEqual((yield* as(0, "GET", String(self).replace("/v1/iaas", ""))).status, 200)
      }
      assert.match(list.first, /^\/v1\/iaas\/image\/images/)
      assert.match(list.schema, /^\/v1\/iaas\/image\/schemas\//)
    })
  )

  it.effect("another project and an unknown one are the same bytes, in queries and quotas", () =>
    Effect.gen(function* () {
      const { globex } = yield* Cast
      const absent = ["0123456789abcdef0123456789abcdef", "no-project"]
      const paths = (id: string) => [
        `/compute/servers?project_id=${id}`,
        `/volume/volumes?project_id=${id}`,
        `/network/networks?tenant_id=${id}`,
        `/image/images?project_id=${id}`,
        `/dns/zones?project_id=${id}`,
        `/load-balancer/lbaas/loadbalancers?project_id=${id}`,
        `/compute/os-quota-sets/${id}`,
        `/compute/os-quota-sets/${id}/detail`,
        `/volume/os-quota-sets/${id}`,
        `/network/quotas/${id}`,
        `/load-balancer/lbaas/quotas/${id}`,
        `/dns/quotas/${id}`,
        `/key-manager/v1/project-quotas/${id}`
      ]
      const foreign = paths(globex.projectId)
      for (const id of absent) {
        for (const [i, path] of paths(id).entries()) {
          const theirs = yield* as(2, "GET", foreign[i] ?? "")
          const none = yield* as(2, "GET", path)
          assert.strictEqual(theirs.status, 403, theirs.text)
          assert.deepStrictEqual(withoutChance(none), withoutChance(theirs), path)
        }
      }
    })
  )
})

layer(stage)("the edge's domain", (it) => {
  it.effect("defaults to the platform's, on the label boundary, on every way to a zone", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const { zones } = (yield* SimulatedCloud).world.designate
      const before = Object.keys(zones)
      const email = "hostmaster@people.example"
      const ways = (name: string) => [
        as(2, "POST", "/dns/zones", { name, email }),
        as(2, "POST", "/dns/Zones", { name, email }),
        call("customer", "POST", "/v1/dns/zones", { token: acme.tokens[2], body: { name } })
      ]
      for (const name of ["edge.portico.example.", "web.EDGE.portico.example.", "portico.example."]) {
        for (const way of ways(name)) {
          const answer = yield* way
          assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "platform_namespace"], name)
        }
      }
      const file = "$ORIGIN edge.portico.example.\n@ 60 IN SOA a. b. 1 2 3 4 5\n"
      const imported = yield* as(2, "POST", "/dns/zones/tasks/imports", file, { "content-type": "text/dns" })
      assert.deepStrictEqual([imported.status, jsonOf(imported).code], [403, "zone_file_refused"])
      assert.deepStrictEqual(Object.keys(zones), before)
      for (const name of ["myedge.portico.example.", "edge.portico.example.org."]) {
        const answer = yield* as(1, "POST", "/dns/zones", { name, email })
        assert.strictEqual(answer.status, 202, answer.text)
      }
    })
  )
})
