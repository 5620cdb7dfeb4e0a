import { processRefreshTokenResponse, refreshTokenGrantRequest } from "oauth4webapi"
import type { Auth, AuthContext, Grant } from "./Auth.ts"
import { connecting, type Provider, refused, type Tokens, tokensOf } from "./oauth.ts"

export interface RefreshOptions extends Provider {
  /** The last one, or a way to read it from where it is kept: another process may have rotated it. */
  readonly refreshToken: string | (() => string | Promise<string>)
  /** An access token that is still good, so that nothing is renewed before it ends. */
  readonly initial?: Grant | undefined
  /** Keeps the rotated tokens. The new access token is used when they are kept. */
  readonly onRotate?: ((tokens: Tokens) => void | Promise<void>) | undefined
}

/** Renews by refresh tokens, each of which is good for one renewal. */
export const refresh = (given: RefreshOptions): Auth => {
  const renew = renewing(given)
  let last: string | undefined
  let before: string | undefined
  return {
    renewable: true,
    initial: given.initial,
    obtain: async (context) => {
      const { refreshToken } = given
      const kept = typeof refreshToken === "function" ? await refreshToken() : refreshToken
      // What nobody has replaced since it was used is spent, also when the next one could not be kept.
      if (kept !== before) last = kept
      before = kept
      const token = last ?? kept
      const tokens = await renew(token, context)
      last = tokens.refreshToken ?? token
      await given.onRotate?.({ ...tokens, refreshToken: last })
      return tokens
    }
  }
}

/** One renewal. It is not repeated by itself: the provider takes a second use of a token for a theft. */
export const renewing = (provider: Provider) => {
  const connect = connecting(provider, "when nothing was done")
  return async (refreshToken: string, context: AuthContext): Promise<Tokens> => {
    const { authentication, client, options, server } = await connect(context)
    const response = await refreshTokenGrantRequest(server, client, authentication, refreshToken, options)
    return tokensOf(await processRefreshTokenResponse(server, client, response).catch(refused), context)
  }
}
