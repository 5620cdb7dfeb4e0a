import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Layer } from "effect"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { commandLine } from "../harness/commandLine.ts"
import { atTerminal, widest } from "./started.ts"

const asAcme = Effect.gen(function* () {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  return { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[1] }
})

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })("portico quotas", (it) => {
  it.effect("draws the use of each limit, at both widths, and leaves data as it is", () =>
    Effect.gen(function* () {
      const env = yield* asAcme
      const { call } = yield* TestGateway
      const made = yield* call("customer", "POST", "/v1/iaas/volume/volumes", {
        token: env.PORTICO_TOKEN,
        body: { volume: { size: 10 } }
      })
      assert.strictEqual(made.status, 202, made.text)
      const wide = yield* atTerminal(["quotas"], { columns: 100, env })
      const narrow = yield* atTerminal(["quotas"], { columns: 40, env })
      assert.match(wide.stdout, /^Project \w{32}\nTier discovery\n\nCompute\n cores /)
      assert.include(wide.stdout, ` volume storage  ███▊${"░".repeat(26)}  10 of 80 GiB   13 %\n`)
      assert.include(wide.stdout, ` NAT gateways    ${"█".repeat(30)}        1 of 1  100 %\n`)
      assert.match(wide.stdout, /\n workers {44}at most 3\n/)
      assert.include(narrow.stdout, " volume storage  █▏░░░░░░░  10 of 80 GiB\n")
      assert.isAtMost(widest(wide.stdout), 100)
      assert.isAtMost(widest(narrow.stdout), 40)
      const data = yield* commandLine(["quotas"], { env })
      assert.deepInclude(JSON.parse(data.stdout).block_storage.gigabytes, { used: 10, source: "cinder" })
    })
  )

  it.effect('shows "not known" for a service that does not answer', () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const as = { status: 503 }
      yield* cloud.fault({ service: "octavia", method: "GET", path: "**", times: "always", when: "before", as })
      const { exit, stdout } = yield* atTerminal(["quotas"], { columns: 100, env: yield* asAcme })
      yield* cloud.clearFaults
      assert.strictEqual(exit, 0)
      const unknown = /\n load balancers +unknown of 0\n {3}The service did not answer; ask again later\.\n NAT/
      assert.match(stdout, unknown)
      assert.lengthOf(stdout.split("did not answer"), 2)
    })
  )

  it.effect("of another project is refused to all but administrators", () =>
    Effect.gen(function* () {
      const { exit, stderr, stdout } = yield* commandLine(["quotas", "--project", "any"], { env: yield* asAcme })
      assert.deepStrictEqual([exit, stdout], [1, ""])
      assert.notStrictEqual(stderr, "")
    })
  )
})
