import { alertBudgets } from "@portico/domain/money/breaches"
import { reconcileBilling } from "@portico/domain/money/reconcile"
import { relayBilling } from "@portico/domain/money/relay"
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** Sends billable events on, compares the ledger with the platform, and tells of budgets that were reached. Every replica runs all of it; what is done is done once. */
export const BillingJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const relaySeconds = yield* Config.Int("BILLING_RELAY_SECONDS").pipe(Config.withDefault(1))
    const budgetSeconds = yield* Config.Int("BILLING_BUDGET_SECONDS").pipe(Config.withDefault(60))
    const reconcileSeconds = yield* Config.Int("BILLING_RECONCILE_SECONDS").pipe(Config.withDefault(900))
    yield* Effect.forkScoped(every(relaySeconds, "billing_relay", "billable events are not sent on", relayBilling))
    yield* Effect.forkScoped(every(budgetSeconds, "billing_budgets", "budgets are not looked at", alertBudgets))
    yield* Effect.forkScoped(
      every(reconcileSeconds, "billing_ledger", "the ledger is not compared with the platform", reconcileBilling)
    )
  })
)

/** The first time after the interval, so that a start asks nobody anything. */
const every = <R>(seconds: number, job: string, trouble: string, round: Effect.Effect<void, never, R>) =>
  run(job, trouble, round).pipe(
    Effect.repeat(Schedule.spaced(Duration.seconds(seconds))),
    Effect.delay(Duration.seconds(seconds))
  )
