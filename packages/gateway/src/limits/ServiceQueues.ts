import { FairQueue, type QueueLimits } from "@portico/domain/limits/FairQueue"
import type { MetricsRegistry } from "@portico/upstream/MetricsRegistry"

/** The queue of one upstream's forwarded calls, and how many it refused. */
export interface ServiceQueue {
  readonly queue: FairQueue
  readonly refused: { value: number }
}

/** A queue for each upstream, of the calls that it has not begun to answer. */
export class ServiceQueues {
  readonly #limits: QueueLimits
  readonly #all: MetricsRegistry
  readonly #bySystem = new Map<string, ServiceQueue>()

  constructor(limits: QueueLimits, all: MetricsRegistry) {
    this.#limits = limits
    this.#all = all
  }

  of(system: string): ServiceQueue {
    const known = this.#bySystem.get(system)
    if (known !== undefined) return known
    const queue = new FairQueue(this.#limits)
    const labels = { system }
    this.#all.gauge(
      "portico_proxy_unanswered_calls",
      "Forwarded calls that the service has not begun to answer.",
      labels,
      () => queue.calls
    )
    this.#all.gauge(
      "portico_proxy_waiting_calls",
      "Calls that wait until the service has answered others.",
      labels,
      () => queue.waiting
    )
    const refused = this.#all.count(
      "portico_proxy_refused_total",
      "Calls refused because the service had too many unanswered calls.",
      labels
    )
    const made = { queue, refused }
    this.#bySystem.set(system, made)
    return made
  }
}
