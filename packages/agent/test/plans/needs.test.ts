import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { needsOf } from "../../src/plans/needs.ts"
import { agentOf, services } from "./fakes.ts"

const needed = (method: string, path: string, body: object = {}, isBilled = true) =>
  needsOf(agentOf(), { method, path, body: JSON.stringify(body) }, isBilled).pipe(
    Effect.provide(services({}, () => []).layer)
  )

const unknown = { quotas: undefined, billable: undefined }

describe("quota and price of a call, from its body alone", () => {
  it.effect.each([
    [
      "POST /v1/iaas/load-balancer/lbaas/loadbalancers",
      {},
      { quotas: { load_balancers: 1 }, billable: [{ lines: ["load-balancer.load-balancer"], quantity: 1 }] }
    ],
    [
      "POST /v1/iaas/network/floatingips",
      {},
      { quotas: { "network.floating_ips": 1 }, billable: [{ lines: ["network.floating-ip"], quantity: 1 }] }
    ],
    [
      "POST /v1/iaas/volume/volumes",
      { volume: { size: 20, volume_type: "ssd" } },
      {
        quotas: { "block_storage.volumes": 1, "block_storage.gigabytes": 20 },
        billable: [{ lines: ["block-storage.ssd", "storage.ssd", "volume.ssd"], quantity: 20 }]
      }
    ],
    ["POST /v1/iaas/volume/volumes", { volume: {} }, unknown],
    [
      "POST /v1/databases",
      { size_gb: 10, replicas: 3 },
      { quotas: { "databases.gigabytes": 30, "databases.claims": 3 }, billable: undefined }
    ],
    ["POST /v1/iaas/network/networks", {}, { quotas: { "network.networks": 1 }, billable: undefined }],
    ["POST /v1/dns/zones", {}, { quotas: { dns_zones: 1 }, billable: undefined }],
    ["POST /v1/iaas/network/ports", {}, unknown]
  ] as const)("%s %o", ([call, body, expected]) =>
    Effect.gen(function* () {
      const [method = "", path = ""] = call.split(" ")
      assert.deepStrictEqual<unknown>(yield* needed(method, path, body), expected)
    })
  )

  it.effect("a call without a table row needs nothing, unless it is billed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual<unknown>(yield* needed("POST", "/v1/alarms", {}, true), unknown)
      assert.deepStrictEqual<unknown>(yield* needed("POST", "/v1/alarms", {}, false), {
        quotas: {},
        billable: undefined
      })
    })
  )
})
