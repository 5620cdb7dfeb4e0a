import { budgetTopic } from "@portico/contract/Events"
import type { TargetEntry } from "@portico/store/Targets"

/**
 * Whether a target is subscribed to an event: to its topic and to its kind,
 * where a `*` at the end stands for whatever follows. Never to what an account
 * costs: whoever may make a target need not be one who may see that.
 */
export const matches = (
  { kinds, topics }: Pick<TargetEntry, "topics" | "kinds">,
  event: { readonly topic: string; readonly kind: string }
): boolean =>
  event.topic !== budgetTopic &&
  (topics.length === 0 || topics.includes(event.topic)) &&
  (kinds.length === 0 ||
    kinds.some((_) => (_.endsWith("*") ? event.kind.startsWith(_.slice(0, -1)) : event.kind === _)))
