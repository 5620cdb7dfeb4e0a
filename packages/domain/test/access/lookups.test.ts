import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"

const source = new URL("../../src/", import.meta.url)

/**
 * Where the project of something that was found is compared afterwards. A look-up by an id that a tenant sent names the
 * project in its statement instead, so that another tenant's id costs what an unknown one costs.
 */
const compared: Readonly<Record<string, string>> = {
  "access/Records.ts": "records of this process that are forgotten when a project changes",
  "dns/createZone.ts": "zones of a list that Designate answers for the tenant",
  "dns/zone.ts": "Designate looks for the tenant, and finds no other's zone but one that is shared with it",
  "dns/zones.ts": "zones of a list that Designate answers for the tenant",
  "edge/exposure.ts": "objects of the cluster, in a round that no caller starts with an id",
  "edge/reconcile.ts": "objects of the cluster, in a round that no caller starts with an id",
  "edge/resync.ts": "objects of the cluster, for an administrator",
  "org/invite.ts": "found by the address, which one account in the platform may have: another's is told as such",
  "quotas/counted.ts": "zones of a list that Designate answers for the tenant"
}

it("no look-up by an id compares the tenant afterwards", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((_) => _.endsWith(".ts"))
  const found = files.filter((_) =>
    /project_id (?:!==|===) (?!undefined|null)|(?:!==|===) [\w.?]*project_id\b/.test(
      readFileSync(new URL(_, source), "utf8")
    )
  )
  assert.deepStrictEqual(found.toSorted(), Object.keys(compared).toSorted())
})
