import { RegExp as Pattern } from "effect"
import type { ServiceName } from "./Wire.ts"

/**
 * A failure to inject. `before`: the service does not do the work. `after`: the service does the work, then the
 * answer is lost or replaced.
 */
export interface Fault {
  readonly service: ServiceName
  readonly method: string
  /** Path below the mount; `*` matches one segment, `**` any number of segments. */
  readonly path: string
  /** The first matching call that is hit, counted from 1 since the rule was set. Default 1. */
  readonly nth?: number
  /** How many calls in a row are hit. Default 1. */
  readonly times?: number | "always"
  readonly when: "before" | "after"
  readonly as: FaultKind
}

/** A status (with a body), a delay in milliseconds, no answer, a reset connection, or truncated JSON. */
export type FaultKind =
  | { readonly status: number; readonly body?: unknown }
  | { readonly delay_ms: number }
  | "hang"
  | "reset"
  | "garbage"

/** An injected fault with the number of calls that it has hit. */
export interface Rule extends Fault {
  readonly id: string
  /** How many calls it has hit. */
  readonly hits: number
}

interface Counted {
  readonly id: string
  readonly fault: Fault
  matched: number
  hits: number
}

/** The faults of one cloud, in the order of their creation. */
export class Rules {
  readonly #rules = new Map<string, Counted>()
  #last = 0

  add(fault: Fault): Rule {
    const rule = { id: `fault-${(this.#last += 1)}`, fault, matched: 0, hits: 0 }
    this.#rules.set(rule.id, rule)
    return shown(rule)
  }

  list(): ReadonlyArray<Rule> {
    return [...this.#rules.values()].map(shown)
  }

  /** False when no fault has this id. */
  remove(id: string): boolean {
    return this.#rules.delete(id)
  }

  clear(): void {
    this.#rules.clear()
  }

  /**
   * Counts the call against every rule and returns the faults that hit it.
   *
   * @param plainPath the path as the service understands it, such as without `.json` at its end
   */
  trip(call: Pick<Fault, "service" | "method" | "path">, plainPath: string = call.path): ReadonlyArray<Fault> {
    return [...this.#rules.values()].flatMap((rule) => {
      const { method, nth = 1, path, service, times = 1 } = rule.fault
      if (service !== call.service || method !== call.method) return []
      if (!globs(path).test(call.path) && !globs(path).test(plainPath)) return []
      rule.matched += 1
      const hit = rule.matched >= nth && (times === "always" || rule.matched < nth + times)
      if (hit) rule.hits += 1
      return hit ? [rule.fault] : []
    })
  }
}

const shown = ({ fault, hits, id }: Counted): Rule => ({ id, ...fault, hits })

const globs = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split("**")
      .map((part) => part.split("*").map(Pattern.escape).join("[^/]*"))
      .join(".*")}$`
  )
