import { assert, describe, it } from "@effect/vitest"
import { tierOf } from "@portico/contract/Access"
import type { FailureCode } from "@portico/contract/Failures"
import { iaasServices } from "@portico/contract/IaasServices"
import { acts } from "@portico/gateway/acts/acts"
import { nameOf } from "@portico/gateway/acts/matching"
import { table as barbicanRoutes } from "@portico/simulator/barbican/routes"
import { actions as volumeActions } from "@portico/simulator/cinder/actions"
import { cinderRoutes } from "@portico/simulator/cinder/routes"
import { table as designateRoutes } from "@portico/simulator/designate/routes"
import { glanceRoutes } from "@portico/simulator/glance/routes"
import { neutronRoutes } from "@portico/simulator/neutron/routes"
import { actions as serverActions } from "@portico/simulator/nova/actions"
import { novaRoutes } from "@portico/simulator/nova/routes"
import { octaviaRoutes } from "@portico/simulator/octavia/routes"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { documented } from "../oracle/documented.ts"
import { routes } from "../routes/routes.ts"
import { type By, judge, nothing, type Read } from "./judge.ts"
import { anId } from "./Spelling.ts"

type Decision = keyof (typeof documented)["compute"]

interface Documented {
  readonly service: keyof typeof documented
  readonly decision: Decision
  readonly method: string
  readonly path: string
  readonly key: string | undefined
}

const decisions = ["operates", "destroys", "never", "depends"] as const

const rows: ReadonlyArray<Documented> = Object.keys(documented).flatMap((name) => {
  const service = iaasServices.find((_): _ is keyof typeof documented => _ === name && _ !== "identity")
  if (service === undefined) throw new Error(`${name} is no service`)
  return decisions.flatMap((decision) =>
    documented[service][decision]
      .split("\n")
      .map((_) => _.trim())
      .filter((_) => _ !== "")
      .map((line) => {
        const [method = "", path = "", key] = line.split(" ")
        return { service, decision, method, path, key }
      })
  )
})

const told = ({ key, method, path, service }: Documented): string =>
  `${method} ${service}/${path}${key === undefined ? "" : ` ${key}`}`

const asked = ({ key, method, path, service }: Documented, respelled: (path: string) => string = (_) => _) => ({
  method,
  path: `/${service}/${respelled(path).replaceAll("*", anId)}`,
  body: key === undefined ? undefined : { [key]: {} }
})

const denying = (area: string): By => ({
  who: "machine",
  tier: 2,
  denies: [{ area, from: 2, deny: `${area}:destroy`, ou: "" }]
})

/** What is expected of a tenant at tier 1, at tier 2, and at tier 2 with a policy that denies to destroy. */
const expected: Readonly<
  Record<
    Exclude<Decision, "depends">,
    readonly [FailureCode | "allowed", FailureCode | "allowed", FailureCode | "allowed"]
  >
> = {
  operates: ["allowed", "allowed", "allowed"],
  destroys: ["tier_too_low", "allowed", "policy_denied"],
  never: ["platform_act_refused", "platform_act_refused", "platform_act_refused"]
}

/** The attachments of volumes are the caller's own. */
const owning: Read = (segments, headers) =>
  segments[0] === "attachments" ? Effect.succeed({ attachment: { volume_id: "v" } }) : nothing(segments, headers)

const outcome = Effect.fnUntraced(function* (row: Documented, respelled?: (path: string) => string) {
  const call = asked(row, respelled)
  const headers = { "content-type": "application/json" }
  return [
    yield* judge({ ...call, headers }, { who: "machine", tier: 1 }, owning),
    yield* judge({ ...call, headers }, { who: "machine", tier: 2 }, owning),
    yield* judge({ ...call, headers }, denying(row.service), owning)
  ] as const
})

