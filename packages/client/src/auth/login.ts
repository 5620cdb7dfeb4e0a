import type { Auth, AuthContext } from "./Auth.ts"
import type { Provider, Tokens } from "./oauth.ts"
import { renewing } from "./refresh.ts"

export interface LoginOptions extends Provider {
  /** Keeps the tokens of the login and of each renewal, for `refresh` in a later process. */
  readonly onRotate?: ((tokens: Tokens) => void | Promise<void>) | undefined
}

/** A person logs in once; after that, refresh tokens renew. Without one, the person logs in again. */
export const byLogin = (provider: LoginOptions, login: (context: AuthContext) => Promise<Tokens>): Auth => {
  const renew = renewing(provider)
  let last: string | undefined
  return {
    renewable: true,
    obtain: async (context) => {
      const tokens = await (last === undefined ? login(context) : renew(last, context))
      last = tokens.refreshToken ?? last
      await provider.onRotate?.({ ...tokens, ...(last === undefined ? {} : { refreshToken: last }) })
      return tokens
    }
  }
}
