import { assert, layer } from "@effect/vitest"
import { relayBilling } from "@portico/domain/money/relay"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { until } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { commandLine } from "../harness/commandLine.ts"
import { atTerminal, widest } from "./started.ts"

const settings = Effect.map(Server, ({ url }) => gatewaySettings(url))
const Metered = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(settings)),
  Layer.provideMerge(TestGateway.cloud)
)
const Moneyless = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(Effect.map(settings, (_) => ({ ..._, BILLING_URL: "" })))),
  Layer.provideMerge(TestGateway.cloud)
)

const live = { excludeTestServices: true }

const as = Effect.fnUntraced(function* (token: string) {
  return { PORTICO_URL: (yield* TestGateway).url.customer, PORTICO_TOKEN: token }
})

/** What depends on the day on which the test runs. */
const amountless = (text: string): string =>
  text
    .replaceAll(/€[\d.,]+\d/g, "€N")
    .replaceAll(/\d+ %/g, (_) => (_ === "100 %" ? _ : "N %"))
    .replaceAll(/\d{4}-\d\d/g, "MONTH")
    .replace(/[▁▂▃▄▅▆▇█]{3,4}(?= MONTH)/, "SPARK")

/** Acme has a volume, as if for the days until now, and a budget that the volume reached. */
const spent = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  const { world } = yield* SimulatedCloud
  const token = acme.tokens[1]
  yield* call("customer", "POST", "/v1/iaas/volume/volumes", { token, body: { volume: { size: 10 } } })
  const rows = Effect.map(call("customer", "GET", "/v1/cost/breakdown", { token }), (_) => jsonOf(_).rows)
  yield* until(
    Effect.andThen(
      relayBilling,
      Effect.map(rows, (_) => _.length > 0)
    )
  )
  for (const [id, event] of Object.entries(world.billing.events)) {
    world.billing.events[id] = { ...event, at: event.at - 70 * 86_400_000, size_gb: 10_000 }
  }
  yield* call("customer", "POST", "/v1/budgets", { token, body: { amount_cents: 1 } })
  yield* call("customer", "POST", "/v1/budgets", { token, body: { amount_cents: 100_000_000 } })
})

layer(Metered, live)("portico costs", (it) => {
  it.effect("draws what the month costs, with forecast, past months and budgets", () =>
    Effect.gen(function* () {
      yield* spent
      const { acme } = yield* Cast
      const env = yield* as(acme.tokens[0])
      const wide = yield* atTerminal(["costs"], { columns: 100, env })
      const narrow = yield* atTerminal(["costs", "--group-by", "line"], { columns: 40, env })
      const past = yield* atTerminal(["costs", "--period", "2026-01"], { columns: 100, env })
      const span = yield* atTerminal(["costs", "--start", "2026-01-01", "--end", "2026-01-15"], { columns: 100, env })
      assert.strictEqual(
        amountless(wide.stdout),
        [
          "Acme, MONTH until now: €N",
          "Forecast of the whole month: €N",
          "",
          ` block-storage  ${"█".repeat(30)}  €N  100 %`,
          "",
          "Months: SPARK MONTH to MONTH, €N at most",
          "",
          "Budget of €N a month: N %, reached",
          ` ${"█".repeat(30)}`,
          "Budget of €N a month: N %",
          ` ▏${"░".repeat(29)}`,
          ""
        ].join("\n")
      )
      assert.match(narrow.stdout, /\n block-storage\.st\S*  ██+  €[\d.,]+\n/)
      assert.match(past.stdout, /^Acme, 2026-01: €0\.00\n\nNothing has cost anything\.\n/)
      assert.match(span.stdout, /^Acme, 2026-01-01 to 2026-01-15: €0\.00\n/)
      assert.isAtMost(widest(wide.stdout), 100)
      assert.isAtMost(widest(narrow.stdout), 40)
    })
  )

  it.effect("prints the API's answer as data, and the requested span", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const env = yield* as(acme.tokens[0])
      const { stdout } = yield* commandLine(["costs"], { env })
      assert.hasAllKeys(JSON.parse(stdout), ["breakdown", "forecast", "budgets", "months"])
      const past = yield* commandLine(["costs", "--period", "2026-01"], { env })
      assert.isNull(JSON.parse(past.stdout).forecast)
      const half = yield* commandLine(["costs", "--start", "2026-01-01"], { env })
      assert.deepStrictEqual([half.exit, half.stdout], [2, ""])
      const wrong = yield* commandLine(["costs", "--period", "January"], { env })
      assert.strictEqual(wrong.exit, 1)
    })
  )

  it.effect("is refused with advice to a member without billing access", () =>
    Effect.gen(function* () {
      const { customerAdmin } = yield* Cast
      const { exit, stderr, stdout } = yield* commandLine(["costs"], { env: yield* as(customerAdmin) })
      assert.deepStrictEqual([exit, stdout], [1, ""])
      assert.match(
        stderr,
        /^You may not see what this account costs \(billing_access_required, request \w{32}\)\.\nAn owner of the account grants it: portico org-users set-billing <your user id> --billing-access\n$/
      )
    })
  )
})

layer(Moneyless, live)("portico costs on a cloud without a billing service", (it) => {
  it.effect("reports that", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { exit, stderr } = yield* commandLine(["costs"], { env: yield* as(acme.tokens[0]) })
      assert.strictEqual(exit, 4)
      assert.match(stderr, /^This cloud has no billing service \(service_not_found, request \w{32}\)\.\n$/)
    })
  )
})
