import { assert, it } from "@effect/vitest"
import type { ExposureCreate } from "@portico/contract/Edge"
import { reconcileExposures, sweepEdge } from "@portico/domain/edge/reconcile"
import { createExposure } from "@portico/domain/edge/create"
import { listExposures, showExposure } from "@portico/domain/edge/list"
import { removeExposure } from "@portico/domain/edge/remove"
import { resyncExposures } from "@portico/domain/edge/resync"
import { verifyExposure } from "@portico/domain/edge/verify"
import { holdProject } from "@portico/domain/projects/hold"
import { showContents } from "@portico/domain/projects/show"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Exposures } from "@portico/store/Exposures"
import { Memory } from "@portico/testing/store/Memory"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { administrator } from "@portico/testing/tenants/caller"
import { inTime, pass } from "@portico/testing/clock"
import { kube } from "../workloadIdentity/cluster.ts"
import {
  acmeAndGlobex,
  atAddress,
  atService,
  edgeNamespace,
  everythingElse,
  exposed,
  floatingIp,
  objectsOf,
  otherIp,
  ownIp,
  release,
  served,
  servedNames
} from "./edge.ts"
import { carriedOut, condemned } from "../projects/purged.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { simulatedWith } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"

const beside = from(await seedOf(acmeAndGlobex))

const ten = Duration.seconds(10)
const job = Effect.suspend(() => inTime(reconcileExposures(ten)))

/** What somebody is told who may not. */
const refusalOf = (projectId: string, request: ExposureCreate) =>
  Effect.map(Effect.flip(exposed(projectId, request)), (failure) => [failure._tag, failure.code, failure.detail])

it.effect("a floating IP is exposed by objects outside the tenant's reach, and active when accepted", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const before = yield* everythingElse
      const made = yield* exposed(acme, atAddress)
      assert.match(made.exposure_id, /^edge-[0-9a-f]{12}$/)
      assert.match(made.hostname, /^shop-[0-9a-f]{8}\.edge\.portico\.example$/)
      assert.deepInclude(made, {
        name: "shop",
        domain: null,
        target: { address: ownIp, port: 8080 },
        state: "pending",
        reason: "The edge has not taken its route yet.",
        url: `https://${made.hostname}`
      })
      assert.deepStrictEqual(yield* objectsOf(made.exposure_id), [
        `endpointslices.discovery.k8s.io ${edgeNamespace}`,
        `httproutes.gateway.networking.k8s.io ${edgeNamespace}`,
        `services ${edgeNamespace}`
      ])
      const { objects } = (yield* SimulatedCloud).world.kubernetes
      const key = `${edgeNamespace}/${made.exposure_id}`
      const slice = objects["endpointslices.discovery.k8s.io"]?.[key]
      assert.deepInclude(slice, {
        addressType: "IPv4",
        ports: [{ name: "http", protocol: "TCP", port: 8080 }],
        endpoints: [{ addresses: [ownIp], conditions: { ready: true } }]
      })
      assert.deepInclude(slice?.metadata.labels, {
        "app.kubernetes.io/managed-by": "portico",
        "portico/project-id": acme,
        "kubernetes.io/service-name": made.exposure_id
      })
      assert.notProperty(objects["services"]?.[key]?.["spec"], "selector")

      yield* pass(20)
      const active = { ...made, state: "active", reason: null } as const
      assert.deepStrictEqual(yield* showExposure(acme, made.exposure_id), active)
      assert.deepStrictEqual(yield* listExposures(acme), { count: 1, exposures: [active] })

      const removed = yield* inTime(removeExposure(acme, made.exposure_id))
      assert.deepStrictEqual(removed, { ...made, reason: "It is being removed." })
      assert.strictEqual((yield* Effect.flip(removeExposure(acme, made.exposure_id))).code, "exposure_not_found")
      yield* pass(20)
      assert.deepStrictEqual(yield* everythingElse, before)
    })
  )
)

