import type { Sending } from "./target.ts"

/** The topics whose events can be sent: all that tenants read, but those of budgets. */
export const sentTopics = [
  "agent.actions",
  "alarms",
  "asg.lifecycle",
  "billing.lifecycle",
  "iam.credentials",
  "webhooks"
] as const

type SentTopic = (typeof sentTopics)[number]

export interface Header {
  readonly name: string
  readonly value: string
}

/** A target as a form holds it. */
export interface Draft {
  readonly kind: "webhook" | "email" | "slack" | "generic"
  /** Of a webhook its description. */
  readonly name: string
  /** Addresses between spaces or on lines of their own. */
  readonly to: string
  readonly url: string
  readonly headers: ReadonlyArray<Header>
  /** The topics whose events are sent. */
  readonly topics: ReadonlyArray<SentTopic>
  /** Kinds of event, or their beginnings, between spaces or commas. */
  readonly kinds: string
}

export const blank = { name: "", to: "", url: "", headers: [], topics: [], kinds: "" } as const satisfies Omit<
  Draft,
  "kind"
>

/** The words of a text, which stand between spaces, commas or on lines of their own. */
export const wordsIn = (text: string): ReadonlyArray<string> => text.split(/[\s,;]+/).filter((_) => _ !== "")

export const subscriptionOf = ({ kinds, topics }: Sending): Pick<Draft, "kinds" | "topics"> => ({
  topics: sentTopics.filter((_) => topics.includes(_)),
  kinds: kinds.join(" ")
})

export const subscribed = ({ kinds, topics }: Draft) => ({ topics, kinds: wordsIn(kinds) })
