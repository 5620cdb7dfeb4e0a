import { assert, describe, it } from "@effect/vitest"
import type { Caller } from "@portico/contract/Access"
import { showBreakdown, showForecast } from "@portico/domain/money/cost"
import { listInvoices } from "@portico/domain/money/invoices"
import { listBudgets } from "@portico/domain/money/budgets"
import { relayBilling } from "@portico/domain/money/relay"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import type { Tenants } from "@portico/store/Tenants"
import { Billing } from "@portico/upstream/billing/Billing"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { administrator, callerOf } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"
import { faultsOf, titleOf, under } from "@portico/testing/faults/calls"
import { goTo, happens, Jobs, Whole } from "./money.ts"
import { tenantOf } from "@portico/testing/tenants/tenant"

const story = <E>(title: string, test: () => Effect.Effect<void, E, Layer.Success<typeof Jobs>>) =>
  it.effect(title, () => Effect.provide(test(), Jobs))

/** A server and a volume of the project, from that moment on. */
const something = Effect.fnUntraced(function* (project: string) {
  yield* happens(
    { kind: "server.create", id: `s-${project}`, project, detail: { flavor: "m1.large" } },
    { kind: "volume.create", id: `v-${project}`, project, detail: { size_gb: 100 } }
  )
  yield* inTime(relayBilling)
})

const day = 86_400

const page = { limit: 100, after: undefined }
const byService = { group_by: "service" } as const

/** A story with tenants that were onboarded. */
const tenantStory = <E>(title: string, test: () => Effect.Effect<void, E, Layer.Success<typeof Whole>>) =>
  it.effect(title, () => Effect.provide(test(), Whole))

/** What somebody is told, whatever the question. */
interface Refused {
  readonly _tag: string
  readonly code: string
  readonly detail: unknown
}

describe("the cost breakdown", () => {
  story("is the present month's, by service, by default", () =>
    Effect.gen(function* () {
      yield* goTo("2026-01-10T00:00:00Z")
      yield* something("acme")
      yield* something("globex")
      yield* goTo("2026-01-11T00:00:00Z")
      assert.deepStrictEqual(yield* inTime(showBreakdown(callerOf("acme"), byService)), {
        currency: "EUR",
        group_by: "service",
        period: { start: "2026-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000Z" },
        project_id: "acme",
        tenant_name: "",
        total_cents: 346 + 26,
        total_eur: 3.72,
        count: 2,
        rows: [
          {
            service: "compute",
            unit: "second",
            quantity: String(day),
            amount_cents: 346,
            amount_eur: 3.46,
            currency: "EUR"
          },
          {
            service: "block-storage",
            unit: "GiB-second",
            quantity: String(100 * day),
            amount_cents: 26,
            amount_eur: 0.26,
            currency: "EUR"
          }
        ]
      })
    })
  )

  story("is of a month or a span, by days or times", () =>
    Effect.gen(function* () {
      yield* goTo("2026-01-10T00:00:00Z")
      yield* something("acme")
      yield* goTo("2026-03-10T00:00:00Z")
      const seconds = Effect.fnUntraced(function* (query: object) {
        const found = yield* inTime(showBreakdown(callerOf("acme"), { group_by: "line", ...query }))
        return [found.period.start, found.period.end, ...found.rows.map((_) => `${_.service} ${_.quantity}`)]
      })
      assert.deepStrictEqual(yield* seconds({ period: "2026-02" }), [
        "2026-02-01T00:00:00.000Z",
        "2026-03-01T00:00:00.000Z",
        `compute.m1.large ${28 * day}`,
        `block-storage.standard ${2800 * day}`
      ])
      assert.deepStrictEqual(yield* seconds({ start: "2026-01-09", end: "2026-01-10T00:00:02Z" }), [
        "2026-01-09T00:00:00.000Z",
        "2026-01-10T00:00:02.000Z",
        "compute.m1.large 2",
        "block-storage.standard 200"
      ])
      assert.lengthOf(yield* seconds({ period: "2025-12" }), 2)
      assert.lengthOf(yield* seconds({ period: "2026-04" }), 2)
    })
  )

  story("refuses an invalid span", () =>
    Effect.gen(function* () {
      for (const query of [
        { period: "2026-01", start: "2026-01-01", end: "2026-02-01" },
        { period: "2026-01", end: "2026-02-01" },
        { start: "2026-01-01" },
        { end: "2026-01-01" },
        { start: "2026-01-01", end: "2026-01-01" },
        { start: "2026-01-02", end: "2026-01-01" }
      ]) {
        const refused = yield* Effect.flip(showBreakdown(callerOf("acme"), { ...byService, ...query }))
        assert.strictEqual(
          `${refused._tag} ${refused.code}`,
          "Unprocessable cost_period_refused",
          JSON.stringify(query)
        )
      }
    })
  )

  story("passes on the billing service's message of a refusal", () =>
    Effect.gen(function* () {
      const query = { ...byService, start: "2000-01-01", end: "2026-01-01" }
      const refused = yield* Effect.flip(inTime(showBreakdown(callerOf("acme"), query)))
      assert.deepStrictEqual(
        [refused._tag, refused.code, refused.detail],
        ["Unprocessable", "billing_refused", "A span may have ten years at most"]
      )
    })
  )
})

