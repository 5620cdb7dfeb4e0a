import { NodeFileSystem } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { seed } from "@portico/simulator/Seed"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, FileSystem, Layer } from "effect"
import { readFileSync } from "node:fs"

const Here = Layer.merge(SimulatedCloud.layerMemory, NodeFileSystem.layer)

/** Fills the cloud of the context from a file with this content. */
const filledWith = Effect.fnUntraced(function* (content: unknown) {
  const files = yield* FileSystem.FileSystem
  const file = yield* files.makeTempFileScoped()
  yield* files.writeFileString(file, typeof content === "string" ? content : JSON.stringify(content))
  yield* Effect.mapError(seed(file), (_) => _.message.replace(file, "FILE"))
})

const project = {
  service: "keystone",
  method: "POST",
  path: "/v3/projects",
  body: { project: { name: "acme" } },
  keep: { acme: "project.id" }
}
const network = {
  service: "neutron",
  method: "POST",
  path: "/v2.0/networks",
  body: { network: { name: "web", project_id: "${acme}" } }
}
const namespace = {
  service: "kubernetes",
  method: "POST",
  path: "/api/v1/namespaces",
  body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }
}
const person = {
  service: "zitadel",
  method: "POST",
  path: "/management/v1/users/machine",
  body: { userName: "ci", name: "ci" }
}
const fault = {
  service: "neutron",
  method: "POST",
  path: "/v2.0/routers",
  when: "before",
  as: { status: 503 }
} as const
const delegation = { name: "example.org.", type: "NS", records: ["ns1.dns.simulated."] }

it.effect("a seed creates resources in several systems, names them, and sets records and faults", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* filledWith({ calls: [project, network, namespace, person], dns: [delegation], faults: [fault] })
    const { keystone, neutron } = cloud.world
    const [acme] = Object.values(keystone.projects).filter((_) => _.name === "acme")
    const [web] = Object.values(neutron.networks).filter((_) => _.name === "web")
    assert.isDefined(acme)
    assert.strictEqual(web?.project_id, acme?.id)
    const state = yield* cloud.state
    assert.include(JSON.stringify(state["kubernetes.namespaces"] ?? state), '"team"')
    assert.include(JSON.stringify(state["zitadel.users"]), '"ci"')
    assert.include(JSON.stringify(cloud.world.dns), "ns1.dns.simulated.")
    assert.deepInclude((yield* cloud.faults)[0], fault)
    assert.deepStrictEqual(yield* cloud.calls, [], "the first caller is the first in the log")
  }).pipe(Effect.scoped, Effect.provide(Here))
)

it.effect("the documented seed is valid", () =>
  Effect.gen(function* () {
    const page = readFileSync(new URL("../../../docs/developers/simulator.md", import.meta.url), "utf8")
    const [, content = ""] = /### A seed.*?^```json\n(.*?)^```$/ms.exec(page) ?? []
    yield* filledWith(content)
    const { neutron } = (yield* SimulatedCloud).world
    assert.include(
      Object.values(neutron.networks).map((_) => _.name),
      "web"
    )
  }).pipe(Effect.scoped, Effect.provide(Here))
)

it.effect.each([
  { seed: "{", words: "Expected a valid JSON string" },
  { seed: { networks: [] }, words: 'Expected no excess property\n  at ["networks"]' },
  {
    seed: { calls: [{ ...network, path: "v2.0" }] },
    words: 'Expected a path below the mount\n  at ["calls"][0]["path"]'
  },
  {
    seed: { calls: [network] },
    words: "call 1, neutron POST /v2.0/networks: no call before it keeps 'acme'"
  },
  {
    seed: { calls: [project, project] },
    words: "call 2, keystone POST /v3/projects: it is answered 409: "
  },
  {
    seed: { calls: [{ ...project, keep: { acme: "project.uuid" } }] },
    words: "call 1, keystone POST /v3/projects: its answer has no 'project.uuid': "
  },
  { seed: { faults: [{ ...fault, when: "during" }] }, words: 'Expected "before" | "after"\n  at ["faults"][0]["when"]' }
])("an unusable seed is refused with the reason: $words", ({ seed, words }) =>
  Effect.gen(function* () {
    const message = yield* Effect.flip(filledWith(seed))
    assert.include(message, `The seed FILE cannot be used: ${words}`)
  }).pipe(Effect.scoped, Effect.provide(Here))
)

it.effect("a missing seed is reported", () =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(seed("/nowhere/seed.json"))
    assert.strictEqual(message, "The seed /nowhere/seed.json cannot be used: there is no such file")
  }).pipe(Effect.provide(Here))
)
