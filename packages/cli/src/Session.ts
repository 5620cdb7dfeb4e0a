import type { Auth } from "@portico/client/auth/Auth"
import type { PorticoError } from "@portico/client/PorticoError"
import { Config, Context, Effect, Layer, Option, Redacted } from "effect"
import { CliFailure } from "./CliFailure.ts"
import { addressBeside, type Given, isNamed, Profile as ProfileFlag, Url } from "./globalFlags.ts"
import { type Portico, porticoAt } from "./Portico.ts"
import { Screen } from "./Screen.ts"
import { addressOf } from "./session/address.ts"
import { again, machineAuth, noAuth, profileAuth, type Renewals, tokenAuth } from "./session/auth.ts"
import { prepareConnections } from "./session/connections.ts"
import { loginFailure } from "./session/discovery.ts"
import type { Plane, Profile } from "./session/Profile.ts"
import { readProfiles } from "./session/profiles.ts"
import { loginContext } from "./session/time.ts"
import { TokenSource } from "./session/TokenSource.ts"

/** The tokens of a program that runs for long. */
export interface Tokens {
  /** One that does not end within the next moment. */
  readonly current: Effect.Effect<string, PorticoError>
  /** One in place of one that was refused; the same one where there is no other. */
  readonly replaced: (refused: string) => Effect.Effect<string, PorticoError>
}

/** Who works with which gateway. Nothing is read before a command asks. */
export class Session extends Context.Service<
  Session,
  {
    readonly connect: Effect.Effect<Portico, CliFailure>
    /** What the address turned out to be at the login; undefined without a profile. */
    readonly plane: Effect.Effect<Plane | undefined>
    /** An access token that is valid now, for credential helpers. */
    readonly token: Effect.Effect<string, CliFailure | PorticoError>
    /** Access tokens one after the other. */
    readonly tokens: Effect.Effect<Tokens, CliFailure>
    /** What a person does when the gateway refuses the token, within a sentence. */
    readonly signIn: Effect.Effect<string, CliFailure>
    /** The profile that is worked with; undefined where there is none, and with an address of the flags' own. */
    readonly profile: Effect.Effect<Profile | undefined, CliFailure>
    /** The variable of the environment that comes before the profile's login; undefined where none does. */
    readonly variable: Effect.Effect<"PORTICO_TOKEN" | "PORTICO_CLIENT_ID" | undefined, CliFailure>
  }
>()("portico/cli/Session") {
  static readonly layer = Layer.effect(
    Session,
    Effect.gen(function* () {
      const flags = { url: yield* Url, profile: yield* ProfileFlag }
      const services = yield* Effect.context<Screen>()
      const source = yield* TokenSource
      const renewals: Renewals = new Set()
      yield* Effect.addFinalizer(() =>
        Effect.ignore(
          Effect.timeout(
            Effect.promise(() => Promise.allSettled(renewals)),
            "10 seconds"
          )
        )
      )
      const target = yield* Effect.cached(targetOf(flags))
      const opened = yield* Effect.cached(
        Effect.gen(function* () {
          const found = yield* target
          source.current = found.environment.token === undefined ? undefined : "PORTICO_TOKEN"
          yield* prepareConnections(found.url, found.environment.caFile ?? found.profile?.ca_file)
          return { url: found.url, auth: authOf(found, renewals) }
        })
      )
      return {
        connect: yield* Effect.cached(
          Effect.gen(function* () {
            const { auth, url } = yield* opened
            return porticoAt(url, yield* auth)
          }).pipe(Effect.provideContext(services))
        ),
        plane: Effect.orElseSucceed(
          Effect.map(target, (_) => _.profile?.plane),
          () => undefined
        ),
        // With a way of its own: one that is asked a second time takes its token for refused, and renews it.
        token: Effect.gen(function* () {
          const { auth, url } = yield* opened
          return yield* tokenOf(yield* auth, url)
        }).pipe(Effect.provideContext(services)),
        tokens: Effect.gen(function* () {
          const { auth, url } = yield* opened
          return yield* tokensOf(yield* auth, url)
        }).pipe(Effect.provideContext(services)),
        signIn: Effect.map(target, signInOf),
        profile: Effect.map(target, (_) => _.profile),
        variable: Effect.map(target, variableOf)
      }
    })
  )
}

/** The gateway of the profile: `const { use } = yield* portico`. */
export const portico = Effect.flatMap(Session, (_) => _.connect)

interface Flags {
  readonly url: Option.Option<Given>
  readonly profile: Option.Option<Given>
}

const text = (name: string) =>
  Effect.map(Effect.orDie(Config.option(Config.NonEmptyString(name))), Option.getOrUndefined)
const secret = (name: string) =>
  Effect.map(Effect.orDie(Config.option(Config.Redacted(name))), (_) =>
    Option.getOrUndefined(Option.map(_, Redacted.value))
  )

const environmentOf = Effect.all({
  token: secret("PORTICO_TOKEN"),
  clientId: text("PORTICO_CLIENT_ID"),
  clientSecret: secret("PORTICO_CLIENT_SECRET"),
  caFile: text("PORTICO_CA_FILE")
})

/** Which address is worked with, and as whom. */
interface Target {
  readonly url: string
  readonly environment: Effect.Success<typeof environmentOf>
  /** Of this address. */
  readonly profile: Profile | undefined
  /** The profile that would have been used; its address is another one. */
  readonly elsewhere: Profile | undefined
  /** Whether the command line names the profile. */
  readonly isNamed: boolean
}

