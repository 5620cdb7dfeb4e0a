import type { Caller } from "@portico/contract/Access"
import { type Forbidden, TooManyRequests, Unauthorized, Unavailable } from "@portico/contract/Failures"
import { Kept } from "@portico/upstream/Kept"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { ClientCredentials } from "@portico/upstream/zitadel/ClientCredentials"
import { Clock, Context, Duration, Effect, Exit, Layer, Redacted, Semaphore } from "effect"
import { createHmac, hash, randomBytes } from "node:crypto"
import { Callers } from "../access/Callers.ts"
import { PresentedToken } from "../access/PresentedToken.ts"
import type { Plane } from "../health/readiness.ts"
import { Throttle } from "./Throttle.ts"

/** A user name and a password, and where they came from. */
export interface Login {
  readonly plane: Plane
  readonly user: string
  readonly password: Redacted.Redacted
  /** The client's address; undefined when it has hung up. */
  readonly source: string | undefined
}

/** Failures a minute that one address, and one user name, may have. */
const perAddress = 30
const perUser = 10
const window = Duration.toMillis(Duration.minutes(1))

/** How long a pair that was good is let through although others fail with its name, or from its address. */
const trusted = Duration.toMillis(Duration.minutes(10))

/** Anybody may ask, so only so many pairs are asked about at the provider at once; others wait. */
const askedAtOnce = 16

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
 * the identity provider and the same is answered, and it is counted by address
 * and by name, so that trying is no use. Each replica counts for itself.
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
      const clientCredentials = yield* ClientCredentials
      const asking = yield* Semaphore.make(askedAtOnce)
      const addresses = new Throttle(perAddress, window)
      const users = new Throttle(perUser, window)
      const good = new Kept<true>(10_000)
      const pepper = randomBytes(32)
      const pairOf = ({ password, user }: Login) =>
        createHmac("sha256", pepper)
          .update(`${user}\0${Redacted.value(password)}`)
          .digest("base64url")

      /** Undefined for a token that is not accepted, for whatever reason. */
      const bearer = (token: Redacted.Redacted, { plane, source }: Pick<Login, "plane" | "source">) =>
        tokenLike.test(Redacted.value(token))
          ? Effect.catchTags(
              callers.resolve(PresentedToken.of(token), plane, () => source),
              { Unauthorized: nobody, Forbidden: nobody }
            )
          : Effect.undefined

      const client = Effect.fnUntraced(function* (login: Login) {
        const { password, user } = login
        const token = yield* Effect.catchTag(clientCredentials.accessToken(user, password), "UpstreamError", noExchange)
        return token === undefined ? undefined : yield* bearer(token, login)
      })

      const unless = (wait: number) => (wait === 0 ? Effect.void : Effect.fail(throttled(wait)))

      const judged = Effect.fnUntraced(function* (login: Login, pair: string) {
        const { password, user } = login
        const source = login.source ?? ""
        const name = hash("sha256", user, "base64url")
        const free = good.get(pair, yield* Clock.currentTimeMillis) === true
        const held = (of: Throttle, key: string) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => unless(free ? 0 : of.wait(key, now)))

        yield* held(addresses, source)
        const byToken = yield* bearer(password, login)
        if (byToken !== undefined) return byToken
        // The name says nothing of a token, so that others' failures with it do not stop one.
        const byClient = Effect.andThen(Effect.andThen(held(addresses, source), held(users, name)), client(login)).pipe(
          Effect.flatMap((caller) => (caller === undefined ? Unauthorized.registryLogin() : Effect.succeed(caller))),
          // Whoever hangs up has tried, too.
          Effect.onExit((exit) =>
            isTry(exit)
              ? Effect.map(Clock.currentTimeMillis, (now) => {
                  addresses.count(source, now)
                  users.count(name, now)
                })
              : Effect.void
          )
        )
        return yield* asking.withPermits(1)(byClient)
      })

      return Logins.of({
        login: Effect.fn("registry.login")(function* (login) {
          const { password, user } = login
          if (user.length > longest || Redacted.value(password).length > longest)
            return yield* Unauthorized.registryLogin()
          const pair = pairOf(login)
          const caller = yield* judged(login, pair)
          good.keep(pair, true, (yield* Clock.currentTimeMillis) + trusted)
          return caller
        })
      })
    })
  )
}

const nobody = (_: Unauthorized | Forbidden) => Effect.undefined

/** Neither a login that was good, nor one that nobody looked at. */
const isTry = (exit: Exit.Exit<Caller, Unauthorized | Unavailable | Throttled>): boolean =>
  Exit.isFailure(exit) && !exit.cause.reasons.some((_) => _._tag === "Fail" && _.error._tag !== "Unauthorized")

const throttled = (wait: number): Throttled => ({
  _tag: "Throttled",
  failure: TooManyRequests.logins(),
  seconds: Math.ceil(wait / 1000)
})

/** Nobody answered, or with a fault of their own. The pair may be good, and somebody has to see why it does not help. */
const noExchange = (error: UpstreamError) =>
  Effect.andThen(
    Effect.logError("a registry login could not be exchanged", error.sentence),
    Effect.fail(Unavailable.identityProvider())
  )
