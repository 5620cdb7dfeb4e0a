import type { Auth, AuthContext, Grant } from "@portico/client/auth/Auth"
import type { Tokens } from "@portico/client/auth/oauth"
import { PorticoError } from "@portico/client/PorticoError"
import { Clock, Effect } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Screen } from "../Screen.ts"
import { guarded } from "./address.ts"
import { discover, loginFailure } from "./discovery.ts"
import type { Profile } from "./Profile.ts"
import { type Kept, lockedTokens, readTokens, StoreProblem, writeTokens } from "./tokens.ts"

/** Renewals that are on their way. A process that ends waits for them: their refresh token exists once. */
export type Renewals = Set<Promise<unknown>>

/** What ends within a minute is renewed. */
const marginMillis = 60_000

const endsSoon = ({ expires_at }: Kept, now: number): boolean =>
  expires_at !== undefined && now >= expires_at - marginMillis

export const grantOf = ({ access_token, expires_at }: Kept): Grant | undefined =>
  access_token === undefined
    ? undefined
    : { accessToken: access_token, ...(expires_at === undefined ? {} : { expiresAt: expires_at }) }

export const keptOf = ({ accessToken, expiresAt, refreshToken }: Tokens, more: Partial<Kept> = {}): Kept => ({
  access_token: accessToken,
  ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  ...more
})

/** A failure as the client passes it on: of its own class. */
const notSignedIn = (detail: string): PorticoError => new PorticoError("login_failed", { detail, status: 401 })

const failing = (detail: string) => Effect.fail(notSignedIn(detail))

/** How a person gets a login anew, within a sentence. */
export const again = ({ agent, name, url }: Pick<Profile, "agent" | "name" | "url">): string =>
  agent === undefined
    ? `log in with 'portico login ${url} --profile ${name}'`
    : `connect it again with 'portico agents connect ${agent.client}'`

/** What the provider refuses for good, and what may work the next time. */
const renewalFailure =
  (profile: Profile) =>
  (error: unknown): PorticoError => {
    const failure = loginFailure(error)
    if (failure.code !== "login_failed") return failure
    if (failure.status >= 400 && failure.status < 500) {
      return notSignedIn(`The login of the profile '${profile.name}' is over: ${again(profile)}. ${failure.detail}`)
    }
    return new PorticoError("unexpected_response", { ...failure, detail: failure.detail })
  }

const passedOn = (error: unknown): PorticoError => {
  if (error instanceof PorticoError) return error
  const isOwn = error instanceof CliFailure || error instanceof StoreProblem
  if (!isOwn) return loginFailure(error)
  const hint = error instanceof CliFailure && error.hint !== undefined ? `. ${error.hint}` : ""
  return notSignedIn(`${error.message}${hint}`)
}

/** An effect of this context as a way to get tokens. */
const authBy = Effect.fnUntraced(function* <R>(
  renewable: boolean,
  renewals: Renewals,
  obtain: (context: AuthContext) => Effect.Effect<Grant, PorticoError | CliFailure | StoreProblem, R>
) {
  const services = yield* Effect.context<R>()
  return {
    renewable,
    obtain: (context) => {
      const running = Effect.runPromiseWith(services)(Effect.mapError(obtain(context), passedOn))
      const settled: Promise<unknown> = running.catch(() => undefined).finally(() => void renewals.delete(settled))
      renewals.add(settled)
      return running
    }
  } satisfies Auth
})

/** Fails where a token is needed, so that what is open to everybody can be called without one. */
export const noAuth = (detail: string): Auth => ({
  renewable: false,
  obtain: () => Promise.reject(notSignedIn(detail))
})

/** A token from the environment. */
export const tokenAuth = (url: string, token: string, insecure: boolean) =>
  authBy(false, new Set(), () => Effect.as(guarded(url, insecure), { accessToken: token }))

