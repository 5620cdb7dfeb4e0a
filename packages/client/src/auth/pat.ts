import type { Auth } from "./Auth.ts"

/** A personal access token, or any other token that stays as it is. A `token` given as text is the same. */
export const pat = (token: string): Auth => ({
  renewable: false,
  obtain: () => Promise.resolve({ accessToken: token })
})
