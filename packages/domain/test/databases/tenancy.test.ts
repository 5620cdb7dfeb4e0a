import { assert, describe, it } from "@effect/vitest"
import { zeroQuotas } from "@portico/contract/Tiers"
import { leaseOf } from "@portico/domain/databases/database"
import { createDatabase } from "@portico/domain/databases/create"
import { removeDatabase } from "@portico/domain/databases/remove"
import { resizeDatabase } from "@portico/domain/databases/resize"
import { holdProject } from "@portico/domain/projects/hold"
import { showContents } from "@portico/domain/projects/show"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import type { Fault } from "@portico/simulator/Fault"
import { Held, Leases } from "@portico/store/Leases"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { administrator } from "@portico/testing/tenants/caller"
import { leftovers } from "@portico/testing/cloud/cleanSlate"
import { inTime, settle } from "@portico/testing/clock"
import { create, log, orders, until, withNamespace } from "./databases.ts"
import { under } from "@portico/testing/faults/calls"
import { carriedOut, condemned } from "../projects/purged.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { quotasOf } from "@portico/testing/tenants/whole"

/** What the namespace's quota holds to. */
const limits = Effect.fnUntraced(function* (projectId: string) {
  const { find } = yield* Kubernetes
  const quota = yield* find(kinds.resourceQuota, { namespace: `db-${projectId}`, name: "tenant-quota" })
  const { persistentvolumeclaims, "requests.storage": storage } = Object(quota?.["spec"])["hard"]
  return { persistentvolumeclaims, "requests.storage": storage }
})

const of = (gib: number) => ({ persistentvolumeclaims: "8", "requests.storage": `${gib}Gi` })
const none = { persistentvolumeclaims: "0", "requests.storage": "0" }

