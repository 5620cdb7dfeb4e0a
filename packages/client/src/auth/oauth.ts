import {
  allowInsecureRequests,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  customFetch,
  type CustomFetchOptions,
  discoveryRequest,
  None,
  OperationProcessingError,
  processDiscoveryResponse,
  ResponseBodyError,
  type TokenEndpointResponse,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError
} from "oauth4webapi"
import { repeated } from "../engine/retry.ts"
import { PorticoError } from "../PorticoError.ts"
import type { AuthContext, Grant } from "./Auth.ts"

/** An OpenID provider, and who asks it. */
export interface Provider {
  /** Where its discovery document is found, below `/.well-known`. */
  readonly issuer: string | URL
  readonly clientId: string
  /** Of a confidential client. */
  readonly clientSecret?: string | undefined
  /**
   * Separated by spaces. The gateway needs the provider's scopes for roles and
   * for its own audience; `offline_access` brings a refresh token.
   */
  readonly scope?: string | undefined
  /** Replaces or completes what discovery says, for a provider without it. */
  readonly metadata?: Partial<AuthorizationServer> | undefined
}

/** What a login brings. */
export interface Tokens extends Grant {
  /** Good for one renewal, which brings the next one. */
  readonly refreshToken?: string | undefined
}

/** A provider that was discovered. */
export interface Connection {
  readonly server: AuthorizationServer
  readonly client: Client
  readonly authentication: ClientAuth
  readonly options: { readonly [customFetch]: Send; readonly [allowInsecureRequests]: boolean }
}

/** A provider on this machine, which may speak plain HTTP. */
export const isLoopback = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

type Send = (url: string, options: CustomFetchOptions<string, URLSearchParams | undefined>) => Promise<Response>

/** Repeats what failed: a request that may be sent twice always, every other one when nothing was done. */
const patient =
  ({ fetch, time }: AuthContext, again: "when nothing was done" | "always"): Send =>
  (url, { body, headers, method, redirect, signal }) => {
    const init = { headers, method, redirect, signal: signal ?? null, ...(body === undefined ? {} : { body }) }
    return repeated({ send: () => fetch(url, init), signal, again, hasKey: false }, { times: 2 }, time)
  }

/** Discovers the provider once; after a failure, again. */
export const connecting = (provider: Provider, again: "when nothing was done" | "always" = "always") => {
  const issuer = new URL(provider.issuer)
  const insecure = isLoopback(issuer)
  let found: Promise<AuthorizationServer> | undefined

  const discovered = (context: AuthContext): Promise<AuthorizationServer> =>
    provider.metadata?.token_endpoint === undefined
      ? discoveryRequest(issuer, { [customFetch]: patient(context, "always"), [allowInsecureRequests]: insecure }).then(
          (response) => processDiscoveryResponse(issuer, response)
        )
      : Promise.resolve({ issuer: issuer.href })

  const server = async (context: AuthContext): Promise<AuthorizationServer> => {
    found ??= discovered(context)
    const document = await found.catch((error: unknown) => {
      found = undefined
      throw error
    })
    return { ...document, ...provider.metadata }
  }

  return async (context: AuthContext): Promise<Connection> => ({
    server: await server(context).catch(refused),
    client: { client_id: provider.clientId },
    authentication: provider.clientSecret === undefined ? None() : ClientSecretBasic(provider.clientSecret),
    options: { [customFetch]: patient(context, again), [allowInsecureRequests]: insecure }
  })
}

const unusable = [OperationProcessingError, UnsupportedOperationError, WWWAuthenticateChallengeError]

/** The failure of a provider that answers, and gives no token. */
export const refused = (error: unknown): never => {
  if (error instanceof ResponseBodyError) {
    const { error: code, error_description: sentence, status } = error
    const detail = `The identity provider refused: ${sentence ?? code}`
    throw new PorticoError("login_failed", { detail, status, body: error.cause, cause: error })
  }
  if (unusable.some((_) => error instanceof _)) {
    const why = error instanceof Error ? error.message : ""
    // Without the cause, which has the whole answer in it, and with that the tokens.
    throw new PorticoError("login_failed", {
      detail: `The identity provider's answer cannot be used: ${why}`,
      status: 0
    })
  }
  throw error
}

/** The OAuth error code of a refusal. */
export const oauthCodeOf = (error: unknown): string | undefined =>
  error instanceof PorticoError && error.cause instanceof ResponseBodyError ? error.cause.error : undefined

export const tokensOf = (answer: TokenEndpointResponse, { time }: AuthContext): Tokens => ({
  accessToken: answer.access_token,
  ...(answer.expires_in === undefined ? {} : { expiresAt: time.now() + answer.expires_in * 1000 }),
  ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token })
})