it.effect("a Service is exposed from its own namespace, by a grant for it alone", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const made = yield* exposed(acme, atService)
      assert.deepStrictEqual(yield* objectsOf(made.exposure_id), [
        `httproutes.gateway.networking.k8s.io ${edgeNamespace}`,
        `referencegrants.gateway.networking.k8s.io db-${acme}`
      ])
      const [route] = yield* served
      assert.deepStrictEqual(route?.spec, {
        parentRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", namespace: edgeNamespace, name: "public" }],
        hostnames: [made.hostname],
        rules: [
          {
            matches: [{ path: { type: "PathPrefix", value: "/" } }],
            backendRefs: [{ group: "", kind: "Service", name: "web", namespace: `db-${acme}`, port: 80, weight: 1 }]
          }
        ]
      })
      const { objects } = (yield* SimulatedCloud).world.kubernetes
      assert.deepInclude(objects["referencegrants.gateway.networking.k8s.io"]?.[`db-${acme}/${made.exposure_id}`], {
        spec: {
          from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: edgeNamespace }],
          to: [{ group: "", kind: "Service", name: "web" }]
        }
      })
      yield* pass(20)
      assert.strictEqual((yield* showExposure(acme, made.exposure_id)).state, "active")

      const absent = yield* exposed(acme, { name: "later", target: { service: "not-there-yet", port: 80 } })
      yield* pass(20)
      const { reason, state } = yield* showExposure(acme, absent.exposure_id)
      assert.strictEqual(state, "pending")
      assert.match(reason ?? "", /^Its target cannot be reached: .*not-there-yet/)
    })
  )
)

it.effect("the first exposure of a Service creates the tenant's namespace", () =>
  Effect.gen(function* () {
    const acme = yield* tenantOf("discovery")
    yield* exposed(acme, atService)
    assert.isDefined((yield* SimulatedCloud).world.kubernetes.objects["namespaces"]?.[`/db-${acme}`])
  }).pipe(Effect.provide(simulatedWith({})))
)

const ownAddress = "The target cannot be exposed: its address must be one of the tenant's own floating IPs"

it.effect("only the tenant's own floating IPs are exposed, and a refusal does not show the owner", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      // Not even where the platform has given it to the tenant.
      yield* floatingIp(acme, "10.0.0.7")
      const before = yield* everythingElse
      const addresses = [
        otherIp,
        "203.0.113.202",
        "198.51.100.1",
        "2001:db8::1",
        "10.0.0.7",
        "127.0.0.1",
        "0.0.0.0",
        "169.254.169.254",
        "172.20.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.7",
        "64:ff9b::7f00:1",
        "fe80::1",
        "fd00::1"
      ]
      for (const address of addresses) {
        assert.deepStrictEqual(
          yield* refusalOf(acme, { name: "x", target: { address, port: 80 } }),
          ["Unprocessable", "exposure_target_refused", ownAddress],
          address
        )
      }
      assert.deepStrictEqual(yield* everythingElse, before)
      // What is no floating IP anywhere is not even asked for.
      yield* cloud.clearCalls
      yield* refusalOf(acme, { name: "x", target: { address: "127.0.0.1", port: 80 } })
      assert.lengthOf(yield* cloud.calls, 0)
      // The same address, spelled otherwise.
      const mapped = yield* exposed(acme, { name: "x", target: { address: `::ffff:${ownIp}`, port: 80 } })
      assert.deepStrictEqual(mapped.target, { address: ownIp, port: 80 })
    })
  )
)

it.effect("private floating IPs are possible by a setting", () =>
  Effect.gen(function* () {
    const acme = yield* tenantOf("standard")
    yield* floatingIp(acme, "10.20.0.7")
    yield* floatingIp(acme, "10.21.0.7")
    const made = yield* exposed(acme, { name: "x", target: { address: "10.20.0.7", port: 80 } })
    assert.strictEqual(made.target.address, "10.20.0.7")
    const [, code] = yield* refusalOf(acme, { name: "y", target: { address: "10.21.0.7", port: 80 } })
    assert.strictEqual(code, "exposure_target_refused")
  }).pipe(Effect.provide(simulatedWith({ EDGE_TARGET_NETWORKS: "10.20.0.0/16, 10.22.0.0/16" })))
)

/** Makes the tenant's Service one that stands for a name elsewhere, as the tenant can. */
const leadElsewhere = (projectId: string) =>
  Effect.andThen(
    kube("DELETE", `/api/v1/namespaces/db-${projectId}/services/web`, {}),
    kube("POST", `/api/v1/namespaces/db-${projectId}/services`, {
      metadata: { name: "web" },
      spec: { type: "ExternalName", externalName: "metadata.internal", ports: [{ port: 80 }] }
    })
  )

