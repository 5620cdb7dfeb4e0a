import type { ServiceName } from "./Wire.ts"

/**
 * What goes wrong, and when. `before` the effect: the system never did the
 * work. `after` it: the work is done and only the answer is lost or changed.
 */
export interface Fault {
  readonly service: ServiceName
  readonly method: string
  /** Path below the mount; `*` stands for one segment, `**` for any rest. */
  readonly path: string
  /** The first matching call that is hit, counted from 1 since the rule was set. Default 1. */
  readonly nth?: number
  /** How many calls in a row are hit. Default 1. */
  readonly times?: number | "always"
  readonly when: "before" | "after"
  readonly as: FaultKind
}

/** A status (with a body), a delay in milliseconds, no answer ever, a broken connection, or bytes that mean nothing. */
export type FaultKind =
  | { readonly status: number; readonly body?: unknown }
  | { readonly delay_ms: number }
  | "hang"
  | "reset"
  | "garbage"

export interface Rule {
  readonly fault: Fault
  matched: number
}

const globs = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split("**")
      .map((part) => part.split("*").map(RegExp.escape).join("[^/]*"))
      .join(".*")}$`
  )

/** Counts the call against every rule and returns the faults that hit it. */
export const trip = (
  rules: ReadonlyArray<Rule>,
  call: { readonly service: string; readonly method: string; readonly path: string }
): ReadonlyArray<Fault> =>
  rules.flatMap((rule) => {
    const { method, nth = 1, path, service, times = 1 } = rule.fault
    if (service !== call.service || method !== call.method || !globs(path).test(call.path)) return []
    rule.matched += 1
    const hit = rule.matched >= nth && (times === "always" || rule.matched < nth + times)
    return hit ? [rule.fault] : []
  })
