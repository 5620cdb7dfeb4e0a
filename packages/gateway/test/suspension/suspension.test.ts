import { assert, layer } from "@effect/vitest"
import { type Act, acts } from "@portico/contract/Suspension"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, repeatInTime } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { nameOf, routes } from "../routes/routes.ts"
import type { Success } from "../routes/Success.ts"
import { successes } from "../routes/successes.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))
const detail = "The tenant is suspended: running resources keep running, and nothing new can be created"
const refusal: ReadonlyArray<unknown> = [403, { detail, code: "tenant_suspended" }]

const acme = Effect.map(Cast, (_) => _.acme.projectId)

const toTenant = Effect.fnUntraced(function* (act: string, body?: unknown) {
  const { call } = yield* TestGateway
  const answer = yield* call("operator", "POST", `/v1/tenants/${yield* acme}/${act}`, { token: operator, body })
  assert.strictEqual(answer.status, 200, answer.text)
})
const suspend = toTenant("suspend")
const moveBack = toTenant("tier", { tier: "discovery" })

/** Whoever may do everything in the account. */
const byOwner = Effect.fnUntraced(function* (
  method: string,
  path: string,
  asked: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {}
) {
  return yield* (yield* TestGateway).call("customer", method, path, { token: (yield* Cast).customerOwner, ...asked })
})

/** Of writes that create only in part: whether the one of the matrix does. Their other part has a story of its own below. */
const parts: Readonly<Record<string, "refused" | "goes on">> = {
  "POST /v1/org/users/invite": "refused",
  "PATCH /v1/databases/:engine/:name": "refused",
  "PATCH /v1/autoscaling/groups/:group_id": "refused",
  "POST /v1/autoscaling/groups/:group_id/policies/:policy/trigger": "refused",
  "POST /v1/dns/zones/:zone_id/import": "refused",
  "POST /v1/edge/exposures/:exposure_id/verify": "refused"
}

const isRefused = (name: string, act: Act): boolean => act === "creates" || parts[name] === "refused"

