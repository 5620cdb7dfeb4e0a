import { Duration, Effect, Option } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Flag } from "../effectCli.ts"

const units = { h: 3600, m: 60, s: 1 } as const

/** `90s`, `10m` or `1h30m`; a bare number is seconds. */
export const durationIn = (text: string): Duration.Duration | undefined => {
  if (/^\d+$/.test(text)) return Duration.seconds(Number(text))
  const [whole, hours, minutes, seconds] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? []
  if (whole === undefined || whole === "") return undefined
  const total = Number(hours ?? 0) * units.h + Number(minutes ?? 0) * units.m + Number(seconds ?? 0) * units.s
  return Duration.seconds(total)
}

export const timeout = Flag.String("timeout").pipe(
  Flag.withMetavar("duration"),
  Flag.withDescription("How long --wait waits at most, such as 90s, 10m or 1h30m. Default: 30m"),
  Flag.optional
)

/** The duration of the flag; undefined when it is absent. */
export const timeoutIn = (given: Option.Option<string>) =>
  Effect.suspend(() => {
    if (Option.isNone(given)) return Effect.succeed(undefined)
    const found = durationIn(given.value)
    if (found !== undefined) return Effect.succeed(found)
    const message = `--timeout: '${given.value}' is no duration, such as 90s, 10m or 1h30m`
    return Effect.fail(new CliFailure({ exit: "usage", message }))
  })
