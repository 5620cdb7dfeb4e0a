import type { Effect } from "effect"
import type { UpstreamError } from "../UpstreamError.ts"

/** A right, or a thing at the system, that the gateway needs and does not have. */
export interface Missing {
  /** The object of "there is no": `the permission user.write in the organisation of ZITADEL_ORG_ID`. */
  readonly what: string
  /** What an operator does about it, as a sentence without its full stop. */
  readonly fix: string
}

/** What is missing for onboarding, found by reads alone. */
export type Rights = Effect.Effect<ReadonlyArray<Missing>, UpstreamError>
