import type { Event } from "@portico/contract/Events"
import { describe } from "./describe.ts"

/** The body that incoming webhooks of Slack take, and those of Mattermost and Rocket.Chat. */
export interface ChatMessage {
  readonly text: string
}

/**
 * An event as a message in a channel: its title, and what is known of it below.
 * Only `text`, because the others know nothing of Slack's blocks. Nobody is
 * called by it: what would be a mention or a link is text.
 */
export const chatMessage = (event: Event): ChatMessage => {
  const { facts, title } = describe(event)
  const lines = [
    `*${plain(title).replaceAll("*", "∗")}*`,
    ...facts.map(([name, value]) => `• ${plain(name)}: ${plain(value)}`),
    `_${plain(event.kind)} · ${plain(event.at)} · ${plain(event.id)}_`
  ]
  return { text: lines.join("\n") }
}

/** Slack's three characters of control, by its rule; and a mention of everybody, which the others read without brackets. */
const plain = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/@(?=\p{L})/gu, "@\u200b")
