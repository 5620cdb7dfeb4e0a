import { DateTime } from "effect"

/** A nullable timestamp in its wire form. */
export const isoOrNull = (moment: DateTime.Utc | null): string | null =>
  moment === null ? null : DateTime.formatIso(moment)