it.effect("a Service that leads elsewhere is not exposed, also when it begins to later", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const made = yield* exposed(acme, atService)
      yield* leadElsewhere(acme)
      yield* pass(60)
      yield* job
      assert.deepStrictEqual(yield* objectsOf(made.exposure_id), [])
      const { reason, state } = yield* showExposure(acme, made.exposure_id)
      assert.deepStrictEqual(
        [state, reason],
        ["pending", "Its Service is of the type ExternalName, which is not exposed."]
      )
      assert.deepStrictEqual(yield* refusalOf(acme, { ...atService, name: "again" }), [
        "Unprocessable",
        "exposure_target_refused",
        "The target cannot be exposed: its Service must not be of the type ExternalName"
      ])
    })
  )
)

it.effect("a released address stops being served, until the tenant has it back", () =>
  beside(({ acme, globex }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const made = yield* exposed(acme, atAddress)
      yield* pass(40)
      yield* job
      assert.lengthOf(yield* objectsOf(made.exposure_id), 3)

      yield* release(ownIp)
      // While nobody can tell whose it is, nothing is taken away.
      yield* cloud.fault({
        service: "neutron",
        method: "GET",
        path: "/v2.0/floatingips",
        times: "always",
        when: "before",
        as: { status: 503 }
      })
      yield* pass(20)
      yield* job
      assert.lengthOf(yield* objectsOf(made.exposure_id), 3)
      yield* cloud.clearFaults
      yield* floatingIp(globex, ownIp)
      yield* pass(10)
      yield* job
      assert.deepStrictEqual(yield* objectsOf(made.exposure_id), [])
      const lost = yield* showExposure(acme, made.exposure_id)
      assert.deepStrictEqual(
        [lost.state, lost.reason],
        ["pending", "Its address is not one of the tenant's floating IPs any more."]
      )
      assert.deepStrictEqual((yield* inTime(resyncExposures(acme))).changed, 0)

      yield* floatingIp(acme, ownIp)
      yield* pass(10)
      yield* job
      yield* pass(20)
      assert.strictEqual((yield* showExposure(acme, made.exposure_id)).state, "active")
    })
  )
)

it.effect("the job makes a constant number of calls for any number of exposures", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      for (const name of ["a", "b", "c", "d"]) yield* exposed(acme, { ...atAddress, name })
      yield* pass(40)
      yield* cloud.clearCalls
      yield* job
      const calls = (yield* cloud.calls).filter((_) => _.service !== "keystone")
      assert.deepStrictEqual(
        calls.map((_) => `${_.method} ${_.service}`),
        ["GET neutron", "GET kubernetes"]
      )
      yield* job
      assert.lengthOf(
        (yield* cloud.calls).filter((_) => _.service !== "keystone"),
        2
      )
    })
  )
)

it.effect("a resync repairs and lists differences, and a second one changes nothing", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const one = yield* exposed(acme, atAddress)
      const two = yield* exposed(acme, atService)
      const three = yield* exposed(acme, { ...atAddress, name: "gone" })
      const resync = inTime(resyncExposures(acme))
      const untouched = yield* resync
      assert.deepStrictEqual([untouched.count, untouched.changed], [3, 0])

      yield* kube(
        "DELETE",
        `/apis/gateway.networking.k8s.io/v1/namespaces/${edgeNamespace}/httproutes/${one.exposure_id}`,
        {}
      )
      const { objects } = (yield* SimulatedCloud).world.kubernetes
      const slices = objects["endpointslices.discovery.k8s.io"] ?? {}
      const key = `${edgeNamespace}/${one.exposure_id}`
      const slice = slices[key]
      if (slice !== undefined) slices[key] = { ...slice, endpoints: [{ addresses: ["203.0.113.99"] }] }
      yield* kube(
        "DELETE",
        `/apis/gateway.networking.k8s.io/v1beta1/namespaces/db-${acme}/referencegrants/${two.exposure_id}`,
        {}
      )
      yield* floatingIp(acme, "203.0.113.210")
      const { exposures } = yield* Memory
      const row = exposures.get(three.exposure_id)
      if (row !== undefined) exposures.set(three.exposure_id, { ...row, address: "203.0.113.211" })

      const mended = yield* resync
      assert.deepStrictEqual(
        mended.exposures.toSorted((a, b) => (a.name < b.name ? 1 : -1)),
        [
          { exposure_id: two.exposure_id, name: "web", changes: [{ object: "ReferenceGrant", change: "made" }] },
          {
            exposure_id: one.exposure_id,
            name: "shop",
            changes: [
              { object: "EndpointSlice", change: "mended" },
              { object: "HTTPRoute", change: "made" }
            ]
          },
          {
            exposure_id: three.exposure_id,
            name: "gone",
            changes: [
              { object: "Service", change: "removed" },
              { object: "EndpointSlice", change: "removed" },
              { object: "HTTPRoute", change: "removed" }
            ]
          }
        ]
      )
      assert.strictEqual(mended.changed, 3)
      assert.strictEqual((yield* resync).changed, 0)
      assert.deepStrictEqual(yield* resyncExposures("nobody"), { count: 0, changed: 0, exposures: [] })
    })
  )
)

