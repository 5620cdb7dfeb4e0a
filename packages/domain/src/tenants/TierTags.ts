import { Tier } from "@portico/contract/Tiers"
import { Tenants } from "@portico/store/Tenants"
import { Keystone, type Project, tierTag } from "@portico/upstream/keystone/Keystone"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { singleFlight } from "@portico/upstream/SingleFlight"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { heldTiers } from "./heldTiers.ts"

/** Projects whose tier tags say more than the tenants' table. */
export interface UnrecordedTags {
  readonly projects: ReadonlyArray<Project>
  /** Read for this question, and not from an earlier one. */
  readonly isFresh: boolean
}

/** An earlier reading is used for this long. */
const lifetime = Duration.toMillis(Duration.seconds(60))
/** From this age on the first question has it read again, and does not wait for that. */
const renewedAfter = Duration.toMillis(Duration.seconds(15))

/**
 * The tier tags that the tenants' table does not have: of projects that were tagged by hand, or by a gateway whose
 * database is another one. What this gateway grants is in its tables before it is in a tag. To find them, all tagged
 * projects are read, which takes the longer the more tenants there are.
 */
export class TierTags extends Context.Service<
  TierTags,
  {
    /** At most a minute old. */
    readonly recent: Effect.Effect<UnrecordedTags, UpstreamError>
    /** As they are now. */
    readonly now: Effect.Effect<UnrecordedTags, UpstreamError>
  }
>()("portico/domain/tenants/TierTags") {
  static readonly layer = Layer.effect(
    TierTags,
    Effect.gen(function* () {
      const keystone = yield* Keystone
      const tenants = yield* Tenants
      const clock = yield* Clock.Clock
      const scope = yield* Effect.scope
      const reads = yield* singleFlight<ReadonlyArray<Project>, UpstreamError>()
      let kept: { readonly projects: ReadonlyArray<Project>; readonly at: number } | undefined

      const read = Effect.gen(function* () {
        const at = clock.currentTimeMillisUnsafe()
        // The tags first: a tenant that is recorded in between is then found in the table.
        const tagged = yield* keystone.tieredProjects
        const recorded = new Map((yield* tenants.list).map((_) => [_.project_id, heldTiers(_)]))
        const projects = tagged.filter(({ id, tags }) => {
          const held = recorded.get(id) ?? []
          return Tier.literals.some((tier) => tags.includes(tierTag(tier)) && !held.includes(tier))
        })
        kept = { projects, at }
        return projects
      })

      const now = Effect.map(read, (projects): UnrecordedTags => ({ projects, isFresh: true }))

      return TierTags.of({
        now,
        recent: Effect.gen(function* () {
          const age = kept === undefined ? Infinity : clock.currentTimeMillisUnsafe() - kept.at
          if (kept === undefined || age > lifetime) return yield* now
          if (age > renewedAfter) yield* Effect.forkIn(Effect.ignore(reads.get("", read)), scope)
          return { projects: kept.projects, isFresh: false }
        })
      })
    })
  )
}
