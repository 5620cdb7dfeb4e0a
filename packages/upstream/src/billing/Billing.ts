import { Config, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
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

/** Whose money a call is about: one tenant's, or, only where an operator asks, everybody's. */
export type Scope = { readonly projectId: string } | "all"

/** At most so many rows, behind that one, oldest first. */
export interface Rows {
  readonly limit: number
  /** Milliseconds since the epoch, and the id that decides between equal ones. */
  readonly after: { readonly at: number; readonly id: string } | undefined
}

/** A half-open span of time, in milliseconds since the epoch. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The billing service. Money is in whole cents of euros. `docs/operators/billing.md` has its wire. */
export interface BillingApi {
  /**
   * Adds to the ledger, in any order. What has arrived once is passed over
   * when it comes again, by the event's id. Asked once: whoever sends repeats.
   */
  ingest(events: ReadonlyArray<Schema.JsonObject>): Effect.Effect<Ingested, UpstreamError>
  /**
   * Compares the ledger with everything of one type that is there: what is gone
   * ends, what is another is so from now on, and what one of the projects has
   * without the ledger's knowledge begins. It may be repeated.
   */
  reconcile(seen: {
    /** Milliseconds since the epoch: not after the list was begun. */
    readonly at: number
    readonly type: InventoryType
    readonly projects: ReadonlyArray<string>
    readonly resources: ReadonlyArray<Present>
  }): Effect.Effect<Reconciled, UpstreamError>
  /** What a span of time cost, up to now. */
  breakdown(
    projectId: string,
    options: Span & { readonly groupBy: "service" | "line" }
  ): Effect.Effect<Breakdown, UpstreamError>
  /** What the month of that moment has cost until then. */
  monthToDate(projectId: string, at: number): Effect.Effect<MonthToDate, UpstreamError>
  budgets(scope: Scope, rows: Rows): Effect.Effect<Budgets, UpstreamError>
  budget(scope: Scope, id: string): Effect.Effect<Budget | undefined, UpstreamError>
  /** Makes a budget under an id of ours, so that it may be repeated. */
  createBudget(
    budget: Pick<Budget, "budget_id" | "project_id" | "amount_cents" | "period" | "created_by">
  ): Effect.Effect<Budget, UpstreamError>
  /** What is gone already is gone, and what was never there will never be: a create that arrives late makes nothing. */
  removeBudget(projectId: string, id: string): Effect.Effect<void, UpstreamError>
  /** Budgets of all tenants that this month has reached and that are not marked so. */
  breaches(period: string, limit: number): Effect.Effect<ReadonlyArray<Breach>, UpstreamError>
  /** Marks the month of a breach; one that is marked already, or gone, stays as it is. */
  markBreached(projectId: string, id: string, period: string): Effect.Effect<void, UpstreamError>
  /** Oldest first; the draft of the running month is the last one. */
  invoices(scope: Scope, rows: Rows): Effect.Effect<Invoices, UpstreamError>
}

/** The billing service, which a cloud may lack: then there is no `api`. */
export class Billing extends Context.Service<Billing, { readonly api: BillingApi | undefined }>()(
  "portico/upstream/billing/Billing"
) {
  static readonly layer = Layer.effect(
    Billing,
    Effect.gen(function* () {
      const url = yield* Config.option(Config.URL("BILLING_URL"))
      if (Option.isNone(url)) return Billing.of({ api: undefined })
      const token = Redacted.value(yield* Config.Redacted("BILLING_TOKEN"))
      const base = baseOf(url.value)
      const system = make(yield* HttpClient.HttpClient, {
        upstream: "billing",
        url: base,
        authorize: (request) =>
          Effect.succeed(
            request.pipe(
              HttpClientRequest.prependUrl(base),
              HttpClientRequest.acceptJson,
              HttpClientRequest.bearerToken(token)
            )
          ),
        rejected: Effect.succeed(false)
      })
      return Billing.of({ api: apiOf(system) })
    })
  )
}

const apiOf = (system: System): BillingApi => ({
  ingest: (events) => system.write("ingest", post("/events", { events }), Ingested),
  reconcile: ({ at, projects, resources, type }) =>
    system.read(
      "reconcile",
      HttpClientRequest.post("/inventory", { urlParams: { scope: "all" } }).pipe(
        HttpClientRequest.bodyJsonUnsafe({ at: isoOf(at), resource_type: type, projects, resources })
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
    system.read("monthToDate", get("/cost/month-to-date", { project_id: projectId, at: isoOf(at) }), MonthToDate).pipe(
      Effect.tap((_) => onlyOf("monthToDate", { projectId }, [_])),
      Effect.tap((_) => (_.period === isoOf(at).slice(0, 7) ? Effect.void : foreign("monthToDate", "month")))
    ),
  budgets: (scope, rows) =>
    system
      .read("listBudgets", get("/budgets", { ...filterOf(scope), ...pageOf(rows) }), Budgets)
      .pipe(Effect.tap((_) => onlyOf("listBudgets", scope, _.budgets))),
  budget: (scope, id) =>
    system
      .find("findBudget", get(budgetPath(id), filterOf(scope)), Budget)
      .pipe(Effect.tap((_) => (_ === undefined ? Effect.void : onlyOf("findBudget", scope, [_])))),
  // Not a write that is asked once: the id makes the repetition the same budget.
  createBudget: ({ budget_id, project_id, ...budget }) =>
    system
      .read(
        "createBudget",
        HttpClientRequest.put(budgetPath(budget_id), { urlParams: { project_id } }).pipe(
          HttpClientRequest.bodyJsonUnsafe({ ...budget, currency: "EUR" })
        ),
        Budget
      )
      .pipe(Effect.tap((_) => onlyOf("createBudget", { projectId: project_id }, [_]))),
  removeBudget: (projectId, id) =>
    system.remove("removeBudget", HttpClientRequest.delete(budgetPath(id), { urlParams: { project_id: projectId } })),
  breaches: (period, limit) =>
    Effect.map(
      system.read("listBreaches", get("/breaches", { scope: "all", period, limit: String(limit) }), Breaches),
      (_) => _.breaches
    ),
  markBreached: (projectId, id, period) =>
    Effect.asVoid(
      system.find(
        "markBreached",
        HttpClientRequest.put(`${budgetPath(id)}/breaches/${period}`, { urlParams: { project_id: projectId } }),
        Budget
      )
    ),
  invoices: (scope, rows) =>
    system
      .read("listInvoices", get("/invoices", { ...filterOf(scope), ...pageOf(rows) }), Invoices)
      .pipe(Effect.tap((_) => onlyOf("listInvoices", scope, _.invoices)))
})

type Parameters = Readonly<Record<string, string>>

const get = (path: string, urlParams: Parameters) => HttpClientRequest.get(path, { urlParams })

const post = (path: string, body: unknown) => HttpClientRequest.post(path).pipe(HttpClientRequest.bodyJsonUnsafe(body))

const budgetPath = (id: string): string => `/budgets/${encodeURIComponent(id)}`

/** Every call says whose: to leave it out never means everybody's. */
const filterOf = (scope: Scope): Parameters => (scope === "all" ? { scope: "all" } : { project_id: scope.projectId })

const pageOf = ({ after, limit }: Rows): Parameters => ({
  limit: String(limit),
  ...(after === undefined ? {} : { after_at: isoOf(after.at), after_id: after.id })
})

const isoOf = (millis: number): string => new Date(millis).toISOString()

/** What is not the tenant's that was asked about never gets any further, whatever the service made of the filter. */
const onlyOf = (
  call: string,
  scope: Scope,
  rows: ReadonlyArray<{ readonly project_id: string }>
): Effect.Effect<void, UpstreamError> =>
  scope === "all" || rows.every((_) => _.project_id === scope.projectId) ? Effect.void : foreign(call, "tenant")

const foreign = (call: string, what: string) =>
  new UpstreamError({ upstream: "billing", call, status: 200, words: `answered about another ${what}` })
