import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { Memory } from "@portico/testing/store/Memory"
import { commandLine } from "../harness/commandLine.ts"
import { atTerminal, widest } from "./started.ts"

const asAcme = Effect.gen(function* () {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  return { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[0] }
})

const publish = Effect.fnUntraced(function* (body: object) {
  const { call } = yield* TestGateway
  return String(jsonOf(yield* call("operator", "POST", "/v1/status/incidents", { token: operator, body })).incident_id)
})

const remove = Effect.fnUntraced(function* (id: string) {
  yield* (yield* TestGateway).call("operator", "DELETE", `/v1/status/incidents/${id}`, { token: operator })
})

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })("portico status", (it) => {
  it.effect("is one line when the platform is healthy", () =>
    Effect.gen(function* () {
      const { exit, stdout } = yield* atTerminal(["status", "--exit-code"], { columns: 100, env: yield* asAcme })
      assert.deepStrictEqual([exit, stdout], [0, "✓ All 9 services work.\n"])
    })
  )

  it.effect("shows degraded parts and incidents, with hostile text escaped", () =>
    Effect.gen(function* () {
      const id = yield* publish({
        title: "Slow disks",
        services: ["storage"],
        severity: "major",
        starts_at: "2026-01-31T11:40:00Z",
        message: "Volumes answer late in one of the racks.\nWe replace a switch."
      })
      const { incidents } = yield* Memory
      const row = incidents.get(id)
      if (row === undefined) return assert.fail("it is stored")
      // From before such characters were refused.
      incidents.set(id, { ...row, title: "Slow \u202edisks" })
      const env = yield* asAcme
      const wide = yield* atTerminal(["status"], { columns: 100, env })
      assert.strictEqual(wide.exit, 0)
      const lines = wide.stdout.replaceAll(/2026-01-31 \d\d:\d\d:\d\d/g, "LOCAL").split("\n")
      assert.deepStrictEqual(lines.slice(0, 4), [
        "! The platform is degraded.",
        "",
        "✓ compute         ok",
        "! storage         degraded  Partly impaired."
      ])
      assert.deepStrictEqual(lines.slice(-7), [
        "",
        "Incidents",
        "  major: Slow \\u202edisks",
        "    storage, from LOCAL",
        "    Volumes answer late in one of the racks.",
        "    We replace a switch.",
        ""
      ])
      const narrow = yield* atTerminal(["status", "--exit-code"], { columns: 40, env })
      assert.strictEqual(narrow.exit, 5)
      assert.isAtMost(widest(narrow.stdout), 40)
      const data = yield* commandLine(["status"], { env })
      assert.deepInclude(JSON.parse(data.stdout), { overall: "degraded" })
      yield* remove(id)
    })
  )
})
