import type { Time } from "@portico/client/engine/Time"
import { Clock, Effect } from "effect"
import { randomInt } from "node:crypto"

/** The client's notion of time, after the clock of the context. */
export const timeOfContext: Effect.Effect<Time> = Effect.gen(function* () {
  const services = yield* Effect.context<never>()
  const clock = yield* Clock.Clock
  return {
    now: () => clock.currentTimeMillisUnsafe(),
    sleep: (millis, signal) =>
      Effect.runPromiseWith(services)(Effect.sleep(millis), signal === undefined ? {} : { signal }),
    random: () => randomInt(2 ** 32) / 2 ** 32
  }
})

/** What the client's modules for logins work with. */
export const loginContext = (url: string) =>
  Effect.map(timeOfContext, (time) => ({
    url,
    time,
    fetch: (input: string | URL | Request, init?: RequestInit) => fetch(input, init)
  }))