layer(Everything)("a suspended tenant, on every route of its own", (it) => {
  it.effect("a partly creating write is tried with one call", () =>
    Effect.sync(() =>
      assert.sameMembers(
        Object.keys(parts),
        Object.keys(acts).filter((_) => acts[_] === "grows")
      )
    )
  )

  for (const route of routes) {
    const name = nameOf(route)
    const act = acts[name]
    const row: Success | undefined = successes[name]
    if (act === undefined || row === undefined) continue
    // A closing account is another state, and nothing comes back from it here.
    if (name === "POST /v1/account/close") continue

    it.effect(`${name} ${isRefused(name, act) ? "is refused, and succeeds again on a tier" : "succeeds"}`, () =>
      Effect.gen(function* () {
        const { trace } = yield* TestGateway
        const { body, headers = {}, path } = yield* row.prepare
        const asked = { body, headers }
        yield* suspend
        const before = yield* trace
        const answer = yield* byOwner(route.method, path, asked)
        if (isRefused(name, act)) {
          assert.deepStrictEqual([answer.status, jsonOf(answer)], refusal, answer.text)
          assert.deepStrictEqual(yield* trace, before)
        } else assert.strictEqual(answer.status, row.status, answer.text)
        yield* moveBack
        if (!isRefused(name, act)) return
        const again = yield* byOwner(route.method, path, asked)
        assert.strictEqual(again.status, row.status, again.text)
        if (row.after !== undefined) yield* row.after
      }).pipe(Effect.ensuring(Effect.ignore(moveBack)))
    )
  }

  it.effect("can shrink databases, groups, roles and zones", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const made = Effect.fnUntraced(function* (path: string, body: unknown) {
        const answer = yield* inTime(byOwner("POST", path, { body }))
        assert.isBelow(answer.status, 300, answer.text)
        return jsonOf(answer)
      })
      const ok = Effect.fnUntraced(function* (method: string, path: string, body: unknown) {
        const answer = yield* inTime(byOwner(method, path, { body }))
        assert.isBelow(answer.status, 300, `${method} ${path}: ${answer.text}`)
        return jsonOf(answer)
      })
      yield* made("/v1/databases", { engine: "postgres", name: "small", version: "17", size_gb: 1, replicas: 2 })
      const { flavors } = jsonOf(yield* byOwner("GET", "/v1/iaas/compute/flavors"))
      const { images } = jsonOf(yield* byOwner("GET", "/v1/iaas/image/images?status=active"))
      const group = yield* made("/v1/autoscaling/groups", {
        name: "small",
        min: 0,
        max: 2,
        desired: 1,
        template: { flavor_id: flavors[0].id, image_id: images[0].id },
        policies: [{ name: "down", adjustment: -1, cooldown_seconds: 0 }]
      })
      const zone = yield* made("/v1/dns/zones", { name: "smaller.example.", email: "dns@smaller.example" })
      const zonefile = "www 300 IN A 203.0.113.7\n"
      yield* made(`/v1/dns/zones/${zone.zone_id}/import`, { zonefile, dry_run: false })
      const invite = { email: "iris@people.example", role: "customer-engineer" }
      yield* made("/v1/org/users/invite", invite)
      yield* suspend

      yield* ok("PATCH", "/v1/databases/postgres/small", { replicas: 1 })
      const at = `/v1/autoscaling/groups/${group.group_id}`
      assert.strictEqual((yield* ok("PATCH", at, { max: 1 })).max, 1)
      assert.strictEqual((yield* ok("POST", `${at}/policies/down/trigger`, undefined)).group.desired, 0)
      const changed = zonefile.replace("300", "600")
      yield* ok("POST", `/v1/dns/zones/${zone.zone_id}/import`, { zonefile: changed, dry_run: false })
      const lowered = yield* ok("POST", "/v1/org/users/invite", { ...invite, role: "customer-viewer" })
      assert.deepStrictEqual(lowered.roles, ["customer-viewer"])

      yield* moveBack
      yield* ok("DELETE", at, undefined)
      yield* ok("DELETE", `/v1/dns/zones/${zone.zone_id}`, undefined)
      yield* call("operator", "DELETE", `/v1/org/users/${lowered.user_id}`, { token: operator })
    })
  )

  it.effect("can still read and delete", () =>
    Effect.gen(function* () {
      const row = successes["DELETE /v1/credentials/:credential_id"]
      assert.isDefined(row)
      const { path } = yield* row!.prepare
      yield* suspend
      for (const read of ["/v1/whoami", "/v1/quotas", "/v1/credentials", "/v1/databases", "/v1/iaas/compute/servers"]) {
        assert.strictEqual((yield* byOwner("GET", read)).status, 200, read)
      }
      assert.strictEqual((yield* byOwner("DELETE", path)).status, 200)
      yield* moveBack
    })
  )

  it.effect("is suspended from the beginning of a suspension that stops halfway", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "octavia",
        method: "PUT",
        path: "**",
        times: "always",
        when: "before",
        as: { status: 403 }
      })
      const stopped = yield* call("operator", "POST", `/v1/tenants/${yield* acme}/suspend`, { token: operator })
      yield* cloud.clearFaults
      assert.strictEqual(stopped.status, 502)
      const mint = yield* byOwner("POST", "/v1/credentials", { body: { kind: "api-key", tier: 0, label: "no" } })
      assert.deepStrictEqual([mint.status, jsonOf(mint)], refusal)
      yield* moveBack
    })
  )
})

const id = "0b5e7d1c-8f0a-4c6e-9d43-1c1f0a9b8e77"

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const row = (line: string, body?: unknown): Call => {
  const [method = "", path = ""] = line.split(" ")
  return { method, path: path.replaceAll("*", id), body }
}
const action = (path: string, ...keys: ReadonlyArray<string>) =>
  keys.map((key) => row(`POST ${path}/*/action`, { [key]: {} }))