it.effect("the ceiling follows the tier, and exposures stay after a smaller tier or a suspension", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      for (const name of ["a", "b", "c", "d"]) yield* exposed(acme, { ...atAddress, name })
      const failure = yield* Effect.flip(exposed(acme, { ...atAddress, name: "e" }))
      assert.deepInclude(failure, {
        code: "ceiling_reached",
        ceiling: { requested: 1, used: 4, limit: 4, remaining: 0 }
      })
      assert.deepStrictEqual(yield* refusalOf(acme, { ...atAddress, name: "a" }), [
        "Conflict",
        "exposure_name_taken",
        "An exposure named 'a' exists already"
      ])
      yield* inTime(moveTier(acme, "discovery"))
      assert.strictEqual((yield* inTime(resyncExposures(acme))).count, 4)
      assert.deepInclude(yield* Effect.flip(exposed(acme, { ...atAddress, name: "e" })), {
        ceiling: { requested: 1, used: 4, limit: 1, remaining: 0 }
      })
      yield* inTime(suspend(acme))
      assert.deepInclude(yield* Effect.flip(exposed(acme, { ...atAddress, name: "e" })), {
        ceiling: { requested: 1, used: 4, limit: 0, remaining: 0 }
      })
      assert.lengthOf(yield* served, 4)
    })
  )
)

it.effect("of concurrent creates for the last place one succeeds", () =>
  Effect.gen(function* () {
    const acme = yield* tenantOf("discovery")
    yield* floatingIp(acme, ownIp)
    const creates = ["a", "b", "c", "d", "e"].map((name) => Effect.exit(createExposure(acme, { ...atAddress, name })))
    const exits = yield* inTime(Effect.all(creates, { concurrency: "unbounded" }))
    assert.lengthOf(
      exits.filter((_) => _._tag === "Success"),
      1
    )
    assert.lengthOf(yield* served, 1)
  }).pipe(Effect.provide(simulatedWith({})))
)

it.effect("another tenant's exposure, an unknown one and a malformed id are the same 404", () =>
  beside(({ acme, globex }) =>
    Effect.gen(function* () {
      const { exposure_id } = yield* exposed(acme, { ...atAddress, domain: "shop.example" })
      const before = yield* everythingElse
      for (const id of [exposure_id, "edge-000000000000", "\0", "a".repeat(5000)]) {
        const refusals = [
          yield* Effect.flip(showExposure(globex, id)),
          yield* Effect.flip(removeExposure(globex, id)),
          yield* Effect.flip(verifyExposure(globex, id))
        ]
        for (const { code, detail } of refusals) {
          assert.deepStrictEqual([code, detail], ["exposure_not_found", `Exposure '${id}' not found`])
        }
      }
      assert.deepStrictEqual(yield* listExposures(globex), { count: 0, exposures: [] })
      assert.deepStrictEqual((yield* inTime(resyncExposures(globex))).count, 0)
      assert.deepStrictEqual(yield* everythingElse, before)
    })
  )
)

it.effect("host names are the tenant's own forever, and fit into a label", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const name = `${"a".repeat(53)}-${"b".repeat(9)}`
      const first = yield* exposed(acme, { ...atAddress, name })
      assert.match(first.hostname, /^a{53}-[0-9a-f]{8}\.edge\.portico\.example$/)
      yield* inTime(removeExposure(acme, first.exposure_id))
      const second = yield* exposed(acme, { ...atAddress, name })
      assert.notStrictEqual(second.hostname, first.hostname)
    })
  )
)