/**
 * A profile that the command line names is worked with as itself. What the environment says of who it is belongs to
 * its PORTICO_URL: helpers that other programs start name an address of their own.
 */
const targetOf = Effect.fnUntraced(function* (flags: Flags) {
  const target = { ...(yield* chosenOf(flags)), isNamed: isNamed(flags.profile) }
  if (target.isNamed) return withoutIdentity(target)
  // An agent acts as itself alone, also in the environment of a person who may do more.
  if (target.profile?.agent !== undefined && Option.isSome(flags.profile)) return withoutIdentity(target)
  const given = yield* text("PORTICO_URL")
  const own = given === undefined ? target.url : yield* Effect.orElseSucceed(addressOf(given), () => given)
  if (own === target.url) return target
  return withoutIdentity(target)
})

const withoutIdentity = (target: Target): Target => {
  const { caFile } = target.environment
  return { ...target, environment: { token: undefined, clientId: undefined, clientSecret: undefined, caFile } }
}

/** An agent's profile is worked with by its name alone. */
const isPersons = (profile: Profile, url: string): boolean => profile.url === url && profile.agent === undefined

const chosenOf = (flags: Flags): Effect.Effect<Omit<Target, "isNamed">, CliFailure> =>
  Effect.gen(function* () {
    const environment = yield* environmentOf
    const address = addressBeside(flags.url, flags.profile)
    const url = Option.isNone(address) ? undefined : yield* addressOf(address.value)
    const isWhole = environment.token !== undefined || environment.clientId !== undefined
    // Everything is said: a configuration that cannot be read is no obstacle.
    if (url !== undefined && isWhole && Option.isNone(flags.profile)) {
      const all = yield* Effect.orElseSucceed(readProfiles, () => undefined)
      const profile = all?.all.find((_) => isPersons(_, url))
      return { url, environment, profile, elsewhere: undefined }
    }
    const profiles = yield* readProfiles
    const named = Option.getOrUndefined(flags.profile)?.value
    const found = profiles.all.find((_) => _.name === (named ?? profiles.current))
    if (named !== undefined && found === undefined) {
      return yield* new CliFailure({
        exit: "usage",
        message: `There is no profile '${named}'`,
        hint: "'portico profile list' shows those that there are"
      })
    }
    if (url === undefined || found?.url === url) return { ...(yield* addressed(found)), environment }
    // Without a name, the profile of the address; a token is never sent to another one.
    const profile = named === undefined ? profiles.all.find((_) => isPersons(_, url)) : undefined
    return { url, environment, profile, elsewhere: profile === undefined ? found : undefined }
  })

const addressed = (profile: Profile | undefined) =>
  profile === undefined
    ? Effect.fail(
        new CliFailure({
          exit: "notSignedIn",
          message: "No address is known",
          hint: "Log in with 'portico login <address>', or set PORTICO_URL"
        })
      )
    : Effect.succeed({ url: profile.url, profile, elsewhere: undefined })

const authOf = Effect.fnUntraced(function* (target: Target, renewals: Renewals) {
  const { elsewhere, environment, isNamed, profile, url } = target
  const { clientId, clientSecret, token } = environment
  if (token !== undefined) return yield* tokenAuth(url, token, profile?.insecure === true)
  if (clientId !== undefined && clientSecret !== undefined) {
    return yield* machineAuth(url, { clientId, clientSecret }, profile?.insecure === true)
  }
  if (clientId !== undefined || clientSecret !== undefined) {
    return yield* new CliFailure({
      exit: "usage",
      message: "PORTICO_CLIENT_ID and PORTICO_CLIENT_SECRET go together, and one of them is not set"
    })
  }
  if (profile !== undefined) return yield* profileAuth(profile, renewals)
  const other =
    elsewhere === undefined
      ? ""
      : ` The tokens of the profile '${elsewhere.name}' are for ${elsewhere.url} and are not sent elsewhere.`
  const how = isNamed ? `'portico login ${url}'` : `'portico login ${url}', or set PORTICO_TOKEN`
  return noAuth(`Not signed in at ${url}: log in with ${how}.${other}`)
})

const tokenOf = (auth: Auth, url: string) => Effect.flatMap(tokensOf(auth, url), (_) => _.current)

const tokensOf = Effect.fnUntraced(function* (auth: Auth, url: string) {
  const { sessionOf } = yield* Effect.promise(() => import("@portico/client/engine/session"))
  const session = sessionOf(auth, yield* loginContext(url))
  const obtained = (obtain: (signal: AbortSignal) => Promise<string>) =>
    Effect.tryPromise({ try: obtain, catch: loginFailure })
  return {
    current: obtained((_) => session.token(_)),
    replaced: (refused) => obtained((_) => session.replace(refused, _))
  } satisfies Tokens
})

const variableOf = ({ environment: { clientId, token } }: Target) =>
  token !== undefined ? "PORTICO_TOKEN" : clientId !== undefined ? "PORTICO_CLIENT_ID" : undefined

const signInOf = ({ environment, profile, url }: Target): string => {
  const { clientId, token } = environment
  if (token !== undefined) return "set another PORTICO_TOKEN"
  if (clientId !== undefined) return "see whether PORTICO_CLIENT_ID and PORTICO_CLIENT_SECRET are still good"
  return profile === undefined ? `log in with 'portico login ${url}'` : again(profile)
}
