import type { AdmissionNumbers, Dimension } from "@portico/contract/Admission"
import { Conflict } from "@portico/contract/Failures"
import type { Capacity } from "@portico/contract/Signups"
import { Tier } from "@portico/contract/Tiers"
import { Journal } from "@portico/store/Journal"
import { Tenants } from "@portico/store/Tenants"
import { Transactions } from "@portico/store/Transactions"
import { attemptStamp, Keystone, type Project, tierTag } from "@portico/upstream/keystone/Keystone"
import { DateTime, Effect } from "effect"
import { type Amounts, amountsOf, Budget, dimensions } from "./Budget.ts"
import { badGateway } from "../badGateway.ts"
import { paceOf, paceWindow } from "./pace.ts"

/**
 * For every project, all tiers that it may hold: the one of its tag, the
 * recorded one, and the one it is being moved to.
 */
type Granted = ReadonlyMap<string, ReadonlyArray<Tier>>

/**
 * Runs `reserve` when the tier fits into what is left of the sellable budget,
 * and otherwise fails with a 409 that has the numbers. Reading what is granted,
 * comparing and reserving happen under one lock across all replicas, so the sum
 * never exceeds the budget.
 *
 * The tags are read before the lock, because an upstream may be slow. What this
 * gateway granted meanwhile is in the tables, which are read inside the lock.
 *
 * @param options.project the tenant that moves to the tier; none for a new one
 * @param options.check a further condition; it is checked while the tags are
 * read
 */
export const admit = Effect.fn("admission.admit")(function* <A, E, R, CE = never, CR = never>(
  options: { readonly tier: Tier; readonly project?: string; readonly check?: Effect.Effect<void, CE, CR> },
  reserve: Effect.Effect<A, E, R>
) {
  const { check = Effect.void } = options
  const [tagged] = yield* Effect.all([(yield* Keystone).tieredProjects, check], { concurrency: 2 })
  return yield* (yield* Transactions).exclusively(
    "admission",
    Effect.gen(function* () {
      const numbers = numbersFor(options.tier, yield* Budget, yield* grantedWith(tagged), options.project)
      if (!numbers.admitted) return yield* Conflict.budgetExceeded(numbers)
      return { numbers, reserved: yield* reserve }
    })
  )
})

/**
 * The budget before and after one more tenant of each tier, how many tenants each tier has, and how fast the budget is
 * sold.
 */
export const capacity = Effect.fn("admission.capacity")(function* () {
  const budget = yield* Budget
  const tagged = yield* Effect.catchTag((yield* Keystone).tieredProjects, "UpstreamError", badGateway)
  const granted = yield* grantedWith(tagged)
  const sold = yield* (yield* Tenants).soldWithin(paceWindow)
  const count = (tier: Tier) => [...granted.values()].filter((_) => _[0] === tier).length
  const tiers = Tier.literals.map((tier) => numbersFor(tier, budget, granted, undefined))
  return {
    tenants: { discovery: count("discovery"), standard: count("standard"), extension: count("extension") },
    tiers,
    pace: paceOf(tiers[0]?.dimensions ?? [], sold, yield* DateTime.now)
  } satisfies Capacity
})

const grantedWith = Effect.fnUntraced(function* (tagged: ReadonlyArray<Project>) {
  // The journal is read first: an onboarding that becomes a tenant in between then appears in both, and never in
  // neither.
  const open = (yield* (yield* Journal).list).filter((_) => _.state !== "resting")
  const tenants = yield* (yield* Tenants).list
  const settled = new Set(tenants.map((_) => _.stamp))
  const running = open.filter((_) => !settled.has(attemptStamp(_.attempt_id)))
  const granted = new Map<string, ReadonlyArray<Tier>>()
  for (const { pending_tier, project_id, reached_tiers, tier } of tenants) {
    const pending = pending_tier === null || pending_tier === "suspended" ? [] : [pending_tier]
    granted.set(project_id, [tier, ...reached_tiers, ...pending])
  }
  // An onboarding that has already set its tag is counted once, under its attempt.
  const stamps = new Set(running.map((_) => attemptStamp(_.attempt_id)))
  for (const project of tagged) {
    if (project.tags.some((_) => stamps.has(_))) continue
    const held = granted.get(project.id) ?? []
    const tags = Tier.literals.filter((tier) => project.tags.includes(tierTag(tier)) && !held.includes(tier))
    granted.set(project.id, [...held, ...tags])
  }
  for (const { attempt_id, tier } of running) granted.set(attempt_id, [tier])
  return granted
})

const numbersFor = (tier: Tier, budget: Amounts, granted: Granted, moving: string | undefined): AdmissionNumbers => {
  const amounts = amountsOf(tier)
  const own = moving === undefined ? [] : (granted.get(moving) ?? [])
  const others = [...granted].filter(([project]) => project !== moving).map(([, tiers]) => tiers)
  const rows = dimensions.map((dimension) => {
    const used = others.reduce((sum, tiers) => sum + most(tiers, dimension), 0)
    const remaining = budget[dimension] - used
    const requested = amounts[dimension]
    return { dimension, requested, used, limit: budget[dimension], remaining, remaining_after: remaining - requested }
  })
  // A dimension that does not grow is never refused: a tenant may shrink although the platform is oversold.
  const admitted = rows.every((_) => _.requested <= _.remaining || _.requested <= most(own, _.dimension))
  return { tier, admitted, dimensions: rows }
}

const most = (tiers: ReadonlyArray<Tier>, dimension: Dimension): number =>
  Math.max(0, ...tiers.map((tier) => amountsOf(tier)[dimension]))
