import type { AutoscalingGroup } from "@portico/contract/Autoscaling"
import type { GroupEntry } from "@portico/store/AutoscalingGroups"
import { DateTime } from "effect"
import { isoOrNull } from "../isoOrNull.ts"

/** A group as its tenant sees it, without the user data of its servers. */
export const groupRecord = (entry: GroupEntry): AutoscalingGroup => {
  const { user_data, ...template } = entry.template
  return {
    group_id: entry.group_id,
    name: entry.name,
    min: entry.min,
    max: entry.max,
    desired: entry.desired,
    template: { ...template, has_user_data: user_data !== undefined },
    cooldown_seconds: entry.cooldown_seconds,
    cooldown_until: isoOrNull(entry.cooldown_until),
    policies: entry.policies,
    state: entry.deleting ? "deleting" : entry.state,
    reason: entry.reason,
    servers: entry.members.flatMap(({ leaving, server_id, status }) =>
      server_id === null ? [] : [{ server_id, status, leaving: leaving !== null }]
    ),
    observed_at: isoOrNull(entry.observed_at),
    created_at: DateTime.formatIso(entry.created_at)
  }
}
