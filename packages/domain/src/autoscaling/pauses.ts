import { growingPause } from "@portico/store/leased"
import { Duration } from "effect"

/** A group that is as it should be is looked at for servers that went by themselves. */
export const idle = Duration.seconds(60)

/** While servers are being built or deleted. */
export const busy = Duration.seconds(3)

/** Nobody changes anything in a tenant that is being deleted or closed. */
export const standstill = Duration.seconds(30)

export const afterFailures = growingPause({ first: Duration.seconds(5), longest: Duration.minutes(5) })

/** So many servers in a row may end in ERROR; then there is one try an hour. */
export const mostErrors = 5

/** How long the place of a server that ended in ERROR stays empty. */
export const afterErrors = (errors: number): Duration.Duration =>
  errors < mostErrors ? afterFailures(errors) : Duration.hours(1)