describe("documented acts with a body", () => {
  for (const row of rows) {
    const { decision } = row
    if (decision === "depends") continue
    it.effect(`${told(row)} ${decision}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* outcome(row), expected[decision])
        assert.strictEqual(yield* judge(asked(row), "operator"), "allowed")
      })
    )
  }

  it.effect("are refused in every spelling of the path, or in none", () =>
    Effect.gen(function* () {
      for (const row of rows) {
        if (row.decision !== "destroys" && row.decision !== "never") continue
        // The path of a load balancer goes on only as it is documented.
        if (row.service === "load-balancer") continue
        for (const respelled of [(_: string) => _.toUpperCase(), (_: string) => _.replaceAll("_", "-")]) {
          assert.deepStrictEqual(yield* outcome(row, respelled), expected[row.decision], told(row))
        }
        if (row.service === "network") {
          for (const respelled of [(_: string) => `qos/${_}`, (_: string) => `${_}/index`]) {
            assert.deepStrictEqual(yield* outcome(row, respelled), expected[row.decision], told(row))
          }
        }
      }
    })
  )

  it.effect("an unlisted act needs tier 2, in any spelling other than the documented one", () =>
    Effect.gen(function* () {
      for (const path of new Set(acts.flatMap((_) => (_.key === undefined ? [] : [`${_.service}/${_.path}`])))) {
        for (const key of ["os-somethingNew", "OS-START", "Reboot", "os_start", "", "__proto__", "constructor"]) {
          const call = {
            method: "POST",
            path: `/${path.replaceAll("*", anId)}`,
            body: JSON.parse(`{${JSON.stringify(key)}: null}`)
          }
          assert.strictEqual(yield* judge(call, { who: "machine", tier: 1 }), "tier_too_low", `${path} ${key}`)
          assert.strictEqual(yield* judge(call, { who: "machine", tier: 2 }), "allowed", `${path} ${key}`)
        }
      }
    })
  )

  it.effect("of several acts in one body the worst counts, although no service takes several", () =>
    Effect.gen(function* () {
      const path = `/compute/servers/${anId}/action`
      for (const body of [
        { "os-start": null, rebuild: {} },
        { rebuild: {}, "os-start": null }
      ]) {
        assert.strictEqual(yield* judge({ method: "POST", path, body }, { who: "machine", tier: 1 }), "tier_too_low")
      }
      for (const body of [{ "os-start": null, migrate: null }, { Migrate: null }]) {
        assert.strictEqual(
          yield* judge({ method: "POST", path, body }, { who: "machine", tier: 2 }),
          "platform_act_refused"
        )
      }
      for (const body of [undefined, null, {}, [], ["rebuild"], "rebuild", 1]) {
        assert.strictEqual(yield* judge({ method: "POST", path, body }, { who: "machine", tier: 1 }), "allowed")
      }
    })
  )
})

describe("an act that depends on the rest of the call", () => {
  const attachment = `/compute/servers/${anId}/os-volume_attachments/${anId}`
  const other = "7d1d9c36-53c5-4a35-9d4e-0f5f5a0c8a11"
  const swaps: ReadonlyArray<readonly [what: string, body: unknown, expect: FailureCode | "allowed"]> = [
    ["another volume", { volumeAttachment: { volumeId: other } }, "platform_act_refused"],
    ["the same volume in capitals", { volumeAttachment: { volumeId: anId.toUpperCase() } }, "platform_act_refused"],
    ["no text", { volumeAttachment: { volumeId: [anId] } }, "platform_act_refused"],
    ["the same volume", { volumeAttachment: { volumeId: anId, delete_on_termination: true } }, "allowed"],
    ["no volume", { volumeAttachment: {} }, "allowed"],
    ["no body", undefined, "allowed"]
  ]
  for (const [method, path] of [
    ["POST", `/compute/servers/${anId}/os-volume_attachments`],
    ["PUT", attachment]
  ] as const) {
    it.effect(`${method} of a volume's attachment is tier 2 if the volume is to be deleted with the server`, () =>
      Effect.gen(function* () {
        const of = (given: object) => ({ volumeAttachment: { volumeId: anId, ...given } })
        const ending = { method, path, body: of({ delete_on_termination: true }) }
        const staying = { method, path, body: of({ delete_on_termination: false }) }
        assert.strictEqual(yield* judge(ending, { who: "machine", tier: 1 }), "tier_too_low")
        assert.strictEqual(yield* judge(ending, { who: "machine", tier: 2 }), "allowed")
        assert.strictEqual(yield* judge(staying, { who: "machine", tier: 1 }), "allowed")
      })
    )
  }

  const boot = (...devices: ReadonlyArray<object>) => ({ server: { name: "web", block_device_mapping_v2: devices } })
  const older = (...devices: ReadonlyArray<object>) => ({ server: { name: "web", block_device_mapping: devices } })
  const existing = { source_type: "volume", uuid: anId, destination_type: "volume", boot_index: 0 }
  const gone = { delete_on_termination: true }
  const boots: ReadonlyArray<readonly [what: string, body: unknown, expect: FailureCode | "allowed"]> = [
    ["an existing volume goes", boot({ ...existing, ...gone }), "tier_too_low"],
    ["it is said as a text", boot({ ...existing, delete_on_termination: "True" }), "tier_too_low"],
    ["the second volume goes", boot(existing, { ...existing, delete_on_termination: 1 }), "tier_too_low"],
    ["a blank device names a volume", boot({ source_type: "blank", volume_id: anId, ...gone }), "tier_too_low"],
    [
      "an image's disk names a volume",
      boot({ source_type: "image", uuid: anId, destination_type: "local", volume_id: anId, ...gone }),
      "tier_too_low"
    ],
    ["in the older form", older({ volume_id: anId, delete_on_termination: "1" }), "tier_too_low"],
    ["in the older form, by a virtual name", older({ volume_id: anId, virtual_name: "swap" }), "tier_too_low"],
    ["an existing volume stays", boot(existing), "allowed"],
    ["an existing volume stays, said as a text", boot({ ...existing, delete_on_termination: "false" }), "allowed"],
    ["a new volume of an image goes", boot({ ...existing, source_type: "image", ...gone }), "allowed"],
    ["a new volume of a snapshot goes", boot({ ...existing, source_type: "snapshot", ...gone }), "allowed"],
    ["a new volume goes", boot({ source_type: "blank", destination_type: "volume", ...gone }), "allowed"],
    ["in the older form, a new volume goes", older({ snapshot_id: anId, ...gone }), "allowed"],
    ["it has no devices", { server: { name: "web", imageRef: anId } }, "allowed"]
  ]
  for (const [what, body, expect] of boots) {
    it.effect(`POST of a server, where ${what}: ${expect} at tier 1`, () =>
      Effect.gen(function* () {
        for (const path of ["/compute/servers", "/compute/os-volumes_boot"]) {
          const call = { method: "POST", path, body }
          assert.strictEqual(yield* judge(call, { who: "machine", tier: 1 }), expect)
          assert.strictEqual(yield* judge(call, { who: "machine", tier: 2 }), "allowed")
          assert.strictEqual(yield* judge(call, "operator"), "allowed")
          const denied = expect === "allowed" ? "allowed" : "policy_denied"
          for (const area of ["compute", "volume"]) assert.strictEqual(yield* judge(call, denying(area)), denied)
        }
      })
    )
  }

  for (const [what, body, expect] of swaps) {
    it.effect(`PUT of a volume's attachment that names ${what}: ${expect}`, () =>
      Effect.gen(function* () {
        for (const path of [attachment, attachment.replace("servers", "Servers")]) {
          assert.strictEqual(yield* judge({ method: "PUT", path, body }, { who: "machine", tier: 2 }), expect)
          assert.strictEqual(yield* judge({ method: "PUT", path, body }, "operator"), "allowed")
        }
      })
    )
  }

  it.effect("a backup that would attach block devices to servers is refused at tier 2 too", () =>
    Effect.gen(function* () {
      const backup = (metadata: object) => ({ createBackup: { name: "b", rotation: 1, metadata } })
      for (const path of ["servers", "os-volumes_boot"].map((_) => `/compute/${_}/${anId}/action`)) {
        const of = (metadata: object) => ({ method: "POST", path, body: backup(metadata) })
        for (const name of ["block_device_mapping", "mappings", "bdm_v2"]) {
          const call = of({ [name]: "[]" })
          assert.strictEqual(yield* judge(call, { who: "machine", tier: 2 }), "platform_act_refused")
          assert.strictEqual(yield* judge(call, "operator"), "allowed")
        }
        assert.strictEqual(yield* judge(of({ note: "mappings" }), { who: "machine", tier: 2 }), "allowed")
      }
    })
  )

  const restore = `/volume/backups/${anId}/restore`
  const port = { network_id: anId }
  const others: ReadonlyArray<readonly [method: string, path: string, body: unknown, expect: FailureCode | "allowed"]> =
    [
      ["POST", restore, { restore: { volume_id: anId } }, "tier_too_low"],
      ["POST", restore, { restore: { volume_id: "" } }, "tier_too_low"],
      ["POST", restore, { restore: { volume_id: 1 } }, "tier_too_low"],
      ["POST", restore, { restore: { volume_id: null } }, "allowed"],
      ["POST", restore, { restore: { name: "new" } }, "allowed"],
      ["POST", "/network/ports", { port: { ...port, "binding:host_id": "node-1" } }, "platform_act_refused"],
      ["POST", "/network/ports", { port: { ...port, "binding:profile": { a: "b" } } }, "platform_act_refused"],
      ["POST", "/network/ports", { ports: [port, { ...port, "binding:host_id": "node-1" }] }, "platform_act_refused"],
      ["PUT", `/network/ports/${anId}`, { port: { "binding:host_id": "node-1" } }, "platform_act_refused"],
      ["PUT", `/network/ports/${anId}`, { port: { device_id: anId } }, "tier_too_low"],
      ["PUT", `/network/qos/ports/${anId}`, { port: { name: "x", device_id: "any" } }, "tier_too_low"],
      ["PUT", `/network/Ports/${anId}.json`, { port: { device_id: anId, device_owner: "" } }, "tier_too_low"],
      ["PUT", `/network/ports/${anId}/index`, { ports: [{ device_id: anId }] }, "tier_too_low"],
      ["PUT", `/network/ports/${anId}`, { port: { device_id: "", device_owner: "" } }, "allowed"],
      ["PUT", `/network/routers/${anId}/add_router_interface`, { port_id: anId }, "tier_too_low"],
      ["PUT", `/network/Routers/${anId}/add-router-interface`, { port_id: anId, subnet_id: anId }, "tier_too_low"],
      ["PUT", `/network/routers/${anId}/add_router_interface`, { subnet_id: anId }, "allowed"],
      ["PUT", `/network/routers/${anId}/remove_router_interface`, { port_id: anId }, "allowed"],
      ["PUT", `/network/ports/${anId}`, { port: { name: "x", security_groups: [anId], fixed_ips: [] } }, "allowed"],
      ["POST", "/network/ports", { port: { ...port, device_id: anId } }, "allowed"],
      ["POST", "/network/subnets", { subnet: { dns_publish_fixed_ip: true } }, "platform_act_refused"],
      ["POST", "/network/subnets", { subnets: [{}, { dns_publish_fixed_ip: "yes" }] }, "platform_act_refused"],
      ["PUT", `/network/subnets/${anId}`, { subnet: { dns_publish_fixed_ip: 1 } }, "platform_act_refused"],
      ["POST", "/network/subnets", { subnet: { dns_publish_fixed_ip: false } }, "allowed"],
      [
        "PUT",
        `/network/ports/${anId}`,
        { port: { "binding:host_id": "", "binding:profile": {}, "binding:vnic_type": "normal" } },
        "allowed"
      ]
    ]
  for (const [method, path, body, expect] of others) {
    it.effect(`${method} ${path} of ${JSON.stringify(body)}: ${expect}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* judge({ method, path, body }, { who: "machine", tier: 1 }), expect)
        const ofTier2 = expect === "tier_too_low" ? "allowed" : expect
        assert.strictEqual(yield* judge({ method, path, body }, { who: "machine", tier: 2 }), ofTier2)
        const ofPolicy = expect === "tier_too_low" ? "policy_denied" : expect
        assert.strictEqual(yield* judge({ method, path, body }, denying(path.split("/")[1] ?? "")), ofPolicy)
        assert.strictEqual(yield* judge({ method, path, body }, "operator"), "allowed")
      })
    )
  }

  it.effect("DELETE of it detaches, at any tier that the proxy admits", () =>
    Effect.gen(function* () {
      const detach = { method: "DELETE", path: attachment }
      assert.strictEqual(yield* judge(detach, { who: "machine", tier: 1 }), "allowed")
    })
  )
})

describe("the table", () => {
  it("has every act of the references, and no other key", () => {
    const spoken = new Set(rows.flatMap((_) => (_.key === undefined ? [] : [`${_.service}/${_.path} ${_.key}`])))
    const written = acts.filter((_) => _.key !== undefined).map((_) => `${_.service}/${_.path} ${_.key}`)
    // The old way of booting from a volume, and groups by either path, have the same acts.
    const twins = written.map((_) =>
      _.replace("os-volumes_boot/*", "servers/*").replace(/groups\/action/, "groups/*/action")
    )
    for (const act of twins) {
      assert.isTrue(spoken.has(act) || spoken.has(act.replace("groups/*/action", "groups/action")), act)
    }
    for (const act of spoken) {
      const prefixed = acts.some(
        (_) => _.path.endsWith("/**") && act.startsWith(`${_.service}/${_.path.slice(0, -3)}/`)
      )
      assert.isTrue(written.includes(act) || prefixed, act)
    }
  })

  it("gives each row a reason and a source", () => {
    for (const { path, source, why } of acts) {
      assert.match(source, /^https:\/\/|^docs\//, path)
      assert.isAbove(why.length, 10, path)
    }
  })

  it("is in the proxy's document", () => {
    const document = readFileSync(new URL("../../../../docs/tenants/proxy.md", import.meta.url), "utf8")
    for (const act of acts) {
      if (act.decision === undefined || act.decision === "operates") continue
      const name =
        act.key ??
        act.path
          .replace(/\/\*\*$/, "")
          .replaceAll("*", "{id}")
          .replace("{id}/{id}/", "")
      assert.include(document, `\`${name}`, nameOf("POST", act))
    }
  })
})

