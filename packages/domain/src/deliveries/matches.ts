import { budgetTopic } from "@portico/contract/Events"
import type { TargetEntry } from "@portico/store/Targets"

/**
 * Whether a target is subscribed to an event, by topic and by kind; a `*` at the end of a kind
 * matches any rest. Budget events never match, because a caller that may create a target may lack
 * the right to see costs.
 */
export const matches = (
  { kinds, topics }: Pick<TargetEntry, "topics" | "kinds">,
  event: { readonly topic: string; readonly kind: string }
): boolean =>
  event.topic !== budgetTopic &&
  (topics.length === 0 || topics.includes(event.topic)) &&
  (kinds.length === 0 ||
    kinds.some((_) => (_.endsWith("*") ? event.kind.startsWith(_.slice(0, -1)) : event.kind === _)))