/** What makes something on the platform, or makes something larger, by service. */
const creating: Readonly<Record<string, ReadonlyArray<Call>>> = {
  compute: [
    row("POST servers", { server: {} }),
    row("POST os-volumes_boot", { server: {} }),
    row("POST os-keypairs", { keypair: { name: "k" } }),
    row("POST os-server-groups", { server_group: {} }),
    row("POST os-volumes", { volume: {} }),
    row("POST os-snapshots", { snapshot: {} }),
    row("POST os-floating-ips", {}),
    row("POST os-security-groups", {}),
    row("POST servers/*/os-interface", { interfaceAttachment: { net_id: id } }),
    row("POST servers/*/os-interface", { interfaceAttachment: { port_id: id, net_id: id } }),
    row("POST servers/*/os-interface", {}),
    ...action("servers", "createImage", "createBackup", "resize", "addFixedIp", "addFloatingIp", "restore", "unknown"),
    // Two at once are none that is known.
    row("POST servers/*/action", { "os-start": null, createImage: {} }),
    row("POST servers/*/action", {}),
    row("POST servers/*/action", [])
  ],
  network: [
    ..."networks subnets ports routers floatingips security-groups security-group-rules rbac-policies trunks subnetpools address-groups qos/policies"
      .split(" ")
      .map((_) => row(`POST ${_}`, {})),
    row("POST security_groups", {}),
    row("POST qos/floatingips/index", {}),
    row("PUT routers/*/add_router_interface", { subnet_id: id }),
    row("PUT routers/*/add-router-interface", { subnet_id: id }),
    row("PUT routers/*/add_external_gateways", { router: { external_gateways: [{ network_id: id }] } })
  ],
  volume: [
    ..."volumes snapshots backups group_snapshots groups volume-transfers os-volume-transfer attachments manageable_volumes"
      .split(" ")
      .map((_) => row(`POST ${_}`, {})),
    row("POST backups/*/restore", { restore: {} }),
    row("POST volume-transfers/*/accept", { accept: {} }),
    ...action("volumes", "os-extend", "os-retype", "os-volume_upload_image", "unknown")
  ],
  image: [
    row("POST images", {}),
    row("POST tasks", {}),
    row("POST images/*/import", {}),
    row("POST images/*/members", {}),
    row("PUT images/*/file"),
    row("PUT images/*/stage")
  ],
  dns: [
    row("POST zones", { name: "a.example." }),
    row("POST zones/*/recordsets", {}),
    row("POST zones/*/tasks/export", {}),
    row("POST zones/tasks/imports", {}),
    row("POST zones/*/tasks/transfer_requests", {}),
    row("POST zones/tasks/transfer_accepts", {}),
    row("PATCH reverse/floatingips/RegionOne:*", { ptrdname: "a.example." }),
    row("PATCH reverse/floatingips/RegionOne:*", {})
  ],
  "load-balancer": [
    ..."loadbalancers listeners pools healthmonitors l7policies".split(" ").map((_) => row(`POST lbaas/${_}`, {})),
    row("POST lbaas/pools/*/members", {}),
    row("POST lbaas/l7policies/*/rules", {}),
    row("PUT lbaas/pools/*/members", { members: [] })
  ],
  "key-manager": [
    row("POST v1/secrets", {}),
    row("POST v1/containers", {}),
    row("POST v1/orders", {}),
    row("POST v1/secrets/*/consumers", {}),
    { ...row("PUT v1/secrets/*", "payload"), headers: { "content-type": "text/plain" } }
  ]
}

/** What goes on: it acts on what is there. Nothing of it is, so that the platform itself says so. */
const acting: Readonly<Record<string, ReadonlyArray<Call>>> = {
  compute: [
    ...action("servers", "reboot", "os-start", "os-stop", "pause", "unpause", "suspend", "resume", "lock", "unlock"),
    ...action("servers", "shelve", "unshelve", "rescue", "unrescue", "confirmResize", "revertResize", "rebuild"),
    ...action("servers", "removeSecurityGroup", "addSecurityGroup", "os-getConsoleOutput", "forceDelete"),
    row("POST servers/*/remote-consoles", { remote_console: { protocol: "vnc", type: "novnc" } }),
    row("POST servers/*/os-volume_attachments", { volumeAttachment: { volumeId: id } }),
    row("POST servers/*/os-interface", { interfaceAttachment: { port_id: id } }),
    row("POST servers/*/metadata", { metadata: {} }),
    row("PUT servers/*", { server: { name: "other" } }),
    row("DELETE servers/*"),
    row("DELETE servers/*/os-volume_attachments/*")
  ],
  network: [
    row("PUT ports/*", { port: { name: "other" } }),
    row("PUT floatingips/*", { floatingip: { port_id: null } }),
    row("PUT routers/*/remove_router_interface", { subnet_id: id }),
    row("DELETE security-groups/*")
  ],
  volume: [
    ...action("volumes", "os-set_bootable", "os-update_readonly_flag", "os-set_image_metadata"),
    row("POST volumes/*/metadata", { metadata: {} }),
    row("PUT volumes/*", { volume: { name: "other" } }),
    row("DELETE snapshots/*")
  ],
  image: [
    row("POST images/*/actions/deactivate"),
    {
      ...row("PATCH images/*", [{ op: "replace", path: "/name", value: "other" }]),
      headers: { "content-type": "application/openstack-images-v2.1-json-patch" }
    },
    row("DELETE images/*")
  ],
  dns: [
    row("PATCH zones/*", { ttl: 300 }),
    row("PUT zones/*/recordsets/*", { ttl: 300 }),
    row("PATCH reverse/floatingips/RegionOne:*", { ptrdname: null }),
    row("DELETE zones/*")
  ],
  "load-balancer": [
    row("PUT lbaas/loadbalancers/*", { loadbalancer: { name: "other" } }),
    row("PUT lbaas/loadbalancers/*/failover"),
    row("DELETE lbaas/pools/*/members/*")
  ],
  "key-manager": [row("PUT v1/secrets/*/acl", { read: {} }), row("DELETE v1/secrets/*")]
}