describe("the simulated cloud", () => {
  const mounted: ReadonlyArray<readonly [service: keyof typeof documented, root: RegExp, routes: object]> = [
    ["compute", /^\/v2\.1\/(:project\/)?/, novaRoutes],
    ["volume", /^\/v3\/(:project\/)?/, cinderRoutes],
    ["network", /^\/v2\.0\//, neutronRoutes],
    ["image", /^\/v2\//, glanceRoutes],
    ["dns", /^\/v2\//, designateRoutes],
    ["load-balancer", /^\/v2(\.0)?\//, octaviaRoutes],
    ["key-manager", /^\//, barbicanRoutes]
  ]
  for (const [service, root, table] of mounted) {
    it(`${service}: every route with a body has a decision`, () => {
      const known = new Set(rows.filter((_) => _.service === service).map((_) => `${_.method} ${_.path}`))
      for (const route of Object.keys(table)) {
        const [method = "", path = ""] = route.split(" ")
        if (tierOf(method) !== 1 || !root.test(path)) continue
        const below = path
          .replace(root, "")
          .replace(/(\.json|\/)$/, "")
          .replaceAll(/:[a-z_]+/gi, "*")
          // What stands behind the prefix of an extension that it is no part of is decided as without it.
          .replace(/^qos\/(?=networks|ports)/, "")
          // Tags hang on every kind of Neutron's.
          .replace(/^[a-z-]+\/\*\/tags/, service === "network" ? "networks/*/tags" : "$&")
        assert.isTrue(known.has(`${method} ${below}`), `${method} ${below}`)
      }
    })
  }

  const keyed = [
    ["servers/*/action", serverActions],
    ["volumes/*/action", volumeActions]
  ] as const
  for (const [path, actions] of keyed) {
    it(`${path}: every act has a decision`, () => {
      const known = rows.filter((_) => _.path === path).map((_) => _.key)
      for (const key of Object.keys(actions)) assert.include(known, key)
    })
  }
})

describe("first-class routes", () => {
  /** Every one that is no DELETE and changes something, and whether it destroys. A new one is decided here. */
  const own: Readonly<Record<string, "operates" | "destroys" | "with its body">> = {
    "POST /v1/account/close": "destroys",
    "POST /v1/dns/zones/:zone_id/import": "with its body",
    // The administrators' own, who hold tier 2.
    "POST /v1/tenants": "operates",
    "POST /v1/tenants/:project_id/tier": "operates",
    "POST /v1/tenants/:project_id/suspend": "operates",
    "POST /v1/tenants/:project_id/repair": "operates",
    "POST /v1/tenants/:project_id/deletion/cancel": "operates",
    "POST /v1/tenants/accounts/:number/reopen": "operates",
    "POST /v1/tenants/accounts/:number/finalize": "operates",
    "POST /v1/signups/:signup_id/approve": "operates",
    "POST /v1/signups/:signup_id/reject": "operates",
    "POST /v1/journal/:attempt_id/retry": "operates",
    "POST /v1/status/incidents": "operates",
    "POST /v1/workload-identity/issuers": "operates",
    "PATCH /v1/workload-identity/issuers/:issuer_id": "operates",
    // Whose key ends is what decides, and that is told where it ends.
    "POST /v1/credentials/:credential_id/rotate": "operates",
    "POST /v1/credentials": "operates",
    "POST /v1/agents": "operates",
    "POST /v1/workload-identity/token-exchange": "operates",
    "POST /v1/signup": "operates",
    "POST /v1/registry/token": "operates",
    "POST /v1/org/users/invite": "operates",
    "PUT /v1/org/users/:user_id/billing": "operates",
    // Each of them asks for tier 2 because it lifts limits, and destroys nothing.
    "POST /v1/org/ous": "operates",
    "PUT /v1/org/ous/:path/members/:id": "operates",
    "PUT /v1/access/policy": "operates",
    "PUT /v1/agents/policy": "operates",
    // Old keys go on, versions stay, a restore makes another database, storage only grows, and a password is replaced.
    "POST /v1/object-storage/buckets": "operates",
    "POST /v1/object-storage/buckets/:name/objects/:key/presigned": "with its body",
    "PUT /v1/object-storage/buckets/:name/versioning": "operates",
    "PUT /v1/object-storage/buckets/:name/cors": "operates",
    "POST /v1/object-storage/credentials/rotate": "operates",
    "POST /v1/databases": "operates",
    "PATCH /v1/databases/:engine/:name": "operates",
    "POST /v1/databases/:engine/:name/rotate-credentials": "operates",
    "POST /v1/databases/:engine/:name/restore": "operates",
    // To scale is to operate, in either direction.
    "POST /v1/autoscaling/groups": "operates",
    "PATCH /v1/autoscaling/groups/:group_id": "operates",
    "POST /v1/autoscaling/groups/:group_id/policies/:policy/trigger": "operates",
    "POST /v1/nat-gateways": "operates",
    "POST /v1/dns/zones": "operates",
    "PATCH /v1/dns/zones/:zone_id": "operates",
    "POST /v1/dns/zones/:zone_id/recordsets": "operates",
    "PATCH /v1/dns/zones/:zone_id/recordsets/:recordset_id": "operates",
    // A resync makes the objects be as the exposures say, which stay.
    "POST /v1/edge/exposures": "operates",
    "POST /v1/edge/exposures/:exposure_id/verify": "operates",
    "POST /v1/edge/resync": "operates",
    "POST /v1/budgets": "operates",
    "POST /v1/alarms": "operates",
    "PATCH /v1/alarms/:alarm_id": "operates",
    "POST /v1/webhooks": "operates",
    "PATCH /v1/webhooks/:webhook_id": "operates",
    "POST /v1/webhooks/:webhook_id/test": "operates",
    "POST /v1/webhooks/:webhook_id/rotate-secret": "operates",
    "POST /v1/webhooks/:webhook_id/redeliver": "operates",
    "POST /v1/integrations": "operates",
    "PATCH /v1/integrations/:integration_id": "operates",
    "POST /v1/integrations/:integration_id/test": "operates",
    "POST /v1/integrations/:integration_id/confirm": "operates",
    "POST /v1/integrations/:integration_id/rotate-secret": "operates",
    "POST /v1/integrations/:integration_id/redeliver": "operates"
  }

  it("each have a decision", () => {
    const writes = routes.filter((_) => tierOf(_.method) === 1 && !_.proxied)
    assert.sameMembers(
      writes.map((_) => `${_.method} ${_.path}`),
      Object.keys(own)
    )
    for (const { destroysWith, method, path, tier } of writes) {
      const decided = own[`${method} ${path}`]
      assert.strictEqual(destroysWith !== undefined, decided === "with its body", path)
      if (decided !== "operates") assert.strictEqual(tier, decided === "destroys" ? 2 : 1, path)
    }
  })
})
