import { reconcileAccounts } from "@portico/domain/accounts/destroy"
import { sweepEndedAgents } from "@portico/domain/agents/end"
import { reconcileAlarms } from "@portico/domain/alarms/reconcile"
import { reconcileGroups } from "@portico/domain/autoscaling/reconcile"
import { receiveActions } from "@portico/domain/bus/actions"
import { relayBus } from "@portico/domain/bus/relay"
import { pruneSessions, revokeSessions } from "@portico/domain/console/revoke"
import { sweepMints } from "@portico/domain/credentials/mint"
import { sweepRotations } from "@portico/domain/credentials/rotate"
import { foldUsage } from "@portico/domain/credentials/usage"
import { sweepSchedules } from "@portico/domain/databases/sweep"
import { Dispatcher } from "@portico/domain/deliveries/Dispatcher"
import { countDeliveries, giveUpDeliveries, pruneDeliveries } from "@portico/domain/deliveries/tidy"
import { reconcileExposures, sweepEdge } from "@portico/domain/edge/reconcile"
import { pruneEvents } from "@portico/domain/events/prune"
import { alertBudgets } from "@portico/domain/money/breaches"
import { reconcileBilling } from "@portico/domain/money/reconcile"
import { relayBilling } from "@portico/domain/money/relay"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { sweepMembers } from "@portico/domain/org/remove"
import { reconcilePurges } from "@portico/domain/projects/purge"
import { rotateKeys } from "@portico/domain/registry/SigningKeys"
import { sweepTokens } from "@portico/domain/workloadIdentity/exchange"
import { AgentCalls } from "@portico/store/AgentCalls"
import { AgentPlans, pruneLimit as plansAtOnce } from "@portico/store/AgentPlans"
import { IdempotencyKeys, pruneLimit as keysAtOnce } from "@portico/store/IdempotencyKeys"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { backgroundJobs } from "../settings/backgroundJobs.ts"
import { inBatches, job, seconds, stoppingTogether } from "./job.ts"

/** Rounds of a job that run at once: a tenant whose systems are slow or do not answer does not delay the others. */
const workers = 4

/** Pause between two attempts to listen to brokers that cannot be reached. */
const listenRetryPause = Duration.seconds(5)

/**
 * The background jobs. Every replica runs all of them, unless `BACKGROUND_JOBS` says that others do. Each due item is
 * claimed by one replica, and everything that is counted or relayed is counted or relayed once. After a stop or
 * a crash another replica takes up the unfinished work.
 */
