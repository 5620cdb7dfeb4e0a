import { DateTime } from "effect"

/** A moment on the wire, where there may be none. */
export const isoOrNull = (moment: DateTime.Utc | null): string | null =>
  moment === null ? null : DateTime.formatIso(moment)
