import { Sessions } from "@portico/upstream/openstack/Sessions"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { seen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { Systems } from "../Systems.ts"

const reads = [
  "identity/auth/projects",
  "compute/servers",
  "network/networks",
  "volume/volumes",
  "image/images",
  "load-balancer/lbaas/loadbalancers",
  "dns/zones",
  "key-manager/v1/secrets"
]

/** Nobody waits an hour for a real token to end. */
export const expiry: Cases = {
  "an expired token is refused by every service like an unknown one, and the session renewed": Effect.gen(function* () {
    const { ask, tenant } = yield* Systems
    const sessions = yield* Sessions
    const old = yield* sessions.tenant(tenant)
    const token = Redacted.value(old.token)
    const all = (token: string) => Effect.forEach(reads, (path) => ask({ token }, `GET ${path}`))
    const good = yield* all(token)
    yield* TestClock.adjust("2 hours")
    const [over, never] = [yield* all(token), yield* all("nonsense")]
    const renewed = yield* sessions.tenant(tenant)
    return {
      good: good.map((_) => _.status),
      over: over.map((_) => _.status),
      asNever: JSON.stringify(over.map(seen)) === JSON.stringify(never.map(seen)),
      renewed: Redacted.value(renewed.token) !== token
    }
  })
}
