import type { ReactNode } from "react"
import styles from "./Badge.module.css"
import { useStateName } from "./states.ts"

export type Tone = "good" | "warn" | "bad" | "busy" | "neutral"

interface BadgeProps {
  readonly tone?: Tone
  readonly children: ReactNode
}

/** A state in a word; the colour never says it alone. */
export const Badge = ({ children, tone = "neutral" }: BadgeProps) => (
  <span className={[styles["badge"], tone === "neutral" ? "" : styles[tone]].filter(Boolean).join(" ")}>
    {children}
  </span>
)

/** States of the platform and of the gateway, by what they mean to a person. */
const tones: Readonly<Record<string, Tone>> = Object.fromEntries([
  ...[
    "active",
    "ok",
    "ready",
    "available",
    "in-use",
    "in_use",
    "live",
    "verified",
    "operational",
    "delivered",
    "online",
    "done",
    "approved",
    "paid",
    "healthy",
    "confirmed",
    "completed",
    "resolved",
    "running",
    "in_sync"
  ].map((_) => [_, "good"] as const),
  ...[
    "build",
    "building",
    "creating",
    "pending",
    "deleting",
    "attaching",
    "detaching",
    "reboot",
    "hard_reboot",
    "resize",
    "verify_resize",
    "queued",
    "saving",
    "restoring",
    "provisioning",
    "scaling",
    "rotating",
    "in_progress",
    "updating",
    "open"
  ].map((_) => [_, "busy"] as const),
  ...[
    "insufficient_data",
    "shutoff",
    "paused",
    "suspended",
    "warning",
    "degraded",
    "expiring",
    "unverified",
    "down",
    "maintenance",
    "past_due",
    "stopped",
    "closed",
    "draft"
  ].map((_) => [_, "warn"] as const),
  ...[
    "error",
    "alarm",
    "failed",
    "critical",
    "stuck",
    "rejected",
    "revoked",
    "unreachable",
    "outage",
    "dead",
    "major_outage",
    "overdue",
    "undelivered"
  ].map((_) => [_, "bad"] as const)
])

export const toneOf = (state: string): Tone => tones[state.toLowerCase()] ?? "neutral"

interface StateProps {
  /** In the word of the API, such as `ACTIVE`. */
  readonly state: string
  readonly tone?: Tone
}

/** A state in the person's language, with the colour of what it means. */
export const State = ({ state, tone = toneOf(state) }: StateProps) => <Badge tone={tone}>{useStateName()(state)}</Badge>
