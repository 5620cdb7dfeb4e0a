import type { Sending } from "./target.ts"
import { sentTopics, type SentTopic } from "./topics.ts"

/** Which events are sent, as a form holds it. */
export interface Subscription {
  readonly topics: ReadonlyArray<SentTopic>
  /** Kinds, or their beginnings, between spaces or commas. */
  readonly kinds: string
}

export const everything: Subscription = { topics: [], kinds: "" }

/** The words of a text, which stand between spaces, commas or on lines of their own. */
export const wordsIn = (text: string): ReadonlyArray<string> => text.split(/[\s,;]+/).filter((_) => _ !== "")

export const subscriptionOf = ({ kinds, topics }: Sending): Subscription => ({
  topics: sentTopics.filter((_) => topics.includes(_)),
  kinds: kinds.join(" ")
})

export const subscribed = ({ kinds, topics }: Subscription) => ({ topics, kinds: wordsIn(kinds) })
