import type { portico } from "../api/portico.ts"
import { everything, subscribed, type Subscription, wordsIn } from "../deliveries/subscription.ts"

export type Integration = Awaited<ReturnType<typeof portico.integrations.show>>
export type Kind = Integration["kind"]
export const kinds: ReadonlyArray<Kind> = ["email", "slack", "generic"]

export interface Header {
  readonly name: string
  readonly value: string
}

export interface IntegrationDraft extends Subscription {
  readonly kind: Kind
  readonly name: string
  /** Addresses between spaces or on lines of their own. */
  readonly to: string
  readonly url: string
  readonly headers: ReadonlyArray<Header>
}

export const noIntegration: IntegrationDraft = {
  kind: "slack",
  name: "",
  to: "",
  url: "",
  headers: [],
  ...everything
}

const placeOf = ({ headers, kind, to, url }: IntegrationDraft) => {
  switch (kind) {
    case "email":
      return { to: wordsIn(to) }
    case "slack":
      return { url }
    case "generic":
      return headers.length === 0 ? { url } : { url, headers }
  }
}

/** What the form sends: only the fields that the kind has. */
export const creationOf = (draft: IntegrationDraft) => ({
  kind: draft.kind,
  name: draft.name,
  ...placeOf(draft),
  ...subscribed(draft)
})

/** Where events go, as far as it may be shown. */
export const destinationOf = ({ recipients, url }: Integration): string =>
  url ?? (recipients ?? []).map((_) => _.address).join(", ")