const table = Effect.gen(function* () {
  const every = yield* Config.all({
    sweep: seconds("SWEEP_SECONDS", 15),
    purge: seconds("PURGE_SECONDS", 2),
    accounts: seconds("ACCOUNTS_SECONDS", 1),
    autoscaling: seconds("AUTOSCALING_SECONDS", 1),
    alarms: seconds("ALARMS_SECONDS", 5),
    edge: seconds("EDGE_SECONDS", 10),
    edgeSweep: seconds("EDGE_SWEEP_SECONDS", 300),
    usage: seconds("USAGE_SECONDS", 1),
    deliveries: Config.map(Config.Number("DELIVERIES_SECONDS").pipe(Config.withDefault(1)), Duration.seconds),
    kafka: seconds("KAFKA_RELAY_SECONDS", 1),
    billing: seconds("BILLING_RELAY_SECONDS", 1),
    budgets: seconds("BILLING_BUDGET_SECONDS", 60),
    ledger: seconds("BILLING_RECONCILE_SECONDS", 900)
  })
  const alarms = yield* Config.all({
    interval: seconds("ALARM_INTERVAL_SECONDS", 60),
    grace: seconds("ALARM_GRACE_SECONDS", 300)
  })
  const prunePlans = Effect.flatMap(AgentPlans, (_) => inBatches(plansAtOnce, _.prune))
  const pruneKeys = Effect.flatMap(IdempotencyKeys, (_) => inBatches(keysAtOnce, _.prune))
  const recordLost = Effect.flatMap(AgentCalls, (_) => _.claimLost)
  const { pause, round } = yield* Dispatcher
  const hasKafka = (yield* Kafka).api !== undefined
  const after = Duration.zero

  return [
    job({ name: "sweep_onboardings", every: every.sweep, after, round: sweep }),
    job({ name: "sweep_mints", every: every.sweep, after, round: sweepMints }),
    job({ name: "sweep_members", every: every.sweep, after, round: sweepMembers }),
    job({ name: "sweep_rotations", every: every.sweep, after, round: sweepRotations }),
    job({ name: "sweep_ended_agents", every: every.sweep, after, round: sweepEndedAgents }),
    job({ name: "sweep_tokens", every: every.sweep, after, round: sweepTokens }),
    job({ name: "revoke_console_sessions", every: every.sweep, after, round: revokeSessions }),
    job({ name: "prune_console_sessions", every: every.sweep, after, round: pruneSessions }),
    job({ name: "rotate_registry_keys", every: every.sweep, after, round: rotateKeys }),
    job({ name: "prune_events", every: every.sweep, after, round: pruneEvents }),
    job({ name: "record_lost_agent_calls", every: every.sweep, after, round: recordLost }),
    job({ name: "prune_idempotency_keys", every: every.sweep, after, round: pruneKeys }),
    job({ name: "prune_agent_plans", every: every.sweep, after, round: prunePlans }),
    job({ name: "reconcile_purges", every: every.purge, workers, round: reconcilePurges }),
    job({ name: "reconcile_accounts", every: every.accounts, after, workers, round: reconcileAccounts }),
    job({ name: "reconcile_autoscaling", every: every.autoscaling, workers, round: reconcileGroups }),
    job({ name: "reconcile_alarms", every: every.alarms, round: reconcileAlarms(alarms) }),
    job({ name: "reconcile_exposures", every: every.edge, round: reconcileExposures(every.edge) }),
    job({ name: "sweep_edge", every: every.edgeSweep, round: sweepEdge() }),
    job({ name: "sweep_schedules", every: every.edgeSweep, round: sweepSchedules() }),
    job({ name: "fold_usage", every: every.usage, after, round: foldUsage }),
    job({ name: "send_events", every: every.deliveries, pause, round }),
    job({ name: "count_deliveries", every: Duration.seconds(15), after: every.deliveries, round: countDeliveries }),
    job({ name: "give_up_deliveries", every: Duration.minutes(1), after: every.deliveries, round: giveUpDeliveries }),
    job({ name: "prune_deliveries", every: Duration.hours(1), after: every.deliveries, round: pruneDeliveries }),
    job({ name: "relay_billing", every: every.billing, round: relayBilling }),
    job({ name: "alert_budgets", every: every.budgets, round: alertBudgets }),
    job({ name: "reconcile_ledger", every: every.ledger, round: reconcileBilling }),
    job({ name: "relay_kafka", every: every.kafka, after, when: hasKafka, round: relayBus }),
    // A round never succeeds. The readiness of the bus reports its failures.
    hasKafka ? Effect.forkScoped(Effect.repeat(receiveActions, Schedule.spaced(listenRetryPause))) : Effect.void
  ]
})

const all = Layer.effectDiscard(stoppingTogether(Effect.flatMap(table, (_) => Effect.all(_, { discard: true })))).pipe(
  // Provided to the jobs alone: the dispatcher stops with them, and another replica sends the unfinished deliveries
  // again.
  Layer.provide(Dispatcher.layer)
)

const elsewhere = Layer.effectDiscard(Effect.logInfo("the background jobs run elsewhere, as BACKGROUND_JOBS says"))

/**
 * What each process needs for itself is not among them and runs in every replica: probes, checks of the cluster and of
 * open calls, and the tail of the event log.
 */
export const Jobs = Layer.unwrap(Effect.map(backgroundJobs, (where) => (where === "here" ? all : elsewhere)))
