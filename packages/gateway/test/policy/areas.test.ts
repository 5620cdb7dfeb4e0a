import { assert, layer } from "@effect/vitest"
import { CustomerApi } from "@portico/contract/Api"
import { ActsOn } from "@portico/contract/Access"
import { areaOf, areas } from "@portico/contract/areas"
import { publicImageId } from "@portico/simulator/glance/state"
import { repeatInTime } from "@portico/testing/clock"
import { Context, Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { globSync, readFileSync } from "node:fs"
import { Cast, operator, person } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** As acme's credential of tier 2, whom the policies concern. */
const ask = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { acme } = yield* Cast
  return yield* (yield* TestGateway).call("customer", method, `/v1${path}`, { token: acme.tokens[2], body })
})

const done = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const answer = yield* ask(method, path, body)
  assert.isBelow(answer.status, 300, `${method} ${path}: ${answer.text}`)
  return answer.text === "" ? {} : jsonOf(answer)
})

const denies = Effect.fnUntraced(function* (...denies: ReadonlyArray<string>) {
  const { acme } = yield* Cast
  const path = `/v1/access/policy?project_id=${acme.projectId}`
  const answer = yield* (yield* TestGateway).call("operator", "PUT", path, {
    token: operator,
    body: { ou: "", denies }
  })
  assert.strictEqual(answer.status, 200, answer.text)
})

const refused = Effect.fnUntraced(function* (method: string, path: string, deny: string, body?: unknown) {
  const answer = yield* ask(method, path, body)
  assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "policy_denied"], `${method} ${path}, ${deny}`)
  assert.include(jsonOf(answer).detail, `'${deny}'`)
})

const things = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { volume } = yield* done("POST", "/iaas/volume/volumes", { volume: { size: 1 } })
  yield* repeatInTime(ask("GET", `/iaas/volume/volumes/${volume.id}`), (_) => jsonOf(_).volume.status === "available")
  const image = yield* done("POST", "/iaas/image/images", { name: "own", container_format: "bare", disk_format: "raw" })
  const { security_group } = yield* done("POST", "/iaas/network/security-groups", { security_group: { name: "own" } })
  const wanted = { name: "web", flavorRef: "2", imageRef: publicImageId, networks: [{ uuid: acme.networkId }] }
  const { server } = yield* done("POST", "/iaas/compute/servers", { server: wanted })
  const at = `/iaas/compute/servers/${server.id}`
  yield* repeatInTime(ask("GET", at), (_) => jsonOf(_).server.status === "ACTIVE")
  return { volume: String(volume.id), image: String(image.id), group: String(security_group.id), server: at, wanted }
})

