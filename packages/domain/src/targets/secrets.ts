import type { SealedSecret, TargetEntry } from "@portico/store/Targets"
import { DateTime, Duration } from "effect"

/**
 * How many secrets a target has at a time. When a client rotates faster than the overlaps end, the
 * oldest secrets end early.
 */
const mostSecrets = 3

/** The secrets of a target after a rotation, newest first: the previous ones end with the overlap. */
export const rotatedSecrets = (
  held: ReadonlyArray<SealedSecret>,
  fresh: SealedSecret,
  now: DateTime.Utc,
  overlap: Duration.Duration
): ReadonlyArray<SealedSecret> => {
  const ends = DateTime.addDuration(now, overlap)
  return [fresh, ...held.flatMap((_) => endingBy(_, ends, now)).slice(0, mostSecrets - 1)]
}

/** The secret with the earlier of its own end and this one; nothing when that is past. */
const endingBy = (secret: SealedSecret, ends: DateTime.Utc, now: DateTime.Utc): ReadonlyArray<SealedSecret> => {
  const own = secret.ends_at === null ? ends : DateTime.makeUnsafe(secret.ends_at)
  const earlier = DateTime.isLessThan(own, ends) ? own : ends
  return DateTime.isGreaterThan(earlier, now) ? [{ ...secret, ends_at: DateTime.formatIso(earlier) }] : []
}

/** The end of the last previous secret that has not ended; null without one. */
export const previousUntil = ({ secrets }: Pick<TargetEntry, "secrets">, now: DateTime.Utc): string | null => {
  const ends = secrets.flatMap(({ ends_at }) => ends_at ?? [])
  return (
    ends
      .filter((_) => DateTime.isGreaterThan(DateTime.makeUnsafe(_), now))
      .toSorted()
      .at(-1) ?? null
  )
}
