import { growingPause } from "@portico/store/leased"
import { Duration } from "effect"

/** For a group in its desired state, to notice servers that were deleted outside of it. */
export const idle = Duration.seconds(60)

/** While servers are being built or deleted. */
export const busy = Duration.seconds(3)

/** For a tenant that is being deleted, closed or suspended: its groups do not change. */
export const standstill = Duration.seconds(30)

export const afterFailures = growingPause({ first: Duration.seconds(5), longest: Duration.minutes(5) })

/** After this many servers in a row end in ERROR, the group tries once an hour. */
export const mostErrors = 5

/** How long the slot of a server that ended in ERROR stays empty. */
export const afterErrors = (errors: number): Duration.Duration =>
  errors < mostErrors ? afterFailures(errors) : Duration.hours(1)
