import { DateTime } from "effect"

/**
 * A moment as the `targetTime` of a recovery target: `2026-01-31 12:00:00.5+00:00`, in UTC and to the microsecond,
 * which is the precision of PostgreSQL's log.
 *
 * It is PostgreSQL's own form, which CloudNativePG hands on as it is. RFC 3339 is translated by it, with a `Z` for UTC
 * that PostgreSQL refuses in `recovery_target_time` (CloudNativePG's machinery v0.3.1, `ConvertToPostgresFormat`), so that
 * the recovery never starts.
 *
 * @param point a `PointInTime` of the contract, in the years 0 to 9999 of UTC
 */
export const recoveryTargetTime = (point: string): string => {
  const [date, time] = DateTime.formatIso(DateTime.makeUnsafe(point)).slice(0, 19).split("T")
  const fraction = /\.\d{1,6}/.exec(point)?.[0] ?? ""
  return `${date} ${time}${fraction}+00:00`
}
