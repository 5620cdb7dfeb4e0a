import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { ask, tenantToken } from "./ask.ts"

/** As the stock services answer at their roots. */
const rows = [
  ["compute", 200, 2, { id: "v2.1", status: "CURRENT", version: "2.101", min_version: "2.1" }, "v2.1/"],
  ["volume", 300, 1, { id: "v3.0", status: "CURRENT", version: "3.71", min_version: "3.0" }, "v3/"],
  ["network", 200, 1, { id: "v2.0", status: "CURRENT" }, "v2.0/"],
  ["image", 300, 15, { id: "v2.15", status: "CURRENT" }, "v2/"],
  ["load-balancer", 200, 27, { id: "v2.26", status: "CURRENT" }, "v2"]
] as const

for (const [mount, status, count, current, at] of rows) {
  it.effect(`${mount} answers its versions to any caller, at the requested host`, () =>
    Effect.gen(function* () {
      const answer = yield* ask("GET", `/${mount}/`)
      const { versions } = answer.json
      assert.deepStrictEqual([answer.status, versions.length], [status, count])
      const found = versions.find((_: { readonly id: string }) => _.id === current.id)
      assert.deepInclude(found, current)
      const described = { rel: "describedby", type: "text/html", href: "https://docs.openstack.org/" }
      assert.deepStrictEqual(found.links, [
        ...(mount === "volume" ? [described] : []),
        { rel: "self", href: `http://cloud.simulated/${mount}/${at}` }
      ])
    }).pipe(Effect.provide(SimulatedCloud.layerMemory))
  )
}

it.effect("the newest version that compute and volume advertise is the newest accepted", () =>
  Effect.gen(function* () {
    const { projectId, token } = yield* tenantToken("acme")
    const services = [
      ["compute", "/compute/v2.1/flavors"],
      ["volume", `/volume/v3/${projectId}/volumes`]
    ] as const
    for (const [service, path] of services) {
      const { versions } = (yield* ask("GET", `/${service}/`)).json
      const { version } = versions.find((_: { readonly status: string }) => _.status === "CURRENT")
      const [major = "", minor = ""] = version.split(".")
      const asked = (newest: string) =>
        ask("GET", path, { token, headers: { "openstack-api-version": `${service} ${newest}` } })
      assert.strictEqual((yield* asked(version)).status, 200, version)
      const newer = yield* asked(`${major}.${Number(minor) + 1}`)
      assert.strictEqual(newer.status, 406)
      assert.include(newer.body, `maximum is ${version}.`)
      assert.strictEqual((yield* asked("latest")).headers["openstack-api-version"], `${service} ${version}`)
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
