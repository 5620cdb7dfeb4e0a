import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { toolsPage } from "../../../../scripts/openstack/page.ts"
import { met, rules } from "../../../../scripts/openstack/rules.ts"

it("docs/tenants/openstack-tools.md matches the rules; `npm run tempest -- page` writes it", () => {
  const page = new URL("../../../../docs/tenants/openstack-tools.md", import.meta.url)
  assert.strictEqual(readFileSync(page, "utf8"), toolsPage)
})

it("each rule has a test, and each test of a list one rule", () => {
  assert.sameMembers(
    Object.keys(met),
    rules.map((_) => _.name)
  )
  for (const { name, tests } of rules) assert.isNotEmpty([...tests], name)
  const all = rules.flatMap((_) => [..._.tests])
  assert.strictEqual(new Set(all).size, all.length)
})
