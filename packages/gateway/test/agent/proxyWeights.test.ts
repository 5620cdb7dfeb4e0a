import { ProxyWeights } from "@portico/agent/plans/Plans"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProxyWeightsLive } from "@portico/gateway/agent/proxyWeights"

const iaas = "/v1/iaas"
const cluster = "/v1/kubernetes/api/v1/namespaces/acme"
const act = { os: "os" }

const cases: ReadonlyArray<readonly [method: string, path: string, body: unknown, weight: ReadonlyArray<string>]> = [
  ["POST", `${iaas}/compute/servers`, { server: {} }, ["billed"]],
  ["POST", `${iaas}/compute/0123456789abcdef0123456789abcdef/servers`, { server: {} }, ["billed"]],
  ["POST", `${iaas}/volume/volumes`, { volume: { size: 1 } }, ["billed"]],
  ["POST", `${iaas}/volume/backups/b/restore`, { restore: {} }, ["billed"]],
  ["POST", `${iaas}/volume/volume-transfers/t/accept`, { accept: {} }, ["billed"]],
  ["POST", `${iaas}/network/v2.0/floatingips`, { floatingip: {} }, ["billed"]],
  ["POST", `${iaas}/network/floatingips`, { floatingips: [{}] }, ["billed"]],
  ["POST", `${iaas}/load-balancer/lbaas/loadbalancers`, { loadbalancer: {} }, ["billed"]],
  ["POST", `${iaas}/compute/servers/s/action`, { resize: { flavorRef: "4" } }, ["billed"]],
  ["POST", `${iaas}/compute/servers/s/action`, { unshelve: null }, ["billed"]],
  ["POST", `${iaas}/compute/servers/s/action`, { reboot: { type: "SOFT" } }, []],
  ["POST", `${iaas}/compute/servers/s/action`, { "os-stop": null }, []],
  ["POST", `${iaas}/compute/servers/s/action`, { changePassword: { adminPass: "x" } }, ["irreversible"]],
  ["POST", `${iaas}/compute/servers/s/action`, { confirmResize: null }, ["irreversible"]],
  ["POST", `${iaas}/compute/servers/s/action`, { revertResize: null }, []],
  ["POST", `${iaas}/volume/volumes/v/action`, { "os-extend": { new_size: 2 } }, ["billed", "irreversible"]],
  ["POST", `${iaas}/network/lbaas/loadbalancers`, { loadbalancer: {} }, ["billed"]],
  ["POST", `${iaas}/volume/groups/action`, { "create-from-src": { source_group_id: "g" } }, ["billed"]],
  ["POST", `${iaas}/volume/groups/g/action`, { "create-from-src": { source_group_id: "g" } }, ["billed"]],
  ["POST", `${iaas}/volume/groups/g/action`, { enable_replication: {} }, []],
  ["POST", `${iaas}/volume/groups`, { group: {} }, []],
  ["POST", `${iaas}/volume/consistencygroups/create_from_src`, {}, ["billed"]],
  ["POST", `${iaas}/volume/volumes/v/action`, { "os-retype": { new_type: "ssd" } }, ["billed"]],
  ["POST", `${iaas}/compute/servers/s/action`, { restore: null }, ["billed"]],
  ["POST", `${iaas}/compute/servers/s/action`, { trigger_crash_dump: null }, ["irreversible"]],
  // The same words, and no act.
  ["POST", `${iaas}/compute/servers/s/tags`, { changePassword: {} }, []],
  ["PUT", `${iaas}/compute/servers`, { server: {} }, []],
  ["PUT", `${iaas}/compute/servers/s`, { server: { name: "other" } }, []],
  ["POST", `${iaas}/network/networks`, { network: {} }, []],
  ["POST", `${iaas}/compute/servers/../servers`, { server: {} }, []],
  ["PUT", `${cluster}/secrets/s`, act, ["irreversible"]],
  ["PATCH", `${cluster}/secrets/s`, act, ["irreversible"]],
  ["PATCH", `${cluster}/persistentvolumeclaims/c`, act, ["irreversible"]],
  ["POST", `${cluster}/secrets`, act, []],
  ["PUT", `${cluster}/configmaps/c`, act, []]
]

it.effect("lists the services a call acts on besides its path's", () =>
  Effect.map(ProxyWeights, (_) => {
    const areas = (method: string, path: string, body: unknown) =>
      _.otherAreas({ method, path: `${iaas}/${path}`, body: JSON.stringify(body) })
    const project = "0123456789abcdef0123456789abcdef"
    assert.deepStrictEqual(areas("POST", "compute/v2.1/os-volumes", { volume: { size: 1 } }), ["volume"])
    assert.deepStrictEqual(areas("POST", `compute/v2.1/${project}/os-volumes`, { volume: { size: 1 } }), ["volume"])
    assert.deepStrictEqual(areas("GET", "compute/images/detail", undefined), ["image"])
    assert.sameMembers([...areas("POST", "compute/servers/s/action", { createImage: {} })], ["image", "volume"])
    assert.deepStrictEqual(areas("POST", "compute/servers/s/action", { reboot: {} }), [])
    assert.deepStrictEqual(areas("POST", "volume/volumes", { volume: { size: 1 } }), [])
    assert.deepStrictEqual(areas("POST", "compute/../os-volumes", {}), [])
    assert.deepStrictEqual(_.otherAreas({ method: "GET", path: `${cluster}/pods` }), [])
  }).pipe(Effect.provide(ProxyWeightsLive))
)

/** The same calls as stock clients spell them, with the service's version before the path. */
const versions = ["v2.1", "v3", "v2", "v2.0"]
const versioned = cases.flatMap(([method, path, body, weight]) =>
  path.startsWith(iaas) && !/\/v2\.0\/|\/\.\.\//.test(path)
    ? versions.map((_) => [method, path.replace(/^(\/v1\/iaas\/[a-z-]+\/)/, `$1${_}/`), body, weight] as const)
    : []
)

for (const [method, path, body, weight] of [...cases, ...versioned]) {
  it.effect(`${method} ${path} ${JSON.stringify(body)} weighs [${weight.join(", ")}]`, () =>
    Effect.map(ProxyWeights, (_) =>
      assert.deepStrictEqual(_.of({ method, path, body: JSON.stringify(body) }), weight)
    ).pipe(Effect.provide(ProxyWeightsLive))
  )
}
