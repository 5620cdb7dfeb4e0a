import type { Caller } from "@portico/contract/Access"
import { type Forbidden, TooManyRequests, Unauthorized, type Unavailable } from "@portico/contract/Failures"
import { Context, Effect, Layer, Redacted } from "effect"
import { AuthenticationQueue } from "../access/AuthenticationQueue.ts"
import { PresentedToken } from "../access/PresentedToken.ts"
import { Callers } from "../access/Callers.ts"
import { ClientLogins } from "../access/ClientLogins.ts"
import type { Plane } from "../health/readiness.ts"

/** A user name and a password, and where they came from. */
export interface Login {
  readonly plane: Plane
  readonly user: string
  readonly password: Redacted.Redacted
  /** The client's address; undefined when it has hung up. */
  readonly source: string | undefined
}

/** What can be sent as a Bearer (RFC 6750). */
const tokenLike = /^[A-Za-z0-9\-._~+/]+=*$/

/** Longer than any secret or token. */
const longest = 4_096

/** 429, and how many seconds to wait. */
export interface Throttled {
  readonly _tag: "Throttled"
  readonly failure: TooManyRequests
  readonly seconds: number
}

/**
 * Logins by user name and password: any name and a Bearer (a personal access
 * token), or a client's id and secret. Whatever is wrong, the same is asked of
 * the identity provider and the same is answered; what bad logins cost it is
 * bounded by {@link AuthenticationQueue}. Each replica counts for itself.
 */
export class Logins extends Context.Service<
  Logins,
  {
    login(login: Login): Effect.Effect<Caller, Unauthorized | Unavailable | Throttled>
  }
>()("portico/domain/registry/Logins") {
  static readonly layer = Layer.effect(
    Logins,
    Effect.gen(function* () {
      const callers = yield* Callers
      const clients = yield* ClientLogins
      const queue = yield* AuthenticationQueue

      /** Undefined for a token that is not accepted, for whatever reason. */
      const bearer = (token: Redacted.Redacted, { plane, source }: Pick<Login, "plane" | "source">) =>
        tokenLike.test(Redacted.value(token))
          ? Effect.catchTags(
              callers.resolve(PresentedToken.of(token), plane, () => source),
              { Unauthorized: nobody, Forbidden: nobody }
            )
          : Effect.undefined

      const judged = Effect.fnUntraced(function* (login: Login) {
        const { password, source, user } = login
        const isClient = clients.isKnown(user, password)
        const byToken = isClient ? undefined : yield* bearer(password, login)
        if (byToken !== undefined) return byToken
        const token = yield* clients.exchange(user, password, () => source)
        if (token === undefined) return yield* Unauthorized.registryLogin()
        // The secret of a client is no token, and was taken for a dead one above.
        if (!isClient) yield* queue.absolve(() => source)
        return (yield* bearer(token, login)) ?? (yield* Unauthorized.registryLogin())
      })

      return Logins.of({
        login: Effect.fn("registry.login")(
          function* (login) {
            const { password, user } = login
            if (user.length > longest || Redacted.value(password).length > longest)
              return yield* Unauthorized.registryLogin()
            return yield* judged(login)
          },
          Effect.catchTag("TooManyRequests", () => Effect.fail(throttled))
        )
      })
    })
  )
}

const nobody = (_: Unauthorized | Forbidden) => Effect.undefined

/** The next try does not wait behind logins that were never seen, see {@link AuthenticationQueue}. */
const throttled: Throttled = { _tag: "Throttled", failure: TooManyRequests.rateLimited("logins"), seconds: 1 }
