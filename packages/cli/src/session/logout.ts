import { Effect, Result } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { prepareConnections } from "./connections.ts"
import { loginFailure } from "./discovery.ts"
import type { Profile } from "./Profile.ts"
import { loginContext } from "./time.ts"
import { type Kept, lockedTokens, readTokens, removeTokens } from "./tokens.ts"

/** What became of the tokens of a profile. */
export interface LoggedOut {
  readonly profile: string
  /** False when they were not asked for, since the gateway alone ends a personal access token. */
  readonly revoked: boolean
  /** Why they may still be good. */
  readonly reason?: string
}

/** The refresh token first: it takes its access tokens along, and no new one comes of it. */
const revoked = (profile: Profile, tokens: Kept) =>
  Effect.gen(function* () {
    const { client_id = "", issuer = "" } = profile
    const { revoke } = yield* Effect.promise(() => import("@portico/client/auth/revoke"))
    const context = yield* loginContext(profile.url)
    const { access_token, client_secret, refresh_token } = tokens
    const provider = {
      issuer,
      clientId: client_id,
      ...(client_secret === undefined ? {} : { clientSecret: client_secret })
    }
    yield* prepareConnections(profile.url, profile.ca_file)
    for (const token of [refresh_token, access_token]) {
      if (token === undefined) continue
      yield* Effect.tryPromise({ try: () => revoke(provider, token, context), catch: loginFailure })
    }
  })

/** Revokes and forgets the tokens of a profile; undefined when it was signed out already. */
export const logout = (profile: Profile) =>
  lockedTokens(profile)(
    Effect.gen(function* () {
      const tokens = yield* readTokens(profile)
      if (tokens === undefined) return undefined
      const done = profile.method === "pat" ? undefined : yield* Effect.result(revoked(profile, tokens))
      yield* removeTokens(profile)
      const told = { profile: profile.name, revoked: done !== undefined && Result.isSuccess(done) }
      return done !== undefined && Result.isFailure(done) ? { ...told, reason: done.failure.message } : told
    })
  ).pipe(
    Effect.map((_): LoggedOut | undefined => _),
    Effect.catchTag("StoreProblem", ({ message }) =>
      Effect.fail(
        new CliFailure({ exit: "usage", message: `The tokens of '${profile.name}' cannot be removed: ${message}` })
      )
    )
  )
