import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { ask } from "./ask.ts"

/** As the stock services of the release Zed answer at their roots. */
const rows = [
  ["compute", 200, 2, { id: "v2.1", status: "CURRENT", version: "2.93", min_version: "2.1" }, "v2.1/"],
  ["volume", 300, 1, { id: "v3.0", status: "CURRENT", version: "3.70", min_version: "3.0" }, "v3/"],
  ["network", 200, 1, { id: "v2.0", status: "CURRENT" }, "v2.0/"],
  ["image", 300, 15, { id: "v2.15", status: "CURRENT" }, "v2/"],
  ["load-balancer", 200, 27, { id: "v2.26", status: "CURRENT" }, "v2"]
] as const

for (const [mount, status, count, current, at] of rows) {
  it.effect(`${mount} tells everybody of its versions, at the host that was asked`, () =>
    Effect.gen(function* () {
      const answer = yield* ask("GET", `/${mount}/`)
      const { versions } = answer.json
      assert.deepStrictEqual([answer.status, versions.length], [status, count])
      const found = versions.find((_: { readonly id: string }) => _.id === current.id)
      assert.deepInclude(found, current)
      assert.deepStrictEqual(found.links, [{ rel: "self", href: `http://cloud.simulated/${mount}/${at}` }])
    }).pipe(Effect.provide(SimulatedCloud.layerMemory))
  )
}
