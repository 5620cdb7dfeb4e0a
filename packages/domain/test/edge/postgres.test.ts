import { assert, it } from "@effect/vitest"
import { createExposure } from "@portico/domain/edge/create"
import { removeExposure } from "@portico/domain/edge/remove"
import { verifyExposure } from "@portico/domain/edge/verify"
import { onboard } from "@portico/domain/onboarding/onboard"
import { Exposures } from "@portico/store/Exposures"
import { Effect, Exit } from "effect"
import { floatingIp, otherIp, ownIp, publishes, servedNames } from "./edge.ts"
import { OnPostgres } from "@portico/testing/cloud/postgres"

/** Two tenants with room for one exposure each. */
const tenants = Effect.gen(function* () {
  const acme = (yield* onboard({ name: "Acme GmbH", tier: "discovery" })).tenant.project_id
  const globex = (yield* onboard({ name: "Globex", tier: "discovery" })).tenant.project_id
  yield* floatingIp(acme, ownIp)
  yield* floatingIp(globex, otherIp)
  return { acme, globex }
})

const request = (name: string, address: string, domain?: string) => ({
  name,
  target: { address, port: 80 },
  ...(domain === undefined ? {} : { domain })
})

it.live("on PostgreSQL one of many gets the last place, and one of two the domain, in any order", () =>
  Effect.gen(function* () {
    const { acme, globex } = yield* tenants
    const places = yield* Effect.all(
      ["a", "b", "c", "d"].map((name) => Effect.exit(createExposure(acme, request(name, ownIp)))),
      { concurrency: "unbounded" }
    )
    const [placed, ...more] = places.flatMap((_) => (Exit.isSuccess(_) ? [_.value] : []))
    assert.isEmpty(more)
    assert.deepStrictEqual(yield* servedNames, [placed?.hostname])
    yield* removeExposure(acme, placed?.exposure_id ?? "")

    const claims = yield* Effect.all(
      [
        Effect.exit(createExposure(acme, request("shop", ownIp, "shop.example"))),
        Effect.exit(createExposure(globex, request("shop", otherIp, "shop.example")))
      ],
      { concurrency: 2 }
    )
    const [claimed, ...others] = claims.flatMap((_) => (Exit.isSuccess(_) ? [_.value] : []))
    assert.isEmpty(others)

    yield* publishes("shop.example", claimed?.domain?.challenge.value ?? "")
    const [entry] = [...(yield* (yield* Exposures).list(acme)), ...(yield* (yield* Exposures).list(globex))]
    const proofs = yield* Effect.all(
      [1, 2, 3].map(() => verifyExposure(entry?.project_id ?? "", entry?.exposure_id ?? "")),
      { concurrency: "unbounded" }
    )
    assert.isTrue(proofs.every((_) => _.domain?.state === "verified"))
    assert.include(yield* servedNames, "shop.example")
  }).pipe(Effect.provide(OnPostgres))
)