describe("the limits of the namespace", () => {
  it.effect("follow the tier, a suspension, and a resumption", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      assert.deepStrictEqual(yield* limits(projectId), of(100))
      yield* inTime(moveTier(projectId, "extension"))
      assert.deepStrictEqual(yield* limits(projectId), of(1500))
      yield* inTime(suspend(projectId))
      assert.deepStrictEqual(yield* limits(projectId), none)
      yield* inTime(moveTier(projectId, "standard"))
      assert.deepStrictEqual(yield* limits(projectId), of(400))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("are written with the first database, and not before", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("discovery")
      yield* inTime(moveTier(projectId, "standard"))
      assert.isUndefined(yield* (yield* Kubernetes).find(kinds.namespace, { name: `db-${projectId}` }))
      yield* create(projectId)
      assert.deepStrictEqual(yield* limits(projectId), of(400))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a failed write of a quota stops the move with the applied ones, and a repeat repairs", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      const fault: Fault = {
        service: "kubernetes",
        method: "PATCH",
        path: "/api/v1/namespaces/*/resourcequotas/*",
        times: "always",
        when: "before",
        as: { status: 503 }
      }
      const failure = yield* Effect.flip(under(fault, inTime(moveTier(projectId, "standard"))))
      assert.deepInclude(failure, { _tag: "BadGateway", code: "quota_write_failed", transient: true })
      const applied = failure._tag === "BadGateway" ? failure.applied : []
      const first = ["compute", "block_storage", "network", "load_balancers", "object_storage", "dns"]
      assert.deepStrictEqual(applied, first)
      assert.deepStrictEqual(yield* limits(projectId), of(100))
      yield* inTime(moveTier(projectId, "standard"))
      assert.deepStrictEqual(yield* limits(projectId), of(400))
    }).pipe(Effect.provide(Simulated))
  )

  for (const service of ["kubernetes", "designate"] as const) {
    it.effect(`a suspension zeroes the object storage even if ${service} fails`, () =>
      Effect.gen(function* () {
        const projectId = yield* withNamespace("standard")
        const down: Fault = {
          service,
          method: "PATCH",
          path: "/**",
          times: "always",
          when: "before",
          as: { status: 503 }
        }
        const failure = yield* Effect.flip(under(down, inTime(suspend(projectId))))
        assert.deepInclude(failure, { _tag: "BadGateway", code: "quota_write_failed", transient: true })
        assert.deepStrictEqual((yield* quotasOf(projectId)).rgw, zeroQuotas.rgw)
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("a namespace that is removed between read and write is skipped", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("discovery")
      yield* (yield* Kubernetes).remove(kinds.namespace, { name: `db-${projectId}` })
      yield* inTime(moveTier(projectId, "standard"))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a half-done move counts at the next create, which does not overwrite it", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("standard")
      const fault: Fault = {
        service: "keystone",
        method: "PUT",
        path: "/v3/projects/*/tags",
        times: "always",
        when: "before",
        as: { status: 403 }
      }
      yield* Effect.flip(under(fault, inTime(moveTier(projectId, "discovery"))))
      assert.deepStrictEqual(yield* limits(projectId), of(100))
      const refused = yield* Effect.flip(create(projectId, { size_gb: 101 }))
      assert.deepInclude(refused, { code: "ceiling_reached" })
      yield* create(projectId, { size_gb: 100 })
      assert.deepStrictEqual(yield* limits(projectId), of(100))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("changes of one tenant's databases are serial, and independent of another tenant's", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("standard")
      const other = yield* withNamespace("standard", "Globex")
      const { holding } = yield* Leases
      const busy = yield* Effect.forkChild(holding(leaseOf(projectId), Effect.sleep("30 seconds")))
      yield* settle
      const waiting = yield* Effect.forkChild(createDatabase(projectId, orders))
      yield* create(other)
      yield* settle
      assert.isUndefined(waiting.pollUnsafe())
      yield* inTime(Fiber.join(busy))
      assert.strictEqual((yield* inTime(Fiber.join(waiting))).name, "orders")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a change that gets no turn in time is refused as concurrent_change", () =>
    Effect.gen(function* () {
      const projectId = yield* withNamespace("standard")
      const held = Leases.of({ holding: (name) => Effect.fail(new Held({ name })) })
      for (const failure of [
        yield* Effect.flip(createDatabase(projectId, orders)).pipe(Effect.provideService(Leases, held)),
        yield* Effect.flip(removeDatabase(projectId, "postgres", "orders")).pipe(Effect.provideService(Leases, held)),
        yield* Effect.flip(resizeDatabase(projectId, "postgres", "orders", { size_gb: 30 })).pipe(
          Effect.provideService(Leases, held)
        )
      ]) {
        assert.deepInclude(failure, {
          _tag: "Conflict",
          code: "concurrent_change",
          detail: "Another change of the databases of the tenant is running; try again in a moment"
        })
      }
      const moving = Effect.flip(inTime(moveTier(projectId, "discovery")))
      assert.deepInclude(yield* Effect.provideService(moving, Leases, held), {
        code: "quota_write_failed",
        transient: true
      })
    }).pipe(Effect.provide(Simulated))
  )
})

describe("the end of a tenant", () => {
  it.effect("a tenant that is being deleted refuses creates and changes", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId)
      yield* until(projectId, orders, "ready")
      yield* inTime(holdProject(projectId, "project_deletion"))
      for (const failure of [
        yield* Effect.flip(create(projectId, { name: "another" })),
        yield* Effect.flip(inTime(resizeDatabase(projectId, "postgres", "orders", { size_gb: 30 })))
      ]) {
        assert.deepInclude(failure, { _tag: "Conflict", code: "concurrent_deletion_state" })
      }
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("a purge removes databases of both engines with all their objects, and leaves nothing", () =>
    Effect.gen(function* () {
      const projectId = yield* tenantOf("standard")
      yield* create(projectId, { replicas: 2, backup: { enabled: true } })
      yield* create(projectId, log)
      yield* until(projectId, orders, "ready")
      yield* until(projectId, log, "ready")
      const { contents } = yield* inTime(showContents(administrator, projectId))
      assert.deepInclude(
        contents.find((_) => _.kind === "namespaces"),
        { service: "kubernetes", count: 1 }
      )
      yield* condemned(projectId)
      assert.isUndefined(yield* carriedOut(projectId))
      yield* TestClock.adjust("10 minutes")
      yield* settle
      assert.deepStrictEqual(yield* leftovers, [])
    }).pipe(Effect.provide(Simulated))
  )
})
