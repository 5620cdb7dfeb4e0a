import type { Caller } from "@portico/contract/Access"
import { BadRequest } from "@portico/contract/Failures"
import { Clock, Config, Context, DateTime, Effect, Layer } from "effect"
import { SignJWT } from "jose"
import { randomUUID } from "node:crypto"
import { type Login, Logins, type NotLoggedIn } from "./Logins.ts"
import { type Access, granted, scopeTextOf } from "./scopes.ts"
import { SigningKeys } from "./SigningKeys.ts"

/** In seconds. A client requests a token per repository, and a new one when that ends. */
const lifetime = 300

/**
 * In seconds since the epoch. The registry does not ask the gateway again, so a
 * token ends no later than its caller.
 */
const endOf = ({ expiresAt = Infinity }: Caller, now: number): number =>
  Math.min(now + lifetime, Math.max(now, Math.floor(expiresAt / 1000)))

/** The parameters of a token request. */
export interface TokenRequest {
  /** Every `service` that the request names. */
  readonly services: ReadonlyArray<string>
  /** One scope each. */
  readonly scopes: ReadonlyArray<string>
}

export interface Issued {
  readonly token: string
  readonly expires_in: number
  readonly issued_at: string
  readonly access: ReadonlyArray<Access>
  /** {@link access} in the syntax of scopes. */
  readonly scope: string
}

/**
 * Tokens for the container registry, in the form that its distribution service
 * checks: who the bearer is, and what the bearer may do with which
 * repositories. A login that may do less than it requests gets less; the
 * registry refuses the rest.
 */
export class RegistryTokens extends Context.Service<
  RegistryTokens,
  {
    /**
     * 400 for another registry; 401 for a login that is not accepted; 429; 503
     * when the provider cannot be reached.
     *
     * @param admit called with the authenticated caller, before a token is made
     */
    issue<E = never>(
      login: Login,
      request: TokenRequest,
      admit?: (caller: Caller) => Effect.Effect<void, E>
    ): Effect.Effect<Issued, BadRequest<"registry_service_unknown"> | NotLoggedIn | E>
  }
>()("portico/domain/registry/RegistryTokens") {
  static readonly layerNoDeps = Layer.effect(
    RegistryTokens,
    Effect.gen(function* () {
      const logins = yield* Logins
      const keys = yield* SigningKeys
      const service = yield* Config.String("REGISTRY_SERVICE").pipe(Config.withDefault("registry"))
      const issuer = yield* Config.String("REGISTRY_ISSUER").pipe(Config.withDefault("portico"))

      return RegistryTokens.of({
        issue: Effect.fn("registry.issue")(function* <E>(
          login: Login,
          { scopes, services }: TokenRequest,
          admit?: (caller: Caller) => Effect.Effect<void, E>
        ) {
          if (services.some((_) => _ !== service)) return yield* BadRequest.registryService()
          const caller = yield* logins.login(login)
          if (admit !== undefined) yield* admit(caller)
          const access = granted(caller, scopes)
          const { key, kid } = yield* keys.current
          const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const ends = endOf(caller, now)
          const token = yield* Effect.promise(() =>
            new SignJWT({ access })
              .setProtectedHeader({ typ: "JWT", alg: "RS256", kid })
              .setIssuer(issuer)
              .setSubject(caller.credentialId ?? caller.userId)
              .setAudience(service)
              .setIssuedAt(now)
              .setNotBefore(now)
              .setExpirationTime(ends)
              .setJti(randomUUID())
              .sign(key)
          )
          return {
            token,
            expires_in: ends - now,
            issued_at: DateTime.formatIso(DateTime.makeUnsafe(now * 1000)).replace(".000Z", "Z"),
            access,
            scope: scopeTextOf(access)
          }
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provideMerge(Layer.merge(Logins.layer, SigningKeys.layer)))
}
