import { assert, describe, it } from "@effect/vitest"
import { foreignResources } from "@portico/gateway/proxy/rules/foreignResources"
import { Effect } from "effect"
import { ask, callOf, type Read } from "./judge.ts"
import { anId, everybody, tenants } from "./Spelling.ts"

/** A service that knows these paths for the caller, and what was looked up. */
const knowing = (things: Readonly<Record<string, unknown>>) => {
  const asked: Array<string> = []
  const read: Read = (segments, headers) => {
    asked.push(segments.join("/") + (headers === undefined ? "" : ` ${JSON.stringify(headers)}`))
    return Effect.succeed(things[segments.join("/")])
  }
  return { asked, read }
}

const code = (method: string, path: string, read: Read, who: "machine" | "person" | "operator" = "machine") =>
  Effect.match(ask(foreignResources, callOf({ method, path }, who, read), undefined), {
    onFailure: (_) => _.code,
    onSuccess: () => "allowed" as const
  })

/** Ways to a thing, and what of it is looked up. */
const ways: ReadonlyArray<readonly [method: string, path: string, lookedUp: string]> = [
  ...["loadbalancers", "listeners", "pools", "healthmonitors", "l7policies"].flatMap((kind) =>
    ["GET", "PUT", "DELETE"].map(
      (method) => [method, `/load-balancer/lbaas/${kind}/${anId}`, `lbaas/${kind}/${anId}`] as const
    )
  ),
  ["GET", `/load-balancer/lbaas/loadbalancers/${anId}/status`, `lbaas/loadbalancers/${anId}`],
  ["POST", `/load-balancer/lbaas/pools/${anId}/members`, `lbaas/pools/${anId}`],
  ["DELETE", `/load-balancer/lbaas/l7policies/${anId}/rules/${anId}`, `lbaas/l7policies/${anId}`],
  ["HEAD", `/key-manager/v1/secrets/${anId}`, `v1/secrets/${anId}`],
  ["DELETE", `/key-manager/v1/secrets/${anId}`, `v1/secrets/${anId}`],
  ["PUT", `/key-manager/v1/secrets/${anId}/acl`, `v1/secrets/${anId}`],
  ["POST", `/key-manager/v1/containers/${anId}/secrets`, `v1/containers/${anId}`],
  ["GET", `/dns/zones/tasks/transfer_requests/${anId}`, `zones/tasks/transfer_requests/${anId}`],
  ["PATCH", `/dns/zones/tasks/transfer_requests/${anId}`, `zones/tasks/transfer_requests/${anId}`],
  ["POST", `/network/floatingips/${anId}/port_forwardings`, `floatingips/${anId}`],
  ["GET", `/network/rbac-policies/${anId}`, `rbac-policies/${anId}`],
  ["DELETE", `/network/qos/rbac_policies/${anId}.json`, `rbac-policies/${anId}.json`],
  ["POST", `/network/qos/floatingips/${anId}/port-forwardings`, `floatingips/${anId}`],
  ["GET", `/compute/servers/${anId}/tags`, `servers/${anId}`],
  ["PUT", `/compute/servers/${anId}/tags/taken`, `servers/${anId}`],
  ["POST", `/network/floatingips/${anId}/Port-Forwardings.json`, `floatingips/${anId}`]
]

describe("ids that a service would distinguish from unknown ones", () => {
  for (const [method, path, lookedUp] of ways) {
    it.effect(`${method} ${path}: is forwarded when the caller can read it, and otherwise a 404`, () =>
      Effect.gen(function* () {
        for (const who of tenants) {
          const { asked, read } = knowing({ [lookedUp]: {} })
          assert.strictEqual(yield* code(method, path, read, who), "allowed")
          assert.deepStrictEqual(asked, [lookedUp])
          assert.strictEqual(yield* code(method, path, knowing({}).read, who), "not_found")
        }
      })
    )
  }

  it.effect("a zone transfer's UUID is looked up in any spelling, and another text is left for the service", () =>
    Effect.gen(function* () {
      const hex = anId.replaceAll("-", "")
      for (const [id, said] of [
        [hex, "not_found"],
        [hex.toUpperCase(), "not_found"],
        [`urn:uuid:${anId}`, "not_found"],
        ["foo", "allowed"],
        [anId.slice(1), "allowed"]
      ] as const) {
        for (const method of ["GET", "PATCH", "DELETE"]) {
          const path = `/dns/zones/tasks/transfer_requests/${id}`
          assert.strictEqual(yield* code(method, path, knowing({}).read), said, `${method} ${id}`)
        }
      }
    })
  )

  const attachment = `/volume/attachments/${anId}`
  const version = '{"openstack-api-version":"volume 3.27"}'
  const attachments: ReadonlyArray<readonly [what: string, things: Readonly<Record<string, unknown>>, said: string]> = [
    ["of an own volume", { [`attachments/${anId}`]: { attachment: { volume_id: "v" } }, "volumes/v": {} }, "allowed"],
    ["of another's, which Cinder shows", { [`attachments/${anId}`]: { attachment: { volume_id: "v" } } }, "not_found"],
    ["that is missing", {}, "not_found"],
    ["with an unreadable answer", { [`attachments/${anId}`]: "a page", "volumes/v": {} }, "not_found"]
  ]
  for (const [what, things, said] of attachments) {
    it.effect(`an attachment ${what}: ${said}`, () =>
      Effect.gen(function* () {
        for (const method of ["GET", "PUT", "DELETE"]) {
          const { asked, read } = knowing(things)
          assert.strictEqual(yield* code(method, attachment, read), said)
          assert.strictEqual(asked[0], `attachments/${anId} ${version}`)
        }
      })
    )
  }

  it.effect("lists, other kinds, and platform administrators need no look-up", () =>
    Effect.gen(function* () {
      const { asked, read } = knowing({})
      for (const path of [
        "/load-balancer/lbaas/loadbalancers",
        `/load-balancer/lbaas/quotas/${anId}`,
        "/key-manager/v1/secrets",
        `/key-manager/v1/orders/${anId}`,
        "/volume/attachments",
        "/volume/attachments/detail",
        "/dns/zones/tasks/transfer_requests",
        `/dns/zones/${anId}/tasks/transfer_requests`,
        `/volume/volumes/${anId}`,
        `/compute/servers/${anId}`,
        `/network/pools/${anId}`,
        "/network/rbac-policies",
        `/network/floatingips/${anId}/port_forwardings`
      ]) {
        for (const who of everybody) assert.strictEqual(yield* code("GET", path, read, who), "allowed", path)
      }
      for (const [method, path] of ways) assert.strictEqual(yield* code(method, path, read, "operator"), "allowed")
      assert.deepStrictEqual(asked, [])
    })
  )
})
