import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Administrator, polled } from "../real/Administrator.ts"
import { guest, made, serverOf, shown, through, unique } from "../real/Guests.ts"
import { findUser, makeKeys, s3 } from "../real/ObjectGateway.ts"
import { realCloudWith } from "../real/RealGateway.ts"

/** The gateway in front of the real services, at work on deletions. */
const stage = realCloudWith(Effect.succeed({ PURGE_SECONDS: "1" }))

interface Counted {
  readonly service: string
  readonly kind: string
  readonly count: number
}

layer(stage, { excludeTestServices: true })("a deletion on the real systems", (it) => {
  it.effect("removes everything in every service, and the project last", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const administrator = yield* Administrator
      const tenant = yield* guest("purged", "standard")
      const { name, networkId, projectId, tokens } = tenant
      const [read, operate] = tokens

      const serverId = yield* serverOf(tenant, "web")
      const { volume } = yield* made(operate, "/volume/volumes", { volume: { size: 1, name: "data" } })
      yield* polled(shown(read, `/volume/volumes/${volume.id}`), (_) => _.volume.status === "available")
      yield* made(operate, `/compute/servers/${serverId}/os-volume_attachments`, {
        volumeAttachment: { volumeId: volume.id }
      })
      yield* made(operate, "/compute/os-server-groups", { server_group: { name: "apart", policies: ["affinity"] } })
      yield* made(operate, "/compute/os-keypairs", { keypair: { name: "door" } })
      const { networks } = yield* shown(read, "/network/networks?router:external=true")
      yield* made(operate, "/network/floatingips", { floatingip: { floating_network_id: networks[0].id } })
      const { network } = yield* made(operate, "/network/networks", { network: { name: "second" } })
      yield* made(operate, "/network/subnets", {
        subnet: { network_id: network.id, ip_version: 4, cidr: "10.77.0.0/24" }
      })
      yield* made(operate, "/network/security-groups", { security_group: { name: "web" } })
      yield* made(operate, "/network/address-groups", {
        address_group: { name: "office", addresses: ["192.0.2.0/24"] }
      })
      yield* made(operate, "/image/images", { name: "disk", disk_format: "raw", container_format: "bare" })
      yield* made(operate, "/dns/zones", { name: `${unique("purged")}.example.`, email: "hostmaster@people.example" })
      yield* made(operate, "/key-manager/v1/secrets", {
        name: "door",
        payload: "open",
        payload_content_type: "text/plain"
      })
      const { subnets } = yield* shown(read, `/network/subnets?network_id=${networkId}`)
      const wanted = { loadbalancer: { name: "front", vip_subnet_id: subnets[0].id } }
      const { loadbalancer } = yield* made(operate, "/load-balancer/lbaas/loadbalancers", wanted)
      const balancer = `/load-balancer/lbaas/loadbalancers/${loadbalancer.id}`
      yield* polled(shown(read, balancer), (_) => _.loadbalancer.provisioning_status === "ACTIVE")
      const keys = yield* makeKeys(projectId)
      const bucket = `/${unique("purged")}`
      assert.strictEqual((yield* s3(keys, "PUT", bucket)).status, 200)
      assert.strictEqual((yield* s3(keys, "PUT", `${bucket}/a/file`, { body: "of some bytes" })).status, 200)

      const project = `/v1/projects/${projectId}`
      const surveyed = yield* call("operator", "GET", `${project}/contents`, { token: operator })
      assert.strictEqual(surveyed.status, 200, surveyed.text)
      const { contents, unseen } = jsonOf(surveyed)
      const found = Object.fromEntries(contents.map((_: Counted) => [`${_.service}/${_.kind}`, _.count]))
      const expected = {
        "compute/servers": 1,
        "compute/server_groups": 1,
        "compute/keypairs": 1,
        "volume/volumes": 1,
        "network/floatingips": 1,
        "network/address_groups": 1,
        "image/images": 1,
        "dns/zones": 1,
        "key-manager/secrets": 1,
        "load-balancer/loadbalancers": 1
      }
      assert.deepStrictEqual(unseen, [], surveyed.text)
      assert.deepInclude(found, expected, surveyed.text)

      const deleted = yield* call("operator", "DELETE", `${project}?confirm=${name}`, { token: operator })
      assert.strictEqual(deleted.status, 202, deleted.text)
      const gone = polled(call("operator", "GET", project, { token: operator }), (_) => _.status === 404)
      // Volumes and load balancers take their time, and are asked for as often as it takes.
      yield* Effect.catchDefect(gone, () => gone).pipe(
        Effect.catchDefect(() => gone),
        Effect.catchDefect(() => gone)
      )

      const of = `project_id=${projectId}`
      const lists = {
        compute: [`/servers?all_tenants=1&${of}`, "servers"],
        volume: [`/volumes?all_tenants=1&${of}`, "volumes"],
        network: [`/networks?${of}`, "networks"],
        image: [`/images?owner=${projectId}`, "images"]
      } as const
      for (const service of ["compute", "volume", "network", "image"] as const) {
        const [path, key] = lists[service]
        assert.deepStrictEqual((yield* administrator.read(service, path))[key], [], service)
      }
      // Not the security groups: whoever lists a project's makes its default group again.
      for (const kind of ["routers", "ports", "subnets", "floatingips", "address-groups"]) {
        const key = kind.replace("-", "_")
        assert.deepStrictEqual((yield* administrator.read("network", `/${kind}?${of}`))[key], [], kind)
      }
      const all = { "x-auth-all-projects": "true" }
      const { zones } = yield* administrator.read("dns", "/zones?limit=1000", all)
      assert.isUndefined(zones.find((_: { readonly project_id: string }) => _.project_id === projectId))
      assert.isUndefined(yield* findUser(projectId))
      assert.strictEqual((yield* administrator.ask("GET", "identity", `/projects/${projectId}`)).status, 404)
      assert.deepStrictEqual((yield* administrator.read("identity", `/users?name=gw-${projectId}`)).users, [])
      assert.strictEqual((yield* through(read, "GET", "/compute/servers")).status, 401)
    })
  )
})
