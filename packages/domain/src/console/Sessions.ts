import { TooManyRequests, type Unavailable } from "@portico/contract/Failures"
import { type ConsolePlane, ConsoleSessions } from "@portico/store/ConsoleSessions"
import { singleFlight } from "@portico/upstream/SingleFlight"
import { TtlCache } from "@portico/upstream/TtlCache"
import { type Code, ConsoleLogins } from "@portico/upstream/zitadel/ConsoleLogins"
import { Context, Effect, Layer, Redacted, Semaphore } from "effect"
import { randomBytes } from "node:crypto"
import { AuthenticationQueue } from "../access/AuthenticationQueue.ts"
import { EndedSessions } from "../access/EndedSessions.ts"
import { Introspections } from "../access/Introspections.ts"
import type { Source } from "../access/networks.ts"
import { hashOf } from "../access/PresentedToken.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { type AccessToken, currentToken, storedOf, unreachable } from "./renew.ts"
import { revocableOf, revoke } from "./revoke.ts"
import { SessionSeal } from "./SessionSeal.ts"

type Refused = TooManyRequests<"rate_limited"> | Unavailable<"identity_provider_unreachable">

/** What a browser keeps of its session, and sends with every request. */
export type Cookie = Redacted.Redacted

/** A new session: its cookie, which does not change, and the first access token. */
export interface Begun {
  readonly cookie: Cookie
  readonly access: AccessToken
}

/** Sessions that this process has met: their look-ups do not wait for those of unknown cookies. */
const capacity = 10_000

/** The sign-outs that look for their session at once: a flood of them must leave the database to others. */
const signOutsAtOnce = 4

/**
 * Sessions of people in the consoles. A session is a row of the store, which has the tokens sealed: every window and
 * every replica has the same session, and whoever ends it ends it for all of them. All of this runs to its end when a
 * client disconnects.
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Begins a session with a login's code. Undefined when the provider refuses the code. A person who has many in use
     * loses the ones that were renewed least recently.
     *
     * Errors: 429 for a source with too many refused codes, and for a person who has begun too many sessions; 503 when
     * the provider does not answer.
     *
     * @param former the session that the browser had before, which ends
     */
    begin(
      plane: ConsolePlane,
      code: Code,
      source: Source,
      former: Cookie | undefined
    ): Effect.Effect<Begun | undefined, Refused>
    /**
     * The access token in force. It is renewed when it is about to end, once for all windows and replicas. Undefined
     * when there is no such session of this plane, or it has ended.
     *
     * Errors: 429 for a source with too many unknown cookies; 503 when the provider does not renew it now.
     */
    current(plane: ConsolePlane, cookie: Cookie, source: Source): Effect.Effect<AccessToken | undefined, Refused>
    /**
     * Ends a session for every window and replica, whatever the identity provider says: its access token is refused from
     * now on. What the provider does not revoke now is revoked later.
     */
    end(plane: ConsolePlane, cookie: Cookie): Effect.Effect<void>
  }
>()("portico/domain/console/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const store = yield* ConsoleSessions
      const queue = yield* AuthenticationQueue
      const ended = yield* EndedSessions
      const { run } = yield* RunToCompletion
      const context = yield* Effect.context<
        ConsoleSessions | SessionSeal | ConsoleLogins | AuthenticationQueue | Introspections
      >()
      const logins = Effect.orDie(Effect.flatMap(ConsoleLogins, (_) => Effect.fromNullishOr(_.api)))
      const seen = new TtlCache<true>(capacity)
      const signOuts = yield* Semaphore.make(signOutsAtOnce)
      const flights = yield* singleFlight<AccessToken | undefined, Refused>()

      /** A cookie of nobody's costs its source what an unknown token does. */
      const look = Effect.fnUntraced(function* (plane: ConsolePlane, hash: string, source: Source) {
        const known = seen.get(hash, 0) === true
        const row = yield* queue.ask({ kind: "token", key: hash, source, known }, store.find(plane, hash))
        if (row !== undefined) seen.keep(hash, true, Infinity)
        return row
      })

      const endOf = Effect.fnUntraced(function* (plane: ConsolePlane, hash: string) {
        const row = yield* store.end(plane, hash)
        if (row === undefined) return
        ended.note(row)
        // The session is over. What goes wrong from here on is repeated by the job.
        yield* Effect.ignoreCause(
          Effect.flatMap(store.claimEnded(hash), (_) => Effect.forEach(_, revoke, { discard: true })),
          { log: "Warn" }
        )
      })

      return Sessions.of({
        begin: (plane, code, source, former) =>
          Effect.gen(function* () {
            const login = Effect.catchTag((yield* logins).login(code), "UpstreamError", unreachable)
            const grant = yield* queue.ask({ kind: "login", key: hashOf(code.code), source, known: false }, login)
            if (grant === undefined) return undefined
            const cookie = Redacted.make(randomBytes(32).toString("base64url"))
            const hash = hashOf(cookie)
            const { access, stored } = yield* storedOf(hash, grant)
            const { person } = grant
            if ((yield* store.insert({ ...stored, session_hash: hash, plane, person })) === undefined) {
              yield* Effect.ignore((yield* logins).revoke(revocableOf(grant)), { log: "Warn" })
              return yield* TooManyRequests.rateLimited("sessions")
            }
            seen.keep(hash, true, Infinity)
            yield* queue.expect(stored.access_hash)
            if (former !== undefined) yield* endOf(plane, hashOf(former))
            const surplus = yield* store.surplus(person)
            yield* Effect.forEach(surplus, (_) => endOf(_.plane, _.session_hash), { discard: true })
            return { cookie, access } satisfies Begun
          }).pipe(Effect.withSpan("console.begin"), Effect.provideContext(context), run),
        current: (plane, cookie, source) => {
          const hash = hashOf(cookie)
          const token = Effect.flatMap(look(plane, hash, source), (row) =>
            row === undefined ? Effect.undefined : currentToken(row, source)
          )
          return flights.get(
            `${plane} ${hash}`,
            token.pipe(Effect.withSpan("console.current"), Effect.provideContext(context), run)
          )
        },
        // Not through the queue: a provider that hangs takes all of its permits.
        end: (plane, cookie) =>
          Effect.flatMap(signOuts.withPermit(store.find(plane, hashOf(cookie))), (row) =>
            row === undefined ? Effect.void : endOf(plane, row.session_hash)
          ).pipe(Effect.withSpan("console.end"), Effect.provideContext(context), run)
      })
    })
  ).pipe(Layer.provideMerge(SessionSeal.layer))
}
