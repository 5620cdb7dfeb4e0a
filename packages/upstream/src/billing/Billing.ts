import { Config, Context, Effect, Layer, Option, type Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { postJson, putJson } from "../requests.ts"
import { make, type System } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { baseOf } from "../webAddress.ts"
import type { InventoryType, Present } from "./Inventory.ts"
import {
  type Breach,
  Breaches,
  Breakdown,
  Budget,
  Budgets,
  Ingested,
  Invoices,
  MonthToDate,
  Reconciled
} from "./wire.ts"

/** The scope of a call: one tenant, or, for operators only, all tenants. */
export type Scope = { readonly projectId: string } | "all"

/** At most `limit` rows after that one, oldest first. */
export interface Rows {
  readonly limit: number
  /** Milliseconds since the epoch, and the id as the tie-breaker. */
  readonly after: { readonly at: number; readonly id: string } | undefined
}

/** A half-open time range, in milliseconds since the epoch. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The billing service. Amounts are in whole euro cents. `docs/operators/billing.md` describes its API. */
export interface BillingApi {
  /**
   * Adds events to the ledger, in any order. The service ignores an event whose
   * id it already has. It is sent once: the sender repeats it.
   */
  ingest(events: ReadonlyArray<Schema.JsonObject>): Effect.Effect<Ingested, UpstreamError>
  /**
   * Reconciles the ledger with all existing resources of one type. A resource
   * that is gone ends, a changed one changes from now on, and one of the
   * projects' resources that the ledger lacks begins. Repeatable.
   */
  reconcile(seen: {
    /** Milliseconds since the epoch, not later than the start of the listing. */
    readonly at: number
    readonly type: InventoryType
    readonly projects: ReadonlyArray<string>
    readonly resources: ReadonlyArray<Present>
  }): Effect.Effect<Reconciled, UpstreamError>
  /** The cost of a time range, up to now. */
  breakdown(
    projectId: string,
    options: Span & { readonly groupBy: "service" | "line" }
  ): Effect.Effect<Breakdown, UpstreamError>
  /** The cost of that moment's month, up to that moment. */
  monthToDate(projectId: string, at: number): Effect.Effect<MonthToDate, UpstreamError>
  budgets(scope: Scope, rows: Rows): Effect.Effect<Budgets, UpstreamError>
  budget(scope: Scope, id: string): Effect.Effect<Budget | undefined, UpstreamError>
  /** Creates a budget under an id that the gateway chose. Repeatable. */
  createBudget(
    budget: Pick<Budget, "budget_id" | "project_id" | "amount_cents" | "period" | "created_by">
  ): Effect.Effect<Budget, UpstreamError>
  /** Repeatable. The service remembers the id, so that a late create has no effect. */
  removeBudget(projectId: string, id: string): Effect.Effect<void, UpstreamError>
  /** Budgets of all tenants that are reached in this period and not yet marked as breached. */
  breaches(period: string, limit: number): Effect.Effect<ReadonlyArray<Breach>, UpstreamError>
  /** Marks the period of a breach. Succeeds when it is already marked, or the budget is gone. */
  markBreached(projectId: string, id: string, period: string): Effect.Effect<void, UpstreamError>
  /** Oldest first; the draft of the current month is the last one. */
  invoices(scope: Scope, rows: Rows): Effect.Effect<Invoices, UpstreamError>
}

/** The billing service. `api` is undefined in a cloud without one. */
export class Billing extends Context.Service<Billing, { readonly api: BillingApi | undefined }>()(
  "portico/upstream/billing/Billing"
) {
  static readonly layer = Layer.effect(
    Billing,
    Effect.gen(function* () {
      const url = yield* Config.option(Config.URL("BILLING_URL"))
      if (Option.isNone(url)) return Billing.of({ api: undefined })
      const token = yield* Config.Redacted("BILLING_TOKEN")
      const system = make(yield* HttpClient.HttpClient, {
        upstream: "billing",
        url: baseOf(url.value),
        authorize: (request) => Effect.succeed(HttpClientRequest.bearerToken(request, token))
      })
      return Billing.of({ api: apiOf(system) })
    })
  )
}

const apiOf = (system: System): BillingApi => ({
  ingest: (events) => system.write("ingest", postJson("/events", { events }), Ingested),
  reconcile: ({ at, projects, resources, type }) =>
    system.read(
      "reconcile",
      postJson(
        "/inventory",
        { at: isoOf(at), resource_type: type, projects, resources },
        { urlParams: { scope: "all" } }
      ),
      Reconciled
    ),
  breakdown: (projectId, { end, groupBy, start }) =>
    system
      .read(
        "breakdown",
        get("/cost/breakdown", {
          project_id: projectId,
          start: isoOf(start),
          end: isoOf(end),
          group_by: groupBy
        }),
        Breakdown
      )
      .pipe(Effect.tap((_) => onlyOf("breakdown", { projectId }, [_]))),
  monthToDate: (projectId, at) =>
    system
      .read("read month to date", get("/cost/month-to-date", { project_id: projectId, at: isoOf(at) }), MonthToDate)
      .pipe(
        Effect.tap((_) => onlyOf("read month to date", { projectId }, [_])),
        Effect.tap((_) => (_.period === isoOf(at).slice(0, 7) ? Effect.void : foreign("read month to date", "month")))
      ),
  budgets: (scope, rows) =>
    system
      .read("list budgets", get("/budgets", { ...filterOf(scope), ...pageOf(rows) }), Budgets)
      .pipe(Effect.tap((_) => onlyOf("list budgets", scope, _.budgets))),
  budget: (scope, id) =>
    system
      .find("find budget", get(budgetPath(id), filterOf(scope)), Budget)
      .pipe(Effect.tap((_) => (_ === undefined ? Effect.void : onlyOf("find budget", scope, [_])))),
  // Retried like a read: the id makes a repetition the same budget.
  createBudget: ({ budget_id, project_id, ...budget }) =>
    system
      .read(
        "create budget",
        putJson(budgetPath(budget_id), { ...budget, currency: "EUR" }, { urlParams: { project_id } }),
        Budget
      )
      .pipe(Effect.tap((_) => onlyOf("create budget", { projectId: project_id }, [_]))),
  removeBudget: (projectId, id) =>
    system.remove("remove budget", HttpClientRequest.delete(budgetPath(id), { urlParams: { project_id: projectId } })),
  breaches: (period, limit) =>
    Effect.map(
      system.read("list breaches", get("/breaches", { scope: "all", period, limit: String(limit) }), Breaches),
      (_) => _.breaches
    ),
  markBreached: (projectId, id, period) =>
    Effect.asVoid(
      system.find(
        "mark breached",
        HttpClientRequest.put(`${budgetPath(id)}/breaches/${period}`, { urlParams: { project_id: projectId } }),
        Budget
      )
    ),
  invoices: (scope, rows) =>
    system
      .read("list invoices", get("/invoices", { ...filterOf(scope), ...pageOf(rows) }), Invoices)
      .pipe(Effect.tap((_) => onlyOf("list invoices", scope, _.invoices)))
})

type Parameters = Readonly<Record<string, string>>

const get = (path: string, urlParams: Parameters) => HttpClientRequest.get(path, { urlParams })

const budgetPath = (id: string): string => `/budgets/${encodeURIComponent(id)}`

/** Every call names its scope: a missing filter never means all tenants. */
const filterOf = (scope: Scope): Parameters => (scope === "all" ? { scope: "all" } : { project_id: scope.projectId })

const pageOf = ({ after, limit }: Rows): Parameters => ({
  limit: String(limit),
  ...(after === undefined ? {} : { after_at: isoOf(after.at), after_id: after.id })
})

const isoOf = (millis: number): string => new Date(millis).toISOString()

/** Rejects rows of another tenant, regardless of how the service applies the filter. */
const onlyOf = (
  call: string,
  scope: Scope,
  rows: ReadonlyArray<{ readonly project_id: string }>
): Effect.Effect<void, UpstreamError> =>
  scope === "all" || rows.every((_) => _.project_id === scope.projectId) ? Effect.void : foreign(call, "tenant")

const foreign = (call: string, what: string) =>
  new UpstreamError({ upstream: "billing", call, status: 200, detail: `answered about another ${what}` })
