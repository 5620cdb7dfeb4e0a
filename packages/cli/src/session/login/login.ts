import type { PorticoError } from "@portico/client/PorticoError"
import type { Whoami } from "@portico/contract/Identity"
import { Config, Effect, Option } from "effect"
import { resolve } from "node:path"
import { CliFailure } from "../../CliFailure.ts"
import { porticoAt } from "../../Portico.ts"
import { Screen } from "../../Screen.ts"
import { addressOf, guarded } from "../address.ts"
import { keptOf, machineScope } from "../auth.ts"
import { prepareConnections } from "../connections.ts"
import { type Discovered, discover, loginFailure, planeOf } from "../discovery.ts"
import { isProfileName, type Profile } from "../Profile.ts"
import { keepProfile, readProfiles } from "../profiles.ts"
import { loginContext } from "../time.ts"
import { keepTokens, type Kept, lockedTokens } from "../tokens.ts"
import { hasDisplay } from "./openBrowser.ts"
import { secretFrom } from "./secret.ts"

/** What the flags of `portico login` say. */
export interface Wanted {
  readonly address: string | undefined
  readonly profile: string | undefined
  readonly device: boolean
  readonly browser: boolean
  readonly pat: boolean
  readonly clientId: string | undefined
  readonly secretFile: string | undefined
  readonly issuer: string | undefined
  readonly scope: string | undefined
  readonly caFile: string | undefined
  readonly insecure: boolean
  /** Says what the person has to do, also with `--quiet`. */
  readonly say: (text: string) => Effect.Effect<void>
}

export interface LoggedIn {
  readonly profile: Profile
  readonly who: Whoami
  readonly expiresAt: number | undefined
}

const usage = (message: string, hint?: string) => new CliFailure({ exit: "usage", message, hint })

type Method = Profile["method"]

/** Who asks for the tokens, in a word. */
const methodOf = Effect.fnUntraced(function* (wanted: Wanted) {
  const chosen = [wanted.device, wanted.browser, wanted.pat].filter(Boolean).length
  if (chosen > 1) return yield* usage("Choose one of --browser, --device and --pat")
  const isMachine = !wanted.pat && wanted.secretFile !== undefined
  if (isMachine && (chosen > 0 || wanted.clientId === undefined)) {
    return yield* usage("--secret-file goes with --pat or with --client-id")
  }
  if (isMachine) return "client" satisfies Method
  if (wanted.pat) return "pat" satisfies Method
  if (wanted.device) return "device" satisfies Method
  if (wanted.browser || (yield* hasDisplay)) return "browser" satisfies Method
  const { note } = yield* Screen
  yield* note("There is no display here: log in on another device. '--browser' prints an address instead.")
  return "device" satisfies Method
})

/** The provider: from the flags, and where they are silent from the gateway. */
const providerOf = Effect.fnUntraced(function* (url: string, wanted: Wanted, method: Method) {
  const { clientId, issuer, scope } = wanted
  const isWhole = issuer !== undefined && scope !== undefined && clientId !== undefined
  const found: Partial<Discovered> = isWhole ? {} : ((yield* discover(url)) ?? {})
  const known = {
    issuer: issuer ?? found.issuer,
    clientId: clientId ?? found.clientId,
    scope: scope ?? (method === "client" && found.scope !== undefined ? machineScope(found.scope) : found.scope)
  }
  const missing = [
    ...(known.issuer === undefined ? ["--issuer"] : []),
    ...(known.clientId === undefined ? ["--client-id"] : []),
    ...(known.scope === undefined ? ["--scope"] : [])
  ]
  if (known.issuer === undefined || known.clientId === undefined || known.scope === undefined) {
    return yield* usage(
      `The gateway at ${url} does not say how people log in: ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} needed`,
      "Ask your operator for the address of the identity provider, the id of its client for the command line, and the scopes; or log in with '--pat'"
    )
  }
  return { issuer: known.issuer, clientId: known.clientId, scope: known.scope }
})

type Provider = Effect.Success<ReturnType<typeof providerOf>>

