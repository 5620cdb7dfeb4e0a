import type { PermissionTier } from "@portico/contract/Access"
import { Unauthorized } from "@portico/contract/Failures"
import { type DerivedRow, seesCosts } from "@portico/store/Credentials"
import { earlier, type Maker, type Makers, unitsOf } from "@portico/store/makers"
import { DateTime, Effect } from "effect"

/**
 * A credential may never do more than its makers may do now: the lowest tier of the chain, cost
 * visibility only when all of the chain has it, the earliest end, and the networks and policies of
 * each. The bounds are derived when the credential is resolved, so its rights follow the makers'
 * rights and only shrink.
 */
export interface Bounds {
  readonly tier: PermissionTier
  /** Whether all of the chain may see what the account costs. */
  readonly billing: boolean
  /** One of the chain is an agent's, so the credential is an agent's itself. */
  readonly agent: boolean
  readonly endsAt: DateTime.Utc | null
  /** The organisation units whose policies apply, beside the account's own. */
  readonly units: ReadonlyArray<string>
  /** A call has to come from each of these lists of networks. */
  readonly networks: ReadonlyArray<ReadonlyArray<string>>
}

/** The own rights of a machine or a person, before its makers bound them. */
export interface Own {
  readonly tier: PermissionTier
  readonly billing: boolean
  readonly agent: boolean
  readonly endsAt: DateTime.Utc | null
  /** Absent for a workload token, which has no units but its makers'. */
  readonly units?: ReadonlyArray<string>
  readonly networks: ReadonlyArray<string> | null
}

export const boundsOf = (own: Own, makers: Makers): Bounds => ({
  tier: makers.reduce((tier, _) => (_.tier < tier ? _.tier : tier), own.tier),
  billing: own.billing && makers.every((_) => _.billing),
  agent: own.agent || makers.some((_) => _.kind === "mcp"),
  endsAt: endOf(own.endsAt, makers),
  units: [...new Set([...(own.units ?? []), ...makers.flatMap(unitsOf)])],
  networks: [own.networks, ...makers.map((_) => _.networks)].filter((_) => _ !== null)
})

/** The earliest end of the credential and its makers. */
export const endOf = (own: DateTime.Utc | null, makers: Makers): DateTime.Utc | null =>
  makers.reduce((end, _) => earlier(end, earlier(_.expires_at, _.revokes_at)), own)

/** The bounds of a credential or membership. */
export const boundsOfRow = (row: DerivedRow): Bounds =>
  boundsOf(
    {
      tier: row.tier,
      billing: seesCosts(row),
      agent: row.kind === "mcp",
      endsAt: earlier(row.expires_at, row.revokes_at),
      units: unitsOf(row),
      networks: row.networks
    },
    row.makers
  )

/** The state of a record, or of one of its makers, at a moment. The first of the chain that is not active decides. */
export type Standing = "active" | "minting" | "expired" | "suspended" | "revoked"

type Link = Pick<Maker, "state" | "expires_at" | "revokes_at">

const standingOf = ({ expires_at, revokes_at, state }: Link, now: number): Standing => {
  if (state === "minting" || state === "suspended") return state
  if (state !== "active" || isOver(revokes_at, now)) return "revoked"
  return isOver(expires_at, now) ? "expired" : "active"
}

/** The state of all makers; `active` for a record without makers. */
export const standingOfMakers = (makers: Makers, now: number): Standing => {
  const dead = makers.map((_) => standingOf(_, now)).find((_) => _ !== "active")
  // A maker in `minting` is a new one under the same id, so the old one counts as revoked.
  return dead === "minting" ? "revoked" : (dead ?? "active")
}

export const standing = (row: DerivedRow, now: number): Standing => {
  const own = standingOf(row, now)
  return own === "active" ? standingOfMakers(row.makers, now) : own
}

/** The failures of a credential that does not work. */
export type Unworkable = Unauthorized<
  "token_inactive" | "credential_expired" | "credential_suspended" | "credential_revoked"
>

/** Fails with the 401 for a standing other than `active`. */
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

/**
 * {@link works} for the standing of a record at a moment, in milliseconds since the epoch. An effect that reads the
 * clock itself would need a fiber for every call.
 */
export const alive = (row: DerivedRow, now: number): Effect.Effect<void, Unworkable> => works(standing(row, now))

const isOver = (end: DateTime.Utc | null, now: number): boolean => end !== null && DateTime.toEpochMillis(end) <= now
