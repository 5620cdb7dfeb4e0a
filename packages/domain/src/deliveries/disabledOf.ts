import { webhookTopic } from "@portico/contract/Events"
import type { TargetDisabled } from "@portico/contract/Targets"
import type { TargetEntry } from "@portico/store/Targets"
import { DateTime } from "effect"
import { randomUUID } from "node:crypto"
import { isoOrNull } from "../isoOrNull.ts"

/** The event of a target that the platform disabled, and why. */
export const disabledOf = (off: TargetEntry, reason: string, now: DateTime.Utc): TargetDisabled => ({
  id: randomUUID(),
  topic: webhookTopic,
  kind: off.kind === "webhook" ? "webhook.disabled" : "integration.disabled",
  at: DateTime.formatIso(now),
  key: off.target_id,
  project_id: off.project_id,
  data: {
    target_kind: off.kind,
    target_id: off.target_id,
    name: off.name,
    reason,
    failures_in_a_row: off.failures_in_a_row,
    failing_since: isoOrNull(off.failing_since)
  }
})
