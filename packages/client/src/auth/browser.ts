import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateAuthResponse
} from "oauth4webapi"
import { PorticoError } from "../PorticoError.ts"
import type { Auth, AuthContext } from "./Auth.ts"
import { byLogin, type LoginOptions } from "./login.ts"
import { connecting, isLoopback, type Provider, refused, type Tokens, tokensOf } from "./oauth.ts"
import { systemTime } from "../engine/Time.ts"

/** A login that was begun: the person goes to `url`; the rest stays here until it comes back. */
export interface Authorization {
  readonly url: string
  readonly state: string
  readonly codeVerifier: string
}

export interface AuthorizationOptions extends Provider {
  /** Where the provider sends the person back to. */
  readonly redirectUri: string
  /** Further parameters, such as `login_hint` and `prompt`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

const ownContext: AuthContext = { fetch: (input, init) => fetch(input, init), time: systemTime, url: "" }

/** A desktop opens far more than pages: the document of a provider does not choose what. */
const pageOf = (address: string, issuer: string | URL): URL => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(new URL(issuer)))) return url
  throw new PorticoError("login_failed", {
    detail: `The identity provider's login page has the address '${address}', which is not an https address`,
    status: 0
  })
}

/** Begins a login with code and PKCE (RFC 7636). */
export const authorize = async (given: AuthorizationOptions, context = ownContext): Promise<Authorization> => {
  const { client, server } = await connecting(given)(context)
  if (server.authorization_endpoint === undefined) {
    throw new PorticoError("login_failed", { detail: "The identity provider has no login page", status: 0 })
  }
  const codeVerifier = generateRandomCodeVerifier()
  const state = generateRandomState()
  const url = pageOf(server.authorization_endpoint, given.issuer)
  const parameters = {
    ...given.parameters,
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: given.redirectUri,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    state,
    ...(given.scope === undefined ? {} : { scope: given.scope })
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, state, codeVerifier }
}

/** Ends a login: the tokens for the address that the person came back to. */
export const exchangeCode = async (
  given: AuthorizationOptions,
  { codeVerifier, state }: Pick<Authorization, "codeVerifier" | "state">,
  callback: string | URL,
  context = ownContext
): Promise<Tokens> => {
  const { authentication, client, options, server } = await connecting(given, "when nothing was done")(context)
  const answer = await Promise.resolve()
    .then(() => validateAuthResponse(server, client, new URL(callback), state))
    .catch(denied)
  const { redirectUri } = given
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    answer,
    redirectUri,
    codeVerifier,
    options
  )
  return tokensOf(await processAuthorizationCodeResponse(server, client, response).catch(refused), context)
}

/** The provider sends the person back with a refusal, or somebody else sends a code. */
const denied = (error: unknown): never => {
  const why = error instanceof Error ? error.message : String(error)
  // Without the cause, which has the code in it.
  throw new PorticoError("login_failed", { detail: `The login did not succeed: ${why}`, status: 0 })
}

export interface BrowserOptions extends AuthorizationOptions, LoginOptions {
  /** Opens the address, and gives the address that the person comes back to. */
  readonly open: (url: string) => Promise<string | URL>
}

/** A login in a browser, for programs that can open one. */
export const browser = (given: BrowserOptions): Auth =>
  byLogin(given, async (context) => {
    const begun = await authorize(given, context)
    return exchangeCode(given, begun, await given.open(begun.url), context)
  })