/** A key pair from the environment. Its tokens are not kept: the pair itself is outside of our hands. */
export const machineAuth = (
  url: string,
  pair: { readonly clientId: string; readonly clientSecret: string },
  insecure: boolean
) =>
  authBy(true, new Set(), (context) =>
    Effect.gen(function* () {
      yield* guarded(url, insecure)
      const found = yield* discover(url)
      if (found === undefined) {
        return yield* failing(
          `${url} does not say where its identity provider is: log in with 'portico login' and '--issuer', or set ` +
            "PORTICO_TOKEN in place of PORTICO_CLIENT_ID"
        )
      }
      const { clientCredentials } = yield* Effect.promise(() => import("@portico/client/auth/clientCredentials"))
      const provider = { ...pair, issuer: found.issuer, scope: machineScope(found.scope) }
      return yield* Effect.tryPromise({
        try: () => clientCredentials(provider).obtain(context),
        catch: loginFailure
      })
    })
  )

/** A machine has no name, no address and no refresh token. */
export const machineScope = (scope: string): string =>
  scope
    .split(" ")
    .filter((_) => !["profile", "email", "offline_access"].includes(_))
    .join(" ")

/**
 * The tokens of a profile. One process renews at a time; the one that comes second finds the tokens of the first. What
 * cannot be kept is used all the same, and the person is told.
 */
export const profileAuth = Effect.fnUntraced(function* (profile: Profile, renewals: Renewals) {
  let last: string | undefined
  const renew = yield* renewer(profile)

  const stored = Effect.gen(function* () {
    const found = yield* readTokens(profile)
    return found ?? (yield* failing(`The profile '${profile.name}' is signed out: ${again(profile)}`))
  })
  const usable = Effect.gen(function* () {
    const found = yield* stored
    const grant = grantOf(found)
    const isUsable =
      grant !== undefined && grant.accessToken !== last && !endsSoon(found, yield* Clock.currentTimeMillis)
    return isUsable ? grant : { needed: found }
  })
  return yield* authBy(profile.method !== "pat", renewals, (context) =>
    Effect.gen(function* () {
      yield* guarded(profile.url, profile.insecure === true)
      const found = yield* usable
      const grant =
        "accessToken" in found
          ? found
          : yield* lockedTokens(profile)(
              Effect.flatMap(usable, (_) => ("accessToken" in _ ? Effect.succeed(_) : renew(_.needed, context)))
            )
      last = grant.accessToken
      return grant
    })
  )
})

/** Renews the tokens of a profile, and keeps them. The caller holds the lock. */
const renewer = Effect.fnUntraced(function* (profile: Profile) {
  const services = yield* Effect.context<Screen>()
  const { note } = yield* Screen
  const keep = (tokens: Kept) =>
    writeTokens(profile, tokens).pipe(
      Effect.catch(({ message }) =>
        note(`The renewed login cannot be kept: ${message}. The next command needs 'portico login'.`)
      )
    )
  let current: Kept = {}
  let auth: Auth | undefined

  const made = async (): Promise<Auth> => {
    const { client_id = "", issuer = "", scope } = profile
    const provider = { issuer, clientId: client_id, ...(scope === undefined ? {} : { scope }) }
    if (profile.method === "client") {
      const { clientCredentials } = await import("@portico/client/auth/clientCredentials")
      return clientCredentials({ ...provider, clientSecret: current.client_secret ?? "" })
    }
    const { refresh } = await import("@portico/client/auth/refresh")
    return refresh({
      ...provider,
      refreshToken: () => current.refresh_token ?? "",
      onRotate: (tokens) => Effect.runPromiseWith(services)(keep(keptOf(tokens)))
    })
  }

  return (needed: Kept, context: AuthContext) =>
    Effect.gen(function* () {
      current = needed
      if (profile.method === "pat" || (profile.method !== "client" && needed.refresh_token === undefined)) {
        return yield* failing(`The login of the profile '${profile.name}' is over: ${again(profile)}`)
      }
      auth ??= yield* Effect.promise(made)
      const renewing = auth
      const grant = yield* Effect.tryPromise({
        try: () => renewing.obtain(context),
        catch: renewalFailure(profile)
      })
      if (profile.method === "client") {
        const { client_secret = "" } = needed
        yield* keep(keptOf(grant, { client_secret }))
      }
      return grant
    }).pipe(Effect.uninterruptible)
})
