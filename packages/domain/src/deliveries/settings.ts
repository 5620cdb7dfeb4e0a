import { SecretHeader } from "@portico/contract/Integrations"
import type { TargetEntry } from "@portico/store/Targets"
import { Effect, Schema } from "effect"

/** The kind of event that a test of an integration sends. */
export const integrationPing = "integration.ping"

/** The `settings` of a target of the kind `webhook`. */
const WebhookSettings = Schema.Struct({ url: Schema.String })

/** An address, with its confirmation code until it agrees. */
export const RecipientEntry = Schema.Struct({
  address: Schema.String,
  /** ISO 8601, like `code_ends_at`; null until the address agrees. */
  confirmed_at: Schema.NullOr(Schema.String),
  /** The SHA-256 of the last code sent, in hexadecimal; null when no code is valid. */
  code_hash: Schema.NullOr(Schema.String),
  code_ends_at: Schema.NullOr(Schema.String)
})
export type RecipientEntry = typeof RecipientEntry.Type

/** The `settings` of a target of the kind `email`. It has no secrets. */
export const EmailSettings = Schema.Struct({ recipients: Schema.Array(RecipientEntry) })

/** The `settings` of `slack` and `generic`: the part of their {@link Endpoint} that may be shown. */
export const EndpointSettings = Schema.Struct({ url: Schema.String, headers: Schema.Array(Schema.String) })

/** The secret of `slack` and `generic`. */
export const Endpoint = Schema.Struct({ url: Schema.String, headers: Schema.Array(SecretHeader) })
export type Endpoint = typeof Endpoint.Type

const decodeWebhook = Schema.decodeUnknownEffect(WebhookSettings)
const decodeEmail = Schema.decodeUnknownEffect(EmailSettings)
const decodeEndpoint = Schema.decodeUnknownEffect(EndpointSettings)

export const webhookUrlOf = ({ settings }: Pick<TargetEntry, "settings">): Effect.Effect<string> =>
  Effect.map(Effect.orDie(decodeWebhook(settings)), (_) => _.url)

export const recipientsOf = ({
  settings
}: Pick<TargetEntry, "settings">): Effect.Effect<ReadonlyArray<RecipientEntry>> =>
  Effect.map(Effect.orDie(decodeEmail(settings)), (_) => _.recipients)

/** Rows of older versions hold more of a `generic` address than may be shown. */
export const shownEndpointOf = ({ settings }: Pick<TargetEntry, "settings">) =>
  Effect.map(Effect.orDie(decodeEndpoint(settings)), ({ url, ...more }) => ({ ...more, url: shownUrl(url) }))

/**
 * The part of an address that may be shown: its host. The addresses of chat and automation services have their secret
 * in the path, others in the query.
 */
export const shownUrl = (address: string): string => `${new URL(address).origin}/…`