const servicesOfTenants = Object.keys(creating)

layer(Everything)("a suspended tenant, on the platform", (it) => {
  const sent = Effect.fnUntraced(function* (service: string, { path, ...asked }: Call) {
    const { call } = yield* TestGateway
    const token = (yield* Cast).acme.tokens[2]
    const headers = { "content-type": "application/json", ...asked.headers }
    const body = asked.body === undefined || typeof asked.body === "string" ? asked.body : JSON.stringify(asked.body)
    return yield* call("customer", asked.method, `/v1/iaas/${service}/${path}`, { token, headers, body })
  })
  const told = (service: string, { body, method, path }: Call) =>
    `${method} ${service}/${path} ${body === undefined ? "" : JSON.stringify(body)}`

  for (const service of servicesOfTenants) {
    it.effect(`creates nothing in ${service}, in any spelling, and nothing is forwarded`, () =>
      Effect.gen(function* () {
        const { trace } = yield* TestGateway
        yield* suspend
        const before = yield* trace
        const unknown = ["nothing-known", "nothing/known", "nothing_known/*/action"].map((_) => row(`POST ${_}`, {}))
        // A load balancer's API below another word is not there for anybody.
        for (const call of [...(creating[service] ?? []), ...(service === "load-balancer" ? [] : unknown)]) {
          const answer = yield* sent(service, call)
          assert.deepStrictEqual([answer.status, jsonOf(answer)], refusal, told(service, call))
        }
        assert.deepStrictEqual(yield* trace, before)
        yield* moveBack
        for (const call of creating[service] ?? []) {
          const answer = yield* sent(service, call)
          assert.notInclude(answer.text, "tenant_suspended", told(service, call))
        }
      })
    )

    it.effect(`can use existing resources in ${service}`, () =>
      Effect.gen(function* () {
        yield* suspend
        for (const call of acting[service] ?? []) {
          const cloud = yield* SimulatedCloud
          const before = (yield* cloud.calls).length
          const answer = yield* sent(service, call)
          assert.notInclude(answer.text, "tenant_suspended", told(service, call))
          assert.isAbove((yield* cloud.calls).length, before, told(service, call))
        }
        yield* moveBack
      })
    )
  }

  it.effect("controls its servers' power, and cannot get back what it releases", () =>
    Effect.gen(function* () {
      const { networkId } = (yield* Cast).acme
      const read = (path: string) => Effect.map(sent("compute", row(`GET ${path}`)), jsonOf)
      const seen = (path: string, wanted: (_: ReturnType<typeof jsonOf>) => boolean) => repeatInTime(read(path), wanted)
      const flavorRef = (yield* read("flavors")).flavors[0].id
      const imageRef = jsonOf(yield* sent("image", row("GET images?status=active"))).images[0].id
      const server = { name: "web", flavorRef, imageRef, networks: [{ uuid: networkId }] }
      const created = yield* sent("compute", row("POST servers", { server }))
      assert.strictEqual(created.status, 202, created.text)
      const path = `servers/${jsonOf(created).server.id}`
      yield* seen(path, (_) => _.server.status === "ACTIVE")
      yield* suspend
      for (const act of [{ "os-stop": null }, { "os-start": null }]) {
        yield* seen(path, (_) => _.server["OS-EXT-STS:task_state"] === null)
        const acted = yield* sent("compute", row(`POST ${path}/action`, act))
        assert.strictEqual(acted.status, 202, acted.text)
        const wanted = "os-stop" in act ? "SHUTOFF" : "ACTIVE"
        yield* seen(path, (_) => _.server.status === wanted)
      }
      assert.strictEqual((yield* sent("compute", row(`DELETE ${path}`))).status, 204)
      const again = yield* sent("compute", row("POST servers", { server }))
      assert.deepStrictEqual([again.status, jsonOf(again)], refusal)
      yield* moveBack
      assert.strictEqual((yield* sent("compute", row("POST servers", { server }))).status, 202)
    })
  )
})
