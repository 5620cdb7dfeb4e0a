/** A time to the second, without a zone: `2026-01-31T12:00:00`. */
export const toSeconds = (millis: number): string => new Date(millis).toISOString().slice(0, 19)

/** The same in UTC: `2026-01-31T12:00:00Z`. */
export const toSecondsUtc = (millis: number): string => `${toSeconds(millis)}Z`

/** To the microsecond, without a zone. */
export const toMicros = (millis: number): string => new Date(millis).toISOString().replace("Z", "000")

/** To the microsecond, in UTC. */
export const toMicrosUtc = (millis: number): string => `${toMicros(millis)}Z`