layer(stage)("a deny of volumes, images and networks", (it) => {
  it.effect("denies compute their deletion, and permits it to delete servers and read the rest", () =>
    Effect.gen(function* () {
      const { group, image, server, volume } = yield* things
      yield* denies("volume:destroy", "image:destroy", "network:destroy")
      yield* refused("DELETE", `/iaas/volume/volumes/${volume}`, "volume:destroy")
      yield* refused("DELETE", `/iaas/compute/os-volumes/${volume}`, "volume:destroy")
      yield* refused("DELETE", `/iaas/compute/images/${image}`, "image:destroy")
      yield* refused("DELETE", `/iaas/compute/os-security-groups/${group}`, "network:destroy")
      for (const path of [`volume/volumes/${volume}`, `image/images/${image}`, `network/security-groups/${group}`]) {
        yield* done("GET", `/iaas/${path}`)
      }
      yield* done("GET", "/iaas/compute/os-volumes")
      yield* done("GET", "/iaas/compute/images")
      yield* done("DELETE", server)
      yield* denies()
      yield* done("DELETE", `/iaas/compute/os-volumes/${volume}`)
    })
  )

  it.effect("denies compute their creation and reading, and permits it to create and control servers", () =>
    Effect.gen(function* () {
      const { server, volume, wanted } = yield* things
      yield* denies("volume", "image", "network:operate")
      const create = { volume: { size: 1 } }
      yield* refused("GET", "/iaas/compute/os-volumes", "volume")
      yield* refused("POST", "/iaas/compute/os-volumes", "volume", create)
      yield* refused("GET", "/iaas/compute/images", "image")
      yield* refused("POST", `${server}/action`, "volume", { createImage: { name: "copy" } })
      yield* refused("POST", `${server}/action`, "image", { shelve: null })
      yield* refused("POST", `${server}/action`, "image", { unshelve: null })
      yield* refused("POST", "/iaas/compute/os-security-groups", "network:operate", { security_group: { name: "x" } })
      yield* refused("POST", `${server}/os-interface`, "network:operate", { interfaceAttachment: {} })
      yield* refused("POST", `${server}/os-volume_attachments`, "volume", { volumeAttachment: { volumeId: volume } })
      const device = { source_type: "volume", uuid: volume, destination_type: "volume", boot_index: 0 }
      yield* refused("POST", "/iaas/compute/servers", "volume", {
        server: { ...wanted, block_device_mapping_v2: [device] }
      })
      yield* done("GET", "/iaas/network/networks")
      yield* done("POST", "/iaas/compute/servers", { server: wanted })
      yield* done("POST", `${server}/action`, { reboot: { type: "HARD" } })
      yield* denies()
    })
  )

  it.effect("refuses servers and groups from an image with volumes, and permits any other", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const disk = { size: 10, imageRef: publicImageId }
      const { volume } = yield* done("POST", "/iaas/volume/volumes", { volume: disk })
      const is = (path: string, status: string) =>
        repeatInTime(ask("GET", path), (_) => _.text.includes(`"status":"${status}"`))
      yield* is(`/iaas/volume/volumes/${volume.id}`, "available")
      const small = { name: "web", flavorRef: "2", networks: [{ uuid: acme.networkId }] }
      const device = { source_type: "volume", uuid: volume.id, destination_type: "volume", boot_index: 0 }
      const booted = { server: { ...small, block_device_mapping_v2: [device] } }
      const { server } = yield* done("POST", "/iaas/compute/servers", booted)
      const path = `/iaas/compute/servers/${server.id}`
      yield* is(path, "ACTIVE")
      yield* done("POST", `${path}/action`, { createImage: { name: "golden" } })
      const { images } = yield* done("GET", "/iaas/image/images?name=golden")
      const [golden] = images
      assert.include(golden.block_device_mapping, '"source_type":"snapshot"')

      yield* denies("volume:operate")
      const group = (name: string, image_id: string) => ({
        name,
        min: 0,
        max: 1,
        template: { flavor_id: "2", image_id }
      })
      const from = (imageRef: string) => ({ server: { ...small, imageRef } })
      yield* refused("POST", "/iaas/compute/servers", "volume:operate", from(golden.id))
      yield* refused("POST", "/autoscaling/groups", "volume:operate", group("golden", golden.id))
      const plain = (yield* done("POST", "/iaas/compute/servers", from(publicImageId))).server
      const { group_id } = yield* done("POST", "/autoscaling/groups", group("plain", publicImageId))
      const template = { flavor_id: "2", image_id: golden.id }
      yield* refused("PATCH", `/autoscaling/groups/${group_id}`, "volume:operate", { template })
      yield* done("PATCH", `/autoscaling/groups/${group_id}`, { template: { flavor_id: "3", image_id: publicImageId } })
      yield* denies()

      const policies = [{ name: "up", adjustment: 1, alarm_id: "none" }]
      const made = yield* done("POST", "/autoscaling/groups", {
        ...group("grown", golden.id),
        min: 0,
        max: 3,
        policies
      })
      const grown = `/autoscaling/groups/${made.group_id}`
      const rule = { metric: "cpu", group_id: made.group_id, comparison: "gt", threshold: 90 }
      const { alarm_id } = yield* done("POST", "/alarms", { name: "busy", rule })
      yield* done("PATCH", grown, { policies: [{ name: "up", adjustment: 1, alarm_id }], desired: 1 })
      yield* denies("volume:operate")
      yield* refused("PATCH", grown, "volume:operate", { desired: 2 })
      yield* refused("PATCH", grown, "volume:operate", { max: 4 })
      yield* refused("PATCH", grown, "volume:operate", { policies: [] })
      yield* refused("POST", `${grown}/policies/up/trigger`, "volume:operate")
      yield* refused("PATCH", `/alarms/${alarm_id}`, "volume:operate", { enabled: false })
      yield* done("PATCH", `/alarms/${alarm_id}`, { name: "busier" })
      yield* done("PATCH", grown, { cooldown_seconds: 5 })
      yield* done("PATCH", grown, { desired: 0 })
      yield* done("PATCH", `/autoscaling/groups/${group_id}`, { desired: 1 })
      yield* denies()
      yield* done("POST", `${grown}/policies/up/trigger`)

      const copy = (yield* done("POST", "/iaas/compute/servers", from(golden.id))).server
      const { volumeAttachments } = yield* done("GET", `/iaas/compute/servers/${copy.id}/os-volume_attachments`)
      assert.strictEqual(volumeAttachments.length, 1)
      yield* done("PATCH", `/autoscaling/groups/${group_id}`, { template })
      for (const { id } of [server, plain, copy]) yield* done("DELETE", `/iaas/compute/servers/${id}`)
      yield* repeatInTime(ask("GET", "/iaas/compute/servers"), (_) => !_.text.includes(copy.id))
    })
  )

  it.effect("refuses a volume that is deleted with a server, and attaches one that stays", () =>
    Effect.gen(function* () {
      const { server, volume } = yield* things
      yield* denies("volume:destroy")
      const attach = (more: object) => ({ volumeAttachment: { volumeId: volume, ...more } })
      const path = `${server}/os-volume_attachments`
      yield* refused("POST", path, "volume:destroy", attach({ delete_on_termination: true }))
      yield* done("POST", path, attach({}))
      yield* refused("PUT", `${path}/${volume}`, "volume:destroy", attach({ delete_on_termination: true }))
      yield* denies()
    })
  )
})

