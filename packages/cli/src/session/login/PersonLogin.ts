import type { Provider } from "@portico/client/auth/oauth"
import type { Effect } from "effect"

/** A login of a person: where, and how the person is told what to do. */
export interface PersonLogin {
  readonly url: string
  readonly provider: Provider
  /** Also with `--quiet`: without it the login cannot go on. */
  readonly say: (text: string) => Effect.Effect<void>
}
