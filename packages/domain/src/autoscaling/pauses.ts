import { Duration } from "effect"

/** A group that is as it should be is looked at for servers that went by themselves. */
export const idle = Duration.seconds(60)

/** While servers are being built or deleted. */
export const busy = Duration.seconds(3)

/** Nobody changes anything in a tenant that is being deleted or closed. */
export const standstill = Duration.seconds(30)

const longest = Duration.minutes(5)

/** 5 s, 10 s, 20 s … up to five minutes. */
export const afterFailures = (failures: number): Duration.Duration =>
  Duration.min(Duration.times(Duration.seconds(5), 2 ** Math.min(Math.max(failures - 1, 0), 10)), longest)

/** So many servers in a row may end in ERROR; then there is one try an hour. */
export const mostErrors = 5

/** How long the place of a server that ended in ERROR stays empty. */
export const afterErrors = (errors: number): Duration.Duration =>
  errors < mostErrors ? afterFailures(errors) : Duration.hours(1)
