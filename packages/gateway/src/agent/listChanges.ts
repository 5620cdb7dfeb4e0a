import { Records } from "@portico/domain/access/Records"
import { Effect, Layer, Schedule } from "effect"
import { McpServer } from "effect/ai"

/** The shortest time between two announcements. Every client may ask for its list again at each one. */
const pause = "5 seconds"

/**
 * Announces to all listening clients that their list of tools may have changed, because a policy, a unit or a
 * credential has. It does not find out whose lists the change concerns. A client that asks for its list again gets the
 * tools that its agent may use by then.
 *
 * @param isHeard whether a client listens. Without one nothing is sent, because the library would add the announcement
 *   to the answer of a request that is running, and the answer would become a stream
 */
export const listChanges = (isHeard: () => boolean) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const records = yield* Records
      const { notifications } = yield* McpServer.McpServer
      let announced = records.changes()
      const look = Effect.gen(function* () {
        const changes = records.changes()
        if (changes === announced) return
        announced = changes
        if (!isHeard()) return
        yield* notifications["notifications/tools/list_changed"]({})
        yield* Effect.sleep(pause)
      })
      // `Records` hears of changes by the one session of the database that the process has for them.
      yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced("1 second")))
    })
  )
