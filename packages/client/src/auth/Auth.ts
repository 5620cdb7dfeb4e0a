import type { Time } from "../engine/Time.ts"

/** A token, and when it ends. */
export interface Grant {
  readonly accessToken: string
  /** Milliseconds since the epoch; without it, the token is used until the gateway refuses it. */
  readonly expiresAt?: number | undefined
}

/** What a way to get a token works with. */
export interface AuthContext {
  readonly fetch: typeof fetch
  readonly time: Time
  /** The gateway's address. */
  readonly url: string
}

/** A way to get tokens, as a value: the client asks it before the last token ends, and when the gateway refuses one. */
export interface Auth {
  /** A token that never changes cannot be renewed: a refusal of it is final. */
  readonly renewable: boolean
  /** A token from earlier that is still good. */
  readonly initial?: Grant | undefined
  /** Asked once, however many calls wait for the token. */
  readonly obtain: (context: AuthContext) => Promise<Grant>
}
