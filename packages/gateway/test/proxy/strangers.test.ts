import { assert, layer } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { repeatInTime } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { Cast, type Tenant } from "../harness/Cast.ts"
import { type Answer, withoutChance } from "../harness/http.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const as = Effect.fnUntraced(function* (token: string, method: string, path: string, body?: unknown, version?: string) {
  const { call } = yield* TestGateway
  const headers = version === undefined ? {} : { "openstack-api-version": version }
  return yield* call("customer", method, `/v1/iaas${path}`, { token, body, headers })
})

const made = Effect.fnUntraced(function* ({ tokens }: Tenant, path: string, body: object) {
  const answer = yield* as(tokens[2], "POST", path, body)
  assert.isBelow(answer.status, 300, answer.text)
  return jsonOf(answer)
})

const settled = (token: string, path: string, isSo: (body: ReturnType<typeof jsonOf>) => boolean) =>
  repeatInTime(as(token, "GET", path), (_) => isSo(jsonOf(_)))

/** A thing of acme's that a stock service tells from what never was. */
interface Told {
  readonly make: (acme: Tenant) => Effect.Effect<string, never, TestGateway>
  /** Where it is, by its id. */
  readonly at: (id: string) => string
  readonly ways: ReadonlyArray<readonly [method: string, below: string, body?: unknown]>
  readonly version?: string
  /** How the service itself refuses a malformed id. Without this the gateway answers 404, as for the others. */
  readonly impossible?: readonly [status: number, type: string]
}

const balancer: Told = {
  make: Effect.fnUntraced(function* (acme) {
    yield* TestGateway.use(({ call }) => call("operator", "POST", `/v1/tenants/${acme.projectId}/tier`, standard))
    const { subnets } = jsonOf(yield* as(acme.tokens[0], "GET", `/network/subnets?network_id=${acme.networkId}`))
    const wanted = { loadbalancer: { vip_subnet_id: subnets[0].id } }
    const { loadbalancer } = yield* made(acme, "/load-balancer/lbaas/loadbalancers", wanted)
    const path = `/load-balancer/lbaas/loadbalancers/${loadbalancer.id}`
    yield* settled(acme.tokens[0], path, (_) => _.loadbalancer.provisioning_status === "ACTIVE")
    return loadbalancer.id
  }),
  at: (id) => `/load-balancer/lbaas/loadbalancers/${id}`,
  ways: [
    ["GET", ""],
    ["GET", "/status"],
    ["PUT", "", { loadbalancer: { name: "taken" } }],
    ["DELETE", ""],
    ["DELETE", "?cascade=true"]
  ]
}

const standard = { token: "operator-token", body: { tier: "standard" } }

const kept = (kind: "secrets" | "containers", ref: "secret_ref" | "container_ref", body: object): Told => ({
  make: (acme) =>
    Effect.map(made(acme, `/key-manager/v1/${kind}`, body), (_) => String(_[ref]).split("/").at(-1) ?? ""),
  at: (id) => `/key-manager/v1/${kind}/${id}`,
  ways: [
    ["GET", ""],
    ["GET", "/acl"],
    ["PUT", "/acl", { read: { "project-access": true } }],
    ["DELETE", "/acl"],
    ["DELETE", ""]
  ]
})

const attachment: Told = {
  make: Effect.fnUntraced(function* (acme) {
    const { volume } = yield* made(acme, "/volume/volumes", { volume: { size: 1 } })
    yield* settled(acme.tokens[0], `/volume/volumes/${volume.id}`, (_) => _.volume.status === "available")
    const wanted = { name: "web", flavorRef: "2", imageRef: publicImageId, networks: [{ uuid: acme.networkId }] }
    const { server } = yield* made(acme, "/compute/servers", { server: wanted })
    yield* settled(acme.tokens[0], `/compute/servers/${server.id}`, (_) => _.server.status === "ACTIVE")
    const attached = { volumeAttachment: { volumeId: volume.id } }
    yield* made(acme, `/compute/servers/${server.id}/os-volume_attachments`, attached)
    const now = yield* settled(acme.tokens[0], `/volume/volumes/${volume.id}`, (_) => _.volume.status === "in-use")
    return jsonOf(now).volume.attachments[0].attachment_id
  }),
  at: (id) => `/volume/attachments/${id}`,
  ways: [
    ["GET", ""],
    ["PUT", "", { attachment: { connector: {} } }],
    ["DELETE", ""]
  ],
  version: "volume 3.27"
}

const offer: Told = {
  make: Effect.fnUntraced(function* (acme) {
    const zone = yield* made(acme, "/dns/zones", { name: "offered.example.", email: "hostmaster@people.example" })
    const target_project_id = "0123456789abcdef0123456789abcdef"
    const { id } = yield* made(acme, `/dns/zones/${zone.id}/tasks/transfer_requests`, { target_project_id })
    return id
  }),
  at: (id) => `/dns/zones/tasks/transfer_requests/${id}`,
  ways: [
    ["GET", ""],
    ["PATCH", "", { description: "taken" }],
    ["DELETE", ""]
  ],
  impossible: [400, "invalid_uuid"]
}

const things: Readonly<Record<string, Told>> = {
  "load balancers": balancer,
  secrets: kept("secrets", "secret_ref", { name: "door" }),
  containers: kept("containers", "container_ref", { name: "box", type: "generic", secret_refs: [] }),
  "attachments of volumes": attachment,
  "zones offered to another project": offer
}

const never = "0b5e7d1c-8f0a-4c6e-9d43-1c1f0a9b8e77"

layer(stage)("foreign ids that a stock service distinguishes from unknown ones", (it) => {
  for (const [name, { at, impossible, make, version, ways }] of Object.entries(things)) {
    const alike = impossible === undefined ? "one that never was and one that cannot be" : "and one that never was"
    it.effect(`${name}: another tenant's, ${alike} are the same 404`, () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* Cast
        const id = yield* make(acme)
        const own = as(acme.tokens[0], "GET", at(id), undefined, version)
        const before: Answer = yield* own
        assert.strictEqual(before.status, 200, before.text)
        for (const [method, below, body] of ways) {
          const tried = (id: string) => as(globex.tokens[2], method, `${at(id)}${below}`, body, version)
          const foreign = yield* tried(id)
          const told = `${method} ${at(id)}${below}: ${foreign.text}`
          assert.deepStrictEqual([foreign.status, jsonOf(foreign).code], [404, "not_found"], told)
          assert.deepStrictEqual(withoutChance(foreign), withoutChance(yield* tried(never)), told)
          const none = yield* tried("no-id")
          if (impossible === undefined) assert.deepStrictEqual(withoutChance(foreign), withoutChance(none), told)
          else assert.deepStrictEqual([none.status, jsonOf(none).type], impossible, told)
        }
        assert.strictEqual((yield* own).text, before.text)
      })
    )
  }

  it.effect("a load balancer path with an ignorable part is a 404", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      for (const path of ["loadbalancers", "x/loadbalancers", "lbaas/x/loadbalancers", "LBAAS/loadbalancers"]) {
        for (const method of ["GET", "POST"]) {
          const answer = yield* as(acme.tokens[2], method, `/load-balancer/${path}`)
          assert.deepStrictEqual(
            [answer.status, jsonOf(answer)],
            [404, { detail: "Not Found", code: "not_found" }],
            path
          )
        }
      }
    })
  )
})