layer(stage)("a deny of credentials", (it) => {
  it.effect("denies minting, listing and ending agents' keys, and permits other routes of agents", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      yield* denies("credentials:operate")
      yield* refused("POST", "/agents", "credentials:operate", { label: "a" })
      yield* done("GET", "/agents")
      yield* denies("credentials")
      yield* refused("GET", "/agents", "credentials")
      yield* refused("DELETE", "/agents", "credentials")
      yield* done("GET", "/agents/policy")
      // Owners end agents whatever the policies say.
      const owner = yield* person("olga", ["customer-owner"], acme.projectId, "customer-owner")
      const ended = yield* (yield* TestGateway).call("customer", "DELETE", "/v1/agents", { token: owner })
      assert.strictEqual(ended.status, 200, ended.text)
      yield* denies()
    })
  )

  it.effect("of any area of a project's contents denies listing them", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const path = `/projects/${acme.projectId}/contents`
      const listed = (yield* done("GET", path)).contents
      const services: ReadonlySet<string> = new Set(listed.map((_: { readonly service: string }) => _.service))
      assert.include([...services], "compute")
      for (const service of [...services].filter((_) => areas.includes(_))) {
        yield* denies(service)
        yield* refused("GET", path, service)
      }
      yield* denies("databases")
      yield* done("GET", path)
      yield* denies()
    })
  )
})

const source = new URL("../../../domain/src/", import.meta.url)

