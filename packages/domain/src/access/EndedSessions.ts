import { ConsoleSessions, type EndedTokens } from "@portico/store/ConsoleSessions"
import { Clock, Context, DateTime, Effect, Layer } from "effect"

/** How many tokens are noted before those that have ended by themselves are looked for. */
const firstTidy = 1_000

/**
 * The access tokens of the console's sessions that people have ended. They are refused from then on until their own end,
 * whatever the identity provider says about them. The store notifies every process of each; while notifications cannot
 * be received, the store is asked.
 */
export class EndedSessions extends Context.Service<
  EndedSessions,
  {
    /** Whether the session of this access token was ended; undefined while only the store knows. */
    known(tokenHash: string): boolean | undefined
    /** The same from the store. */
    find(tokenHash: string): Effect.Effect<boolean>
    /** An ended session, by this process or by another one. */
    note(tokens: EndedTokens): void
    /** Reads all of them. Every notification from then on has to be noted. */
    readonly follow: Effect.Effect<void>
    /** Notifications cannot be received any more. */
    unfollow(): void
  }
>()("portico/domain/access/EndedSessions") {
  static readonly layer = Layer.effect(
    EndedSessions,
    Effect.gen(function* () {
      const store = yield* ConsoleSessions
      const clock = yield* Clock.Clock
      /** The ends of the tokens, in milliseconds since the epoch, by their hashes. */
      const ends = new Map<string, number>()
      let isFollowing = false
      let tidyAt = firstTidy

      const note = ({ access_ends, access_hash, former_hash }: EndedTokens) => {
        for (const hash of [access_hash, former_hash]) {
          if (hash !== null) ends.set(hash, DateTime.toEpochMillis(access_ends))
        }
        if (ends.size < tidyAt) return
        const now = clock.currentTimeMillisUnsafe()
        for (const [hash, end] of ends) if (end <= now) ends.delete(hash)
        tidyAt = Math.max(firstTidy, 2 * ends.size)
      }

      return EndedSessions.of({
        known: (tokenHash) => ends.has(tokenHash) || (isFollowing ? false : undefined),
        find: store.isEnded,
        note,
        follow: Effect.map(store.endedTokens, (all) => {
          for (const tokens of all) note(tokens)
          isFollowing = true
        }),
        unfollow: () => {
          isFollowing = false
        }
      })
    })
  )
}
