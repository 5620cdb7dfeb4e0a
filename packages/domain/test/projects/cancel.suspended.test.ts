import { assert, it } from "@effect/vitest"
import { zeroQuotas } from "@portico/contract/Tiers"
import { cancelDeletion } from "@portico/domain/projects/cancel"
import { reconcilePurges } from "@portico/domain/projects/purge"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { inTime } from "@portico/testing/clock"
import { quotasOf } from "@portico/testing/tenants/whole"
import { Effect } from "effect"
import { acmeBesideGlobex, condemned, liveAgain } from "./purged.ts"

const beside = from(await seedOf(acmeBesideGlobex))

it.effect("a suspended tenant with a cancelled deletion has its network, and stays suspended", () =>
  beside((acme) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* inTime(suspend(acme.projectId))
      yield* condemned(acme.projectId)
      // The network is gone when the object gateway does not answer.
      const destroyBuckets = { service: "rgw", method: "DELETE", path: "/admin/user" } as const
      yield* cloud.fault({ ...destroyBuckets, times: "always", when: "before", as: { status: 503 } })
      yield* inTime(reconcilePurges)
      yield* cloud.clearFaults
      const networks = () => Object.values(cloud.world.neutron.networks).filter((_) => _.project_id === acme.projectId)
      assert.deepStrictEqual(networks(), [])

      const { restored_credentials } = yield* inTime(cancelDeletion(acme.projectId))
      assert.deepStrictEqual(restored_credentials, acme.live)
      assert.lengthOf(networks(), 1)
      const { neutron } = yield* quotasOf(acme.projectId)
      assert.deepStrictEqual(neutron, zeroQuotas.neutron)

      yield* inTime(moveTier(acme.projectId, "standard"))
      yield* liveAgain(acme, "the suspension has ended")
    })
  )
)