/** What each area of the domain asks the platform's services for, and what its routes are of besides their own area. */
const asked: Readonly<Record<string, string>> = {
  "agents zitadel": "its users: /v1/agents is of credentials",
  "access zitadel": "who calls",
  "autoscaling neutron": "the network of a new server, which is a part of it",
  "autoscaling nova": "compute",
  "console zitadel": "who calls",
  "credentials zitadel": "its users",
  "databases kubernetes": "objects of its own namespace",
  "databases rgw": "its backups",
  "dns designate": "the area is the service's",
  "drift cinder": "operators only",
  "drift keystone": "operators only",
  "drift neutron": "operators only",
  "drift nova": "operators only",
  "drift octavia": "operators only",
  "drift rgw": "operators only",
  "edge kubernetes": "objects of its own",
  "edge neutron": "whether an address is the project's own",
  "kubernetes kubernetes": "the area is the service's",
  "limits keystone": "what the project's tier allows",
  "metrics nova": "compute",
  "monitoring nova": "operators only",
  "nat neutron": "network",
  "objectStorage rgw": "the area is the service's",
  "onboarding cinder": "operators only",
  "onboarding keystone": "operators only",
  "onboarding neutron": "operators only",
  "onboarding nova": "operators only",
  "onboarding octavia": "operators only",
  "onboarding rgw": "operators only",
  "onboarding zitadel": "operators only",
  "org zitadel": "its users",
  "projects barbican": "its contents are of every area; its deletion is of its own",
  "projects cinder": "its contents are of every area; its deletion is of its own",
  "projects designate": "its contents are of every area; its deletion is of its own",
  "projects keystone": "its contents are of every area; its deletion is of its own",
  "projects kubernetes": "its contents are of every area; its deletion is of its own",
  "projects neutron": "its contents are of every area; its deletion is of its own",
  "projects nova": "its contents are of every area; its deletion is of its own",
  "projects octavia": "its contents are of every area; its deletion is of its own",
  "projects rgw": "its contents are of every area; its deletion is of its own",
  "projects zitadel": "its contents are of every area; its deletion is of its own",
  "quotas cinder": "numbers alone",
  "quotas designate": "numbers alone",
  "quotas kubernetes": "numbers alone",
  "quotas neutron": "numbers alone",
  "quotas nova": "numbers alone",
  "quotas octavia": "numbers alone",
  "quotas rgw": "numbers alone",
  "signups zitadel": "no caller of a tenant",
  "tenants barbican": "operators only",
  "tenants cinder": "operators only",
  "tenants designate": "operators only",
  "tenants keystone": "operators only",
  "tenants neutron": "operators only",
  "tenants nova": "operators only",
  "tenants octavia": "operators only",
  "tenants rgw": "operators only"
}

layer(Layer.empty)("first-class routes", (it) => {
  it.effect("have the area of a platform service that they call, or a reason", () =>
    Effect.sync(() => {
      const systems = "nova|cinder|neutron|glance|designate|octavia|barbican|rgw|kubernetes|keystone|zitadel"
      const found = new Set(
        globSync("**/*.ts", { cwd: source }).flatMap((file) =>
          [
            ...readFileSync(new URL(file, source), "utf8").matchAll(new RegExp(`"@portico/upstream/(${systems})/`, "g"))
          ].map(([, system]) => `${file.split("/")[0]} ${system}`)
        )
      )
      assert.deepStrictEqual(
        [...found].filter((_) => asked[_] === undefined),
        []
      )
      assert.deepStrictEqual(
        Object.keys(asked).filter((_) => !found.has(_)),
        []
      )
    })
  )

  it.effect("name known areas", () =>
    Effect.sync(() => {
      const declared: Record<string, ReadonlyArray<string>> = {}
      HttpApi.reflect(CustomerApi, {
        onGroup: () => {},
        onEndpoint: ({ endpoint }) => {
          const on = Context.get(endpoint.annotations, ActsOn)
          if (on.length > 0) declared[`${endpoint.method} ${endpoint.path}`] = on
        }
      })
      for (const [route, on] of Object.entries(declared)) {
        for (const area of on) {
          assert.include(areas, area, route)
          assert.notStrictEqual(area, areaOf(route.split(" ")[1] ?? ""), route)
        }
      }
      assert.deepStrictEqual(
        Object.keys(declared).filter((_) => _.includes("/v1/agents")),
        ["POST /v1/agents", "GET /v1/agents", "DELETE /v1/agents"]
      )
    })
  )
})
