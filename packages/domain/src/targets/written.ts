import type { Caller } from "@portico/contract/Access"
import { tenantTopics } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { type TargetEntry, Targets } from "@portico/store/Targets"
import { Effect } from "effect"
import { recipientsOf } from "../deliveries/settings.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { unlessAgentEnded } from "./unlessAgentEnded.ts"

/** The reason of an e-mail integration without a confirmed address. */
export const unconfirmed = "None of its addresses has agreed yet"

/**
 * Sets the state that the tenant wants, except that mail waits for a confirmed address.
 *
 * @param enabled absent when the tenant says nothing of it
 */
export const settled = Effect.fnUntraced(function* (entry: TargetEntry, enabled?: boolean) {
  const waits = entry.disabled_reason === unconfirmed
  const wanted = enabled ?? (entry.state === "active" || waits)
  const ready = entry.kind !== "email" || (yield* recipientsOf(entry)).some((_) => _.confirmed_at !== null)
  if (wanted && ready) return yield* enabledAgain(entry)
  if (entry.state === "disabled" && enabled === undefined && !waits) return entry
  const reason = wanted ? unconfirmed : null
  // A webhook keeps the gateway's own reason.
  if (entry.state === "disabled" && (entry.disabled_reason === reason || entry.kind === "webhook")) return entry
  // A disabled integration must be enabled before it can be disabled for another reason.
  const active = yield* enabledAgain(entry)
  return (yield* (yield* Targets).disable(entry.project_id, entry.target_id, reason)) ?? active
})

const enabledAgain = Effect.fnUntraced(function* (entry: TargetEntry) {
  if (entry.state === "active") return entry
  const from = yield* (yield* EventLog).newest(tenantTopics)
  return (yield* (yield* Targets).enable(entry.project_id, entry.target_id, from)) ?? entry
})

/** Writes a target, and looks whether the agent that asked was ended; a client that hangs up stops neither. */
export const writtenBy = Effect.fnUntraced(function* <E, R>(
  caller: Caller | undefined,
  write: Effect.Effect<TargetEntry, E, R>
) {
  const { run } = yield* RunToCompletion
  return yield* run(Effect.tap(write, (_) => unlessAgentEnded(caller, _)))
})
