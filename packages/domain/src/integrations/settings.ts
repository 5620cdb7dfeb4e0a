import { SecretHeader } from "@portico/contract/Integrations"
import type { TargetEntry } from "@portico/store/Targets"
import { Effect, Schema } from "effect"

/** An address, and what it is asked with until it agrees. */
export const RecipientEntry = Schema.Struct({
  address: Schema.String,
  /** ISO 8601, as the others; null until then. */
  confirmed_at: Schema.NullOr(Schema.String),
  /** The SHA-256 of the code that it was sent last, in hexadecimal; null when none is valid any more. */
  code_hash: Schema.NullOr(Schema.String),
  code_ends_at: Schema.NullOr(Schema.String)
})
export type RecipientEntry = typeof RecipientEntry.Type

/** The `settings` of a target of the kind `email`. It has no secrets. */
export const EmailSettings = Schema.Struct({ recipients: Schema.Array(RecipientEntry) })

/** The `settings` of `slack` and `generic`: what may be shown of their {@link Place}. */
export const PlaceSettings = Schema.Struct({ url: Schema.String, headers: Schema.Array(Schema.String) })

/** The secret of `slack` and `generic`. */
export const Place = Schema.Struct({ url: Schema.String, headers: Schema.Array(SecretHeader) })
export type Place = typeof Place.Type

const decodeEmail = Schema.decodeUnknownEffect(EmailSettings)
const decodePlace = Schema.decodeUnknownEffect(PlaceSettings)

export const recipientsOf = ({
  settings
}: Pick<TargetEntry, "settings">): Effect.Effect<ReadonlyArray<RecipientEntry>> =>
  Effect.map(Effect.orDie(decodeEmail(settings)), (_) => _.recipients)

export const shownPlaceOf = ({ settings }: Pick<TargetEntry, "settings">) => Effect.orDie(decodePlace(settings))

/** Of a Slack address everything but the host is the secret; of others, what stands behind the path. */
export const shownUrl = (kind: "slack" | "generic", address: string): string => {
  const { origin, pathname, search } = new URL(address)
  if (kind === "slack") return `${origin}/…`
  return `${origin}${pathname}${search === "" ? "" : "?…"}`
}
