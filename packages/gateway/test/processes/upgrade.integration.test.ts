import { migrations } from "@portico/store/migrations"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { restore } from "../../../store/test/dumps/dump.ts"
import { programOf } from "./bundles.ts"
import { repository } from "./children.ts"
import { fleetOf, lightLoad } from "./fleet.ts"
import { type Gateway, story, tenantOf } from "./harness.ts"

const settings = { RATE_LIMIT: "false" }

const dumps = join(repository, "packages/store/test/dumps")

/** The database of the release before, with rows in every table. */
const released = readFileSync(
  join(
    dumps,
    readdirSync(dumps)
      .filter((_) => _.endsWith(".dump.sql"))
      .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
      .at(-1) ?? ""
  ),
  "utf8"
)

const newest = Object.keys(migrations).length

const applied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [{ latest = 0 } = {}] = yield* sql<{ readonly latest: number }>`
    SELECT max(migration_id) AS latest FROM portico_migrations`
  return latest
})

story("a schema is upgraded and the release rolled back, replica by replica, without a failed call", () =>
  Effect.gen(function* () {
    yield* restore(released)
    const earlier = yield* programOf("earlier")
    const fleet = yield* fleetOf(settings, earlier)
    assert.strictEqual(yield* applied, newest - 1)
    const [first] = fleet.members()
    const { token } = yield* tenantOf(first!, "Acme GmbH")

    const load = yield* lightLoad(fleet, [
      { name: "whoami", call: (_) => _.whoami(token) },
      { name: "servers", call: (_) => _.customer(token, "GET", "/v1/iaas/compute/servers") },
      { name: "tenants", call: (_) => _.tenants },
      // What one replica writes the other one reads and removes.
      {
        name: "mint and revoke",
        call: (_, other) =>
          Effect.flatMap(_.mint(token, "short-lived", 0), (made) =>
            made.status >= 400 ? Effect.succeed(made) : other.revoke(token, made.body.credential_id ?? "")
          )
      },
      { name: "audit", call: (_) => _.customer(token, "GET", "/v1/audit?limit=5") }
    ])
    yield* load.isFine("the earlier release")

    yield* fleet.roll(settings)
    assert.strictEqual(yield* applied, newest)
    yield* load.isFine("this release")
    yield* onboardsAt(fleet.members()[0]!)

    // The schema stays: the earlier release works with it.
    yield* fleet.roll(settings, earlier)
    assert.strictEqual(yield* applied, newest)
    yield* load.isFine("the earlier release again")
    yield* onboardsAt(fleet.members()[0]!)
  })
)

const onboardsAt = Effect.fnUntraced(function* (gateway: Gateway) {
  assert.strictEqual((yield* gateway.onboard(`Tenant ${randomUUID().slice(0, 8)}`)).status, 201)
})
