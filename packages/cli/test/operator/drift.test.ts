import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect } from "effect"
import { operator, tenant } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { type Around, commandLine } from "../harness/commandLine.ts"

const drift = Effect.fnUntraced(function* (args: ReadonlyArray<string> = [], around: Around = {}) {
  const { url } = yield* TestGateway
  const env = { PORTICO_URL: url.operator, PORTICO_TOKEN: operator }
  return yield* commandLine(["drift", ...args], { ...around, env })
})

/** Changes the cores of a tenant by hand, as a person at the platform would. */
const changeCores = Effect.fnUntraced(function* (projectId: string, cores: number) {
  const { call } = yield* TestGateway
  const path = `/v1/iaas/compute/os-quota-sets/${projectId}`
  const body = { quota_set: { cores } }
  assert.strictEqual((yield* call("operator", "PUT", path, { token: operator, body })).status, 200)
})

const table = ["--output", "table"]

layer(TestGateway.layer, { excludeTestServices: true })("drift", (it) => {
  it.effect("finds nothing without drift", () =>
    Effect.gen(function* () {
      yield* tenant("Acme")
      const { exit, stdout } = yield* drift([...table, "--exit-code"])
      assert.deepStrictEqual([exit, stdout], [0, "1 tenant: none drifted.\n"])
    })
  )

  it.effect("names each difference, and the command that repairs it", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { projectId } = yield* tenant("Globex")
      yield* changeCores(projectId, 99)
      const { exit, stdout } = yield* drift(table)
      assert.strictEqual(exit, 0)
      assert.include(
        stdout,
        `Globex (${projectId}), tier discovery\n  drifted: not as the tier has it\n    compute  cores  99, wanted 8\n`
      )
      assert.include(stdout, `portico drift repair ${projectId}\n`)
      assert.notInclude(stdout, "Acme")
      assert.include(stdout, "2 tenants: 1 drifted.\n")
      const coded = yield* drift(["--exit-code"])
      assert.deepStrictEqual([coded.exit, JSON.parse(coded.stdout).length], [1, 2])
      assert.include(coded.stderr, "1 tenant has drifted.\n")
      const one = yield* drift(["--project-id", projectId, "--output", "name"])
      assert.strictEqual(one.stdout, `${projectId}\n`)
      assert.strictEqual(
        (yield* call("operator", "POST", `/v1/tenants/${projectId}/repair`, { token: operator })).status,
        200
      )
      assert.strictEqual((yield* drift(["--exit-code"])).exit, 0)
    })
  )

  it.effect("reports an unreadable service apart from drift", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const rule = yield* cloud.fault({
        service: "cinder",
        method: "GET",
        path: "/**",
        times: "always",
        when: "before",
        as: { status: 503 }
      })
      const { exit, stdout } = yield* drift([...table, "--exit-code", "--limit", "1"])
      yield* cloud.removeFault(rule.id)
      assert.strictEqual(exit, 5)
      assert.match(stdout, /unreadable: the service could not be read\n {4}block storage {2}quotas {2}cinder /)
      assert.include(stdout, "1 tenant: none drifted, 1 could not be read completely.\n")
    })
  )

  it.effect("says how to complete a move that stopped halfway", () =>
    Effect.gen(function* () {
      const { tenants } = yield* Memory
      const { projectId } = yield* tenant("Half")
      const entry = tenants.get(projectId)
      if (entry === undefined) return assert.fail("no tenant")
      tenants.set(projectId, { ...entry, pending_tier: "standard" })
      const { stdout } = yield* drift([...table, "--project-id", projectId])
      assert.include(stdout, `portico tenants move-tier ${projectId} --tier standard\n`)
    })
  )
})