const tokensBy = Effect.fnUntraced(function* (
  method: Method,
  url: string,
  wanted: Wanted,
  provider: Provider | undefined
) {
  if (method === "pat" || provider === undefined) {
    return { access_token: yield* secretFrom(wanted.secretFile, "the personal access token") } satisfies Kept
  }
  const { say } = wanted
  if (method === "client") {
    const clientSecret = yield* secretFrom(wanted.secretFile, "the client secret")
    const { clientCredentials } = yield* Effect.promise(() => import("@portico/client/auth/clientCredentials"))
    const context = yield* loginContext(url)
    const grant = yield* Effect.tryPromise({
      try: () => clientCredentials({ ...provider, clientSecret }).obtain(context),
      catch: loginFailure
    })
    return keptOf(grant, { client_secret: clientSecret })
  }
  if (method === "device") {
    const { deviceLogin } = yield* Effect.promise(() => import("./device.ts"))
    return keptOf(yield* deviceLogin({ url, provider, say }))
  }
  const { browserLogin } = yield* Effect.promise(() => import("./browser.ts"))
  return keptOf(yield* browserLogin({ url, provider, say }))
})

/** The profile of the name; or that of the address; or a new one with the address's host as name. */
const nameOf = Effect.fnUntraced(function* (url: string, wanted: string | undefined) {
  const { all, current } = yield* readProfiles
  if (wanted !== undefined) {
    return isProfileName(wanted)
      ? wanted
      : yield* usage(`'${wanted}' is no name for a profile: letters, digits, '.', '-' and '_', at most 63`)
  }
  const same = all.filter((_) => _.url === url && _.agent === undefined)
  const found = same.find((_) => _.name === current) ?? same[0]
  if (found !== undefined) return found.name
  const host = new URL(url).host
    .replaceAll(/[^a-z0-9.-]+/gi, "-")
    .replace(/^[^a-z0-9]+/i, "")
    .slice(0, 55)
  const names = new Set(all.map((_) => _.name))
  const free = [host, ...Array.from({ length: names.size }, (_, i) => `${host}-${i + 2}`)]
  return free.find((_) => !names.has(_)) ?? host
})

/** The person has just given it: to log in again with it changes nothing. */
const refused = ({ code, requestId }: PorticoError) =>
  new CliFailure({
    exit: "notSignedIn",
    message: "The gateway refuses this personal access token",
    hint: `Log in with another one.\n(${code}${requestId === undefined ? "" : `, request ${requestId}`})`
  })

const fromEnvironment = Effect.map(
  Effect.orDie(Config.option(Config.NonEmptyString("PORTICO_CA_FILE"))),
  Option.getOrUndefined
)

/** Logs in, and keeps the profile and its tokens once the gateway has said who that is. */
export const login = Effect.fnUntraced(function* (wanted: Wanted) {
  const given = wanted.address
  if (given === undefined) return yield* usage("Log in where?", "Name the address: 'portico login <address>'")
  const url = yield* addressOf(given)
  const name = yield* nameOf(url, wanted.profile)
  const known = (yield* readProfiles).all.find((_) => _.name === name && _.url === url)
  const insecure = wanted.insecure || known?.insecure === true
  yield* guarded(url, insecure)
  const caFile = wanted.caFile ?? (yield* fromEnvironment) ?? known?.ca_file
  yield* prepareConnections(url, caFile)

  const plane = yield* planeOf(url)
  const method = yield* methodOf(wanted)
  const provider = method === "pat" ? undefined : yield* providerOf(url, wanted, method)
  const tokens: Kept = yield* tokensBy(method, url, wanted, provider)
  const { access_token: token, expires_at: expiresAt } = tokens
  const who = yield* porticoAt(url, token)
    .use((_, signal) => _.identity.whoami({}, { signal }))
    .pipe(Effect.mapError((error) => (method === "pat" && error.status === 401 ? refused(error) : error)))

  const entry = {
    name,
    url,
    plane,
    method,
    ...(provider === undefined ? {} : { issuer: provider.issuer, client_id: provider.clientId, scope: provider.scope }),
    ...(caFile === undefined ? {} : { ca_file: resolve(caFile) }),
    ...(insecure ? { insecure } : {})
  } satisfies Omit<Profile, "store">
  const kept = Effect.gen(function* () {
    const profile: Profile = { ...entry, store: yield* keepTokens(entry, tokens) }
    yield* keepProfile(profile)
    return profile
  })
  const profile = yield* lockedTokens(entry)(kept).pipe(
    Effect.catchTag("StoreProblem", ({ message }) => Effect.fail(usage(`The tokens cannot be kept: ${message}`)))
  )
  return { profile, who, expiresAt } satisfies LoggedIn
})