describe("the forecast", () => {
  story("extrapolates the present month", () =>
    Effect.gen(function* () {
      yield* goTo("2026-02-01T00:00:00Z")
      yield* something("acme")
      yield* goTo("2026-02-08T00:00:00.700Z")
      const found = yield* inTime(showForecast(callerOf("acme"), undefined))
      assert.deepInclude(found, {
        project_id: "acme",
        tenant_name: "",
        elapsed_seconds: 7 * day,
        month_to_date_cents: 2419 + 181,
        forecast_cents: 4 * (2419 + 181)
      })
    })
  )

  story("is zero at the start of a month, despite earlier costs", () =>
    Effect.gen(function* () {
      yield* goTo("2026-01-10T00:00:00Z")
      yield* something("acme")
      yield* goTo("2026-02-01T00:00:00.300Z")
      const found = yield* inTime(showForecast(callerOf("acme"), undefined))
      assert.deepInclude(found, { elapsed_seconds: 0, month_to_date_cents: 0, forecast_cents: 0 })
    })
  )
})

/** Every question about money, as somebody asks it. */
const questions = (
  caller: Caller,
  project: string | undefined,
  plane: "customer" | "operator" = "customer"
): ReadonlyArray<readonly [what: string, question: Effect.Effect<unknown, Refused, Billing | Tenants>]> => [
  ["breakdown", showBreakdown(caller, { ...byService, ...(project === undefined ? {} : { project }) })],
  ["forecast", showForecast(caller, project)],
  ["budgets", listBudgets(caller, plane, project, page)],
  ["invoices", listInvoices(caller, plane, project, page)]
]

describe("the project of costs", () => {
  tenantStory("cannot be named by a tenant, whether or not it exists", () =>
    Effect.gen(function* () {
      const acme = yield* tenantOf("discovery", "Acme")
      for (const project of [acme, "globex", ""]) {
        for (const [what, question] of questions(callerOf(acme), project)) {
          assert.strictEqual((yield* Effect.flip(question)).code, "project_override_refused", what)
        }
      }
    })
  )

  tenantStory("must be named by an administrator, who has no costs", () =>
    Effect.gen(function* () {
      const acme = yield* tenantOf("discovery", "Acme")
      yield* something(acme)
      yield* TestClock.adjust("1 hour")
      for (const [what, question] of questions(administrator, undefined)) {
        assert.strictEqual((yield* Effect.flip(question)).code, "tenant_required", what)
      }
      for (const [what, question] of questions(administrator, "nobody")) {
        assert.strictEqual((yield* Effect.flip(question)).code, "tenant_not_found", what)
      }
      const found = yield* inTime(showBreakdown(administrator, { ...byService, project: acme }))
      assert.deepInclude(found, { project_id: acme, tenant_name: "Acme", count: 2 })
      assert.strictEqual((yield* inTime(listInvoices(administrator, "customer", acme, page))).count, 1)
    })
  )

  tenantStory("may be omitted for lists of an administrator on the operator plane alone", () =>
    Effect.gen(function* () {
      const acme = yield* tenantOf("discovery", "Acme")
      yield* something(acme)
      yield* something("gone")
      yield* TestClock.adjust("1 hour")
      const { count, invoices } = yield* inTime(listInvoices(administrator, "operator", undefined, page))
      assert.strictEqual(count, 2)
      assert.sameDeepMembers(
        invoices.map((_) => [_.project_id, _.tenant_name]),
        [
          [acme, "Acme"],
          ["gone", ""]
        ]
      )
      assert.strictEqual((yield* inTime(listInvoices(administrator, "operator", acme, page))).count, 1)
    })
  )
})

