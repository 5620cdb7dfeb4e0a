import { Clock, Effect, Option } from "effect"
import { Flag } from "../effectCli.ts"

/** A moment, once the time of the command is known. In UTC with milliseconds, as events have it. */
export type Moment = Effect.Effect<string>

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const iso = (millis: number): string => new Date(millis).toISOString()

/** `90s`, `30m`, `24h` and `7d` are so long ago; anything else is a moment of RFC 3339. */
export const momentOf = (text: string): Option.Option<Moment> => {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) {
    const ago = Number(count) * (units[unit] ?? 0)
    return Option.some(Effect.map(Clock.currentTimeMillis, (now) => iso(now - ago)))
  }
  const at = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? Option.none() : Option.some(Effect.succeed(iso(at)))
}

/** A flag for a moment in the past. */
export const momentFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar("duration|moment"),
    Flag.filterMap(momentOf, (text) => `Expected a duration such as 24h, or a moment with a zone, got '${text}'`),
    Flag.optional
  )
