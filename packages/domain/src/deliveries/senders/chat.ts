import type { Event } from "@portico/contract/Events"
import { describe } from "./describe.ts"

/** The body for incoming webhooks of Slack, Mattermost and Rocket.Chat. */
export interface ChatMessage {
  readonly text: string
}

/**
 * An event as a channel message: its title, and its data below. It uses only `text`, because the
 * others do not support Slack's blocks. It notifies no one: mentions and links are plain text.
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

/**
 * Escapes Slack's three control characters by its rule, and `@` before a letter, which the others
 * read as a mention without brackets.
 */
const plain = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/@(?=\p{L})/gu, "@\u200b")