it.effect("a closing tenant can expose nothing, and lost targets are removed", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const one = yield* exposed(acme, atAddress)
      const two = yield* exposed(acme, atService)
      yield* holdProject(acme, "account_closure")
      yield* kube(
        "DELETE",
        `/apis/gateway.networking.k8s.io/v1/namespaces/${edgeNamespace}/httproutes/${two.exposure_id}`,
        {}
      )
      yield* release(ownIp)
      yield* pass(60)
      yield* job
      assert.deepStrictEqual(yield* served, [])
      assert.deepStrictEqual(yield* objectsOf(one.exposure_id), [])
      assert.strictEqual(
        (yield* Effect.flip(exposed(acme, { ...atService, name: "x" }))).code,
        "concurrent_deletion_state"
      )
    })
  )
)

it.effect("a project is removed with its exposures, which a survey shows, and frees its domains", () =>
  beside(({ acme, globex }) =>
    Effect.gen(function* () {
      yield* exposed(acme, { ...atAddress, domain: "shop.example" })
      yield* exposed(acme, atService)
      yield* exposed(globex, { name: "theirs", target: { address: otherIp, port: 80 } })
      const { contents } = yield* inTime(showContents(administrator, acme))
      assert.deepStrictEqual(
        contents.find((_) => _.service === "edge"),
        {
          service: "edge",
          kind: "exposures",
          count: 2,
          first: (yield* listExposures(acme)).exposures.map((_) => ({ id: _.exposure_id, name: _.name })),
          guarded: []
        }
      )
      yield* condemned(acme)
      assert.isUndefined(yield* carriedOut(acme))
      const { edgeClaims, exposures } = yield* Memory
      assert.deepStrictEqual(
        [...exposures.values()].map((_) => _.project_id),
        [globex]
      )
      assert.strictEqual(edgeClaims.size, 0)
      assert.lengthOf(yield* served, 1)
    })
  )
)

it.effect("the late effect of a given-up call is swept", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const kept = yield* exposed(acme, atAddress)
      const lost = yield* exposed(acme, { ...atService, domain: "shop.example" })
      yield* inTime(sweepEdge())
      assert.lengthOf(yield* served, 2)
      const { edgeClaims, exposures } = yield* Memory
      exposures.delete(lost.exposure_id)
      edgeClaims.clear()
      yield* inTime(sweepEdge())
      assert.deepStrictEqual(yield* servedNames, [kept.hostname])
      assert.deepStrictEqual(yield* objectsOf(lost.exposure_id), [])
      assert.lengthOf(yield* objectsOf(kept.exposure_id), 3)
    })
  )
)

it.effect("a Service that its tenant labelled as one of the edge's is left unchanged", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      yield* kube("POST", `/api/v1/namespaces/db-${acme}/services`, {
        metadata: {
          name: "own",
          labels: { "app.kubernetes.io/managed-by": "portico", "portico/exposure-id": "edge-0" }
        },
        spec: { ports: [{ port: 80 }] }
      })
      const own = yield* objectsOf("edge-0")
      assert.lengthOf(own, 1)
      yield* inTime(sweepEdge())
      assert.deepStrictEqual(yield* objectsOf("edge-0"), own)
    })
  )
)

it.effect("exposures that cannot be observed do not delay others", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { insert } = yield* Exposures
      // One more than a claim takes.
      for (let index = 0; index <= 100; index++) {
        const row = { project_id: acme, service: null, address: ownIp, port: 80, domain: null }
        yield* insert(
          { ...row, exposure_id: `edge-${index}`, name: `n${index}`, hostname: `n${index}.example` },
          undefined
        )
      }
      yield* TestClock.adjust("10 seconds")
      yield* cloud.fault({
        service: "kubernetes",
        method: "GET",
        path: "/apis/gateway.networking.k8s.io/**",
        when: "before",
        as: { status: 403 }
      })
      yield* cloud.clearCalls
      yield* job
      const lists = (yield* cloud.calls).filter((_) => _.method === "GET" && _.path.endsWith("/httproutes"))
      assert.lengthOf(lists, 2)
    })
  )
)

it.effect("an unreadable cluster is a 502, and is not called without exposures", () =>
  beside(({ acme, globex }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* exposed(acme, atAddress)
      yield* cloud.fault({
        service: "kubernetes",
        method: "GET",
        path: "**",
        times: "always",
        when: "before",
        as: { status: 503 }
      })
      assert.strictEqual((yield* Effect.flip(inTime(listExposures(acme))))._tag, "BadGateway")
      assert.deepStrictEqual(yield* listExposures(globex), { count: 0, exposures: [] })
    })
  )
)