describe("invoices", () => {
  story("come in pages, oldest first, with the number of all", () =>
    Effect.gen(function* () {
      yield* goTo("2026-01-10T00:00:00Z")
      yield* something("acme")
      yield* goTo("2026-05-10T00:00:00Z")
      const first = yield* inTime(listInvoices(callerOf("acme"), "customer", undefined, { ...page, limit: 3 }))
      assert.strictEqual(first.count, 5)
      assert.lengthOf(first.invoices, 3)
      assert.isNotNull(first.next_cursor)
      const last = first.invoices[2]
      const after = { at: Date.parse(last?.created_at ?? ""), id: last?.invoice_id ?? "" }
      const second = yield* inTime(listInvoices(callerOf("acme"), "customer", undefined, { limit: 3, after }))
      assert.deepStrictEqual(
        [...first.invoices, ...second.invoices].map((_) => [_.period_start.slice(0, 7), _.status]),
        [
          ["2026-01", "finalized"],
          ["2026-02", "finalized"],
          ["2026-03", "finalized"],
          ["2026-04", "finalized"],
          ["2026-05", "draft"]
        ]
      )
      assert.isNull(second.next_cursor)
      assert.deepStrictEqual(second.invoices[1]?.lines[0], {
        key: "compute.m1.large",
        description: "Servers, m1.large",
        quantity: String(9 * day),
        unit: "second",
        unit_price_eur: "0.00004",
        amount_cents: 3110,
        amount_eur: 31.1
      })
    })
  )

  story("have the totals of their month's breakdown", () =>
    Effect.gen(function* () {
      yield* goTo("2026-01-10T00:00:01.234Z")
      yield* something("acme")
      yield* goTo("2026-03-10T12:34:56.789Z")
      const { invoices } = yield* inTime(listInvoices(callerOf("acme"), "customer", undefined, page))
      for (const { period_start, total_cents } of invoices) {
        for (const group_by of ["service", "line"] as const) {
          const period = period_start.slice(0, 7)
          const cost = yield* inTime(showBreakdown(callerOf("acme"), { group_by, period }))
          assert.deepStrictEqual([period, cost.total_cents], [period, total_cents])
        }
      }
    })
  )
})

describe("the billing service", () => {
  story("is a 404 when the cloud has none", () =>
    Effect.forEach(
      questions(callerOf("acme"), undefined),
      ([what, question]) =>
        Effect.map(Effect.flip(question), (_) =>
          assert.deepStrictEqual([_.code, _.detail], ["service_not_found", "No platform service at 'billing'"], what)
        ),
      { discard: true }
    ).pipe(Effect.provideService(Billing, Billing.of({ api: undefined })))
  )

  const paths = {
    breakdown: "/v1/cost/breakdown",
    forecast: "/v1/cost/month-to-date",
    budgets: "/v1/budgets",
    invoices: "/v1/invoices"
  }
  for (const [what, path] of Object.entries(paths)) {
    for (const fault of faultsOf({ service: "billing", method: "GET", path, nth: 1 })) {
      story(`is retried where that may help: ${titleOf(fault)}`, () =>
        Effect.gen(function* () {
          yield* something("acme")
          const question = questions(callerOf("acme"), undefined).find(([name]) => name === what)?.[1]
          if (question === undefined) return assert.fail(what)
          const outcome = yield* Effect.match(under(fault, inTime(question)), {
            onSuccess: () => "answered",
            onFailure: (_) => _.code
          })
          const status = typeof fault.as === "object" && "status" in fault.as ? fault.as.status : undefined
          const lasting = status === 409 ? "billing_conflict" : "upstream_failed"
          const helps = fault.as !== "garbage" && (status === undefined || status >= 500)
          assert.strictEqual(outcome, helps ? "answered" : lasting)
        })
      )
    }
  }

  for (const [what, body] of Object.entries({
    nothing: {},
    "another tenant's rows": { project_id: "globex", currency: "EUR", total_cents: 0, rows: [] },
    "another currency": { project_id: "acme", currency: "USD", total_cents: 0, rows: [] },
    "parts of cents": { project_id: "acme", currency: "EUR", total_cents: 0.5, rows: [] },
    "less than nothing": { project_id: "acme", currency: "EUR", total_cents: -1, rows: [] },
    "a total that is not the rows'": { project_id: "acme", currency: "EUR", total_cents: 1, rows: [] },
    "a quantity that is not a decimal": {
      project_id: "acme",
      currency: "EUR",
      total_cents: 0,
      rows: [{ service: "s", unit: "u", quantity: "1e3", amount_cents: 0 }]
    }
  })) {
    story(`is a 502 when it answers with ${what}`, () =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        yield* cloud.fault({
          service: "billing",
          method: "GET",
          path: "**",
          times: "always",
          when: "after",
          as: { status: 200, body }
        })
        const failed = yield* Effect.flip(inTime(showBreakdown(callerOf("acme"), byService)))
        assert.deepStrictEqual([failed._tag, failed.code], ["BadGateway", "upstream_failed"])
      })
    )
  }

  story("is a 502 with a message when it cannot be reached", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "billing",
        method: "GET",
        path: "**",
        times: "always",
        when: "before",
        as: "reset"
      })
      for (const [what, question] of questions(callerOf("acme"), undefined)) {
        const failed = yield* Effect.flip(inTime(question))
        assert.strictEqual(failed._tag, "BadGateway", what)
        assert.match(String(failed.detail), /^billing [\w ]+: no answer: the connection failed or broke off$/)
      }
    })
  )
})
