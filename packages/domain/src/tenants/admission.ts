import type { AdmissionNumbers, Dimension } from "@portico/contract/Admission"
import { Conflict } from "@portico/contract/Failures"
import type { Capacity } from "@portico/contract/Signups"
import { Tier } from "@portico/contract/Tiers"
import { Journal } from "@portico/store/Journal"
import { Tenants } from "@portico/store/Tenants"
import { Transactions } from "@portico/store/Transactions"
import { attemptStamp, type Project, tierTag } from "@portico/upstream/keystone/Keystone"
import { DateTime, Effect } from "effect"
import { type Amounts, amountsOf, Budget, dimensions } from "./Budget.ts"
import { badGateway } from "../badGateway.ts"
import { heldTiers } from "./heldTiers.ts"
import { paceOf, paceWindow } from "./pace.ts"
import { TierTags, type UnrecordedTags } from "./TierTags.ts"

/** Tenants that may hold the same tiers: the one of the tag, the recorded one, and the one they are being moved to. */
interface Granted {
  /** The tier that they are counted under: that of the tag (contract, Tiers), where the table says otherwise. */
  readonly tier: Tier
  readonly tiers: ReadonlyArray<Tier>
  readonly count: number
  /** Only of a tenant that stands alone. */
  readonly project?: string | undefined
}

/**
 * With less than so many tenants of the largest tier to spare, no earlier reading of the tags is good enough: as many
 * might have been tagged by hand since.
 */
const spare = 10

/**
 * Runs `reserve` when the tier fits into what is left of the sellable budget,
 * and otherwise fails with a 409 that has the numbers. Reading what is granted,
 * comparing and reserving happen under one lock across all replicas, so the sum
 * never exceeds the budget.
 *
 * The tags are read before the lock, because an upstream may be slow. What this
 * gateway granted meanwhile is in the tables, which are read inside the lock.
 * While there is much to spare, tags that were read up to a minute ago will do.
 *
 * @param options.project the tenant that moves to the tier; none for a new one
 * @param options.check a further condition; it is checked while the tags are
 * read
 */
export const admit = Effect.fn("admission.admit")(function* <A, E, R, CE = never, CR = never>(
  options: { readonly tier: Tier; readonly project?: string; readonly check?: Effect.Effect<void, CE, CR> },
  reserve: Effect.Effect<A, E, R>
) {
  const { check = Effect.void, project, tier } = options
  const tags = yield* TierTags
  const budget = yield* Budget
  const { exclusively } = yield* Transactions

  /** Undefined when the tags have to be read again. */
  const decided = (unrecorded: UnrecordedTags) =>
    exclusively(
      "admission",
      Effect.gen(function* () {
        const numbers = numbersFor(tier, budget, yield* grantedWith(unrecorded.projects, project), project)
        if (!unrecorded.isFresh && !isRoomy(numbers)) return undefined
        if (!numbers.admitted) return yield* Conflict.budgetExceeded(numbers)
        return { numbers, reserved: yield* reserve }
      })
    )

  const [recent] = yield* Effect.all([tags.recent, check], { concurrency: 2 })
  const first = yield* decided(recent)
  if (first !== undefined) return first
  const second = yield* decided(yield* tags.now)
  // The second reading is fresh.
  return second ?? (yield* Effect.die(new Error("fresh tags decide")))
})

const isRoomy = ({ dimensions: rows }: AdmissionNumbers): boolean =>
  rows.every((_) => _.remaining_after >= spare * amountsOf("extension")[_.dimension])

/**
 * The budget before and after one more tenant of each tier, how many tenants each tier has, and how fast the budget is
 * sold.
 */
export const capacity = Effect.fn("admission.capacity")(function* () {
  const budget = yield* Budget
  const { projects } = yield* Effect.catchTag((yield* TierTags).now, "UpstreamError", badGateway)
  const granted = yield* grantedWith(projects, undefined)
  const sold = yield* (yield* Tenants).soldWithin(paceWindow)
  const count = (tier: Tier) => granted.reduce((sum, _) => (_.tier === tier ? sum + _.count : sum), 0)
  const tiers = Tier.literals.map((tier) => numbersFor(tier, budget, granted, undefined))
  return {
    tenants: { discovery: count("discovery"), standard: count("standard"), extension: count("extension") },
    tiers,
    pace: paceOf(tiers[0]?.dimensions ?? [], sold, yield* DateTime.now)
  } satisfies Capacity
})

/** @param moving a tenant that has to stand alone */
const grantedWith = Effect.fnUntraced(function* (unrecorded: ReadonlyArray<Project>, moving: string | undefined) {
  // The journal is read first: an onboarding that becomes a tenant in between then appears in both, and never in
  // neither.
  const open = (yield* (yield* Journal).list).filter((_) => _.state !== "resting")
  const holdings = yield* (yield* Tenants).holdings({
    projects: [...unrecorded.map((_) => _.id), ...(moving === undefined ? [] : [moving])],
    stamps: open.map((_) => attemptStamp(_.attempt_id))
  })
  const settled = new Set(holdings.map((_) => _.stamp))
  const running = open.filter((_) => !settled.has(attemptStamp(_.attempt_id)))
  const granted = holdings.map((_): Granted => ({
    tier: _.tier,
    tiers: heldTiers(_),
    count: _.count,
    project: _.project_id ?? undefined
  }))
  const alone = new Map(granted.map((_, index) => [_.project, index]))
  // An onboarding that has already set its tag is counted once, under its attempt.
  const stamps = new Set(running.map((_) => attemptStamp(_.attempt_id)))
  for (const { id, tags } of unrecorded) {
    if (tags.some((_) => stamps.has(_))) continue
    const index = alone.get(id)
    const held = index === undefined ? [] : (granted[index]?.tiers ?? [])
    const tagged = Tier.literals.filter((tier) => tags.includes(tierTag(tier)))
    const tiers = [...held, ...tagged.filter((tier) => !held.includes(tier))]
    // Of several tags the largest tier, as in the budget.
    const tier = tagged.at(-1) ?? tiers[0]
    if (tier !== undefined) granted[index ?? granted.length] = { tier, tiers, count: 1, project: id }
  }
  return [...granted, ...running.map(({ tier }): Granted => ({ tier, tiers: [tier], count: 1 }))]
})

const numbersFor = (
  tier: Tier,
  budget: Amounts,
  granted: ReadonlyArray<Granted>,
  moving: string | undefined
): AdmissionNumbers => {
  const amounts = amountsOf(tier)
  const own = granted.find((_) => moving !== undefined && _.project === moving)?.tiers ?? []
  const others = granted.filter((_) => moving === undefined || _.project !== moving)
  const rows = dimensions.map((dimension) => {
    const used = others.reduce((sum, { count, tiers }) => sum + count * most(tiers, dimension), 0)
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
