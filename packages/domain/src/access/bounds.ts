import type { PermissionTier } from "@portico/contract/Access"
import { Unauthorized } from "@portico/contract/Failures"
import { type DerivedRow, seesCosts } from "@portico/store/Credentials"
import { earlier, type Maker, type Makers } from "@portico/store/makers"
import { Clock, DateTime, Effect } from "effect"

/**
 * What a credential may do is never more than what its makers may do now: the
 * lowest tier of the chain, sight of money when all of it has that, the
 * earliest end, and the networks and policies of each. It is derived when the
 * credential is resolved, so that rights follow the makers' and only shrink.
 */
export interface Bounds {
  readonly tier: PermissionTier
  /** Whether all of them may see what the account costs. */
  readonly billing: boolean
  /** One of them is an agent's, and so it is an agent's itself. */
  readonly agent: boolean
  readonly endsAt: DateTime.Utc | null
  /** The organisation units whose policies hold for it; null is the account itself. */
  readonly units: ReadonlyArray<string | null>
  /** A call has to come from each of these lists of networks. */
  readonly networks: ReadonlyArray<ReadonlyArray<string>>
}

/** Of a machine or a person of its own rights, before its makers are looked at. */
export interface Own {
  readonly tier: PermissionTier
  readonly billing: boolean
  readonly agent: boolean
  readonly endsAt: DateTime.Utc | null
  /** Absent for a workload token, which has no unit but its makers'. */
  readonly ou?: string | null
  readonly networks: ReadonlyArray<string> | null
}

export const boundsOf = (own: Own, makers: Makers): Bounds => ({
  tier: makers.reduce((tier, _) => (_.tier < tier ? _.tier : tier), own.tier),
  billing: own.billing && makers.every((_) => _.billing),
  agent: own.agent || makers.some((_) => _.kind === "mcp"),
  endsAt: endOf(own.endsAt, makers),
  units: [...new Set([...(own.ou === undefined ? [] : [own.ou]), ...unitsOf(makers)])],
  networks: [own.networks, ...makers.map((_) => _.networks)].filter((_) => _ !== null)
})

/** The earliest end of one and of its makers. */
export const endOf = (own: DateTime.Utc | null, makers: Makers): DateTime.Utc | null =>
  makers.reduce((end, _) => earlier(end, earlier(_.expires_at, _.revokes_at)), own)

/** A token has no unit of its own: what made it has. */
const unitsOf = (makers: Makers): ReadonlyArray<string | null> =>
  makers.filter((_) => _.kind !== "workload").map((_) => _.ou)

/** Of a credential or membership. */
export const boundsOfRow = (row: DerivedRow): Bounds =>
  boundsOf(
    {
      tier: row.tier,
      billing: seesCosts(row),
      agent: row.kind === "mcp",
      endsAt: earlier(row.expires_at, row.revokes_at),
      ou: row.ou,
      networks: row.networks
    },
    row.makers
  )

/** What a record, or one that it has its rights from, is at a moment. The first of the chain that does not work decides. */
export type Standing = "active" | "minting" | "expired" | "suspended" | "revoked"

type Link = Pick<Maker, "state" | "expires_at" | "revokes_at">

const standingOf = ({ expires_at, revokes_at, state }: Link, now: number): Standing => {
  if (state === "minting" || state === "suspended") return state
  if (state !== "active" || isOver(revokes_at, now)) return "revoked"
  return isOver(expires_at, now) ? "expired" : "active"
}

/** Of everything that made it; `active` for what no record made. */
export const standingOfMakers = (makers: Makers, now: number): Standing => {
  const dead = makers.map((_) => standingOf(_, now)).find((_) => _ !== "active")
  // A maker that is being made anew is another one.
  return dead === "minting" ? "revoked" : (dead ?? "active")
}

export const standing = (row: DerivedRow, now: number): Standing => {
  const own = standingOf(row, now)
  return own === "active" ? standingOfMakers(row.makers, now) : own
}

/** What does not work. */
export type Unworkable = Unauthorized<
  "token_inactive" | "credential_expired" | "credential_suspended" | "credential_revoked"
>

/** Fails with the words for what does not work. */
export const works = (standing: Standing): Effect.Effect<void, Unworkable> => {
  switch (standing) {
    case "active":
      return Effect.void
    case "minting":
      return Effect.fail(Unauthorized.tokenNotActive())
    case "expired":
      return Effect.fail(Unauthorized.expired())
    case "suspended":
      return Effect.fail(Unauthorized.suspended())
    case "revoked":
      return Effect.fail(Unauthorized.revoked())
  }
}

/** {@link works} for a record as it is now. */
export const alive = Effect.fnUntracedEager(function* (row: DerivedRow) {
  return yield* works(standing(row, yield* Clock.currentTimeMillis))
})

const isOver = (end: DateTime.Utc | null, now: number): boolean => end !== null && DateTime.toEpochMillis(end) <= now
