import type { Caller } from "@portico/contract/Access"
import { type Forbidden, TooManyRequests, Unauthorized, type Unavailable } from "@portico/contract/Failures"
import { Context, Effect, Layer, Redacted } from "effect"
import { AuthenticationQueue } from "../access/AuthenticationQueue.ts"
import { PresentedToken } from "../access/PresentedToken.ts"
import { Callers } from "../access/Callers.ts"
import { ClientLogins } from "../access/ClientLogins.ts"
import type { Plane } from "../health/readiness.ts"

/** A user name and a password, and the address that sent them. */
export interface Login {
  readonly plane: Plane
  readonly user: string
  readonly password: Redacted.Redacted
  /** The client's address; undefined when it has hung up. */
  readonly source: string | undefined
}

/** The syntax of a Bearer token (RFC 6750). */
const tokenLike = /^[A-Za-z0-9\-._~+/]+=*$/

/** The longestField user name or password that is checked: longer than any secret or token. */
const longestField = 4_096

/** 429, and how many seconds to wait. */
export interface Throttled {
  readonly _tag: "Throttled"
  readonly failure: TooManyRequests<"rate_limited">
  readonly seconds: number
}

/** Why a login is not accepted. */
export type NotLoggedIn =
  | Unauthorized<"registry_login_refused">
  | Unavailable<"identity_provider_unreachable" | "policy_unreadable">
  | Throttled

/**
 * Logins by user name and password: any name and a Bearer token (a personal
 * access token), or a client's id and secret. Whatever is wrong with a login,
 * the same calls go to the identity provider and the client gets the same
 * answer. {@link AuthenticationQueue} bounds what bad logins cost the provider,
 * on each replica separately.
 */
export class Logins extends Context.Service<
  Logins,
  {
    login(login: Login): Effect.Effect<Caller, NotLoggedIn>
  }
>()("portico/domain/registry/Logins") {
  static readonly layer = Layer.effect(
    Logins,
    Effect.gen(function* () {
      const callers = yield* Callers
      const clients = yield* ClientLogins
      const queue = yield* AuthenticationQueue

      /** Undefined for a token that is not accepted, whatever the reason. */
      const bearer = (token: Redacted.Redacted, { plane, source }: Pick<Login, "plane" | "source">) =>
        tokenLike.test(Redacted.value(token))
          ? Effect.catchTags(
              callers.resolve(PresentedToken.of(token), plane, () => source),
              { Unauthorized: notAccepted, Forbidden: notAccepted }
            )
          : Effect.undefined

      const authenticate = Effect.fnUntraced(function* (login: Login) {
        const { password, source, user } = login
        const isClient = clients.isKnown(user, password)
        const byToken = isClient ? undefined : yield* bearer(password, login)
        if (byToken !== undefined) return byToken
        const token = yield* clients.exchange(user, password, () => source)
        if (token === undefined) return yield* Unauthorized.registryLogin()
        // A client's secret is no token: it counted as a dead one above.
        if (!isClient) yield* queue.absolve(() => source)
        return (yield* bearer(token, login)) ?? (yield* Unauthorized.registryLogin())
      })

      return Logins.of({
        login: Effect.fn("registry.login")(
          function* (login) {
            const { password, user } = login
            if (user.length > longestField || Redacted.value(password).length > longestField)
              return yield* Unauthorized.registryLogin()
            return yield* authenticate(login)
          },
          Effect.catchTag("TooManyRequests", () => Effect.fail(throttled))
        )
      })
    })
  )
}

const notAccepted = (_: Unauthorized | Forbidden) => Effect.undefined

/** A retry does not wait behind logins never seen before, see {@link AuthenticationQueue}. */
const throttled: Throttled = { _tag: "Throttled", failure: TooManyRequests.rateLimited("logins"), seconds: 1 }

/** RFC 7617. Clients of registries encode the pair as UTF-8. */
const header = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i

/** The user name and password of an Authorization header; undefined for none. The name ends at the first colon. */
export const basicCredentials = (
  authorization: string | undefined
): { readonly user: string; readonly password: Redacted.Redacted } | undefined => {
  const encoded = authorization === undefined ? undefined : header.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, "base64").toString("utf8")
  const colon = pair.indexOf(":")
  return colon < 0 ? undefined : { user: pair.slice(0, colon), password: Redacted.make(pair.slice(colon + 1)) }
}
