import { Count, type Labels, metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Duration, Effect, Layer } from "effect"

export type BusState = "ok" | "unreachable" | "behind" | "unauthorized"

/** A topic on its way to Kafka, as this process sees it. */
export interface Way {
  readonly sent: Count
  readonly failures: Count
  /** Went without their data, or not at all, because the broker takes none of that size. */
  readonly reduced: Count
  /** Events that have not arrived, at most 10,000. */
  waiting: number
  /** For how long the oldest of them has been waiting. */
  lagSeconds: number
  /** The last attempt of this process was left without an answer. */
  unanswered: boolean
  /** The brokers did not accept the gateway's login then. */
  loginRefused: boolean
}

/** Events from Kafka. */
export interface Intake {
  readonly kept: Count
  /** What is no event, or none that may be kept. */
  readonly refused: Count
  /** The brokers could not be listened to when this was last tried. */
  deaf: boolean
  /** They did not accept the gateway's login then. */
  loginRefused: boolean
}

interface Watched {
  way(topic: string): Way
  intake(): Intake
  /** Undefined where there is no Kafka, or nothing has been seen of it yet. */
  state(): BusState | undefined
}

/** An event that waits for longer is late. */
const lateAfter = Duration.toSeconds("1 minute")

/** What a process knows of Kafka, for whoever asks whether it is ready. Without {@link layer} nothing is counted. */
export const BusHealth = Context.Reference<Watched>("portico/domain/bus/BusHealth", {
  defaultValue: () => ({ ...watchedOf(() => new Count(), ignore), state: () => undefined })
})

export const layer = Layer.effect(
  BusHealth,
  Effect.map(metricsRegistry, (all) =>
    watchedOf(
      (name, description, labels) => all.count(name, description, labels),
      (name, description, labels, read) => all.gauge(name, description, labels, read)
    )
  )
)

const ignore = (): void => {}

/** No series before there is something to count: most installations have no Kafka. */
const watchedOf = (
  count: (name: string, description: string, labels: Labels) => Count,
  gauge: (name: string, description: string, labels: Labels, read: () => number) => void
): Watched => {
  const ways = new Map<string, Way>()
  let intake: Intake | undefined

  const wayOf = (topic: string): Way => {
    const labels = { topic }
    const way: Way = {
      sent: count("portico_bus_sent_total", "Events that Kafka has taken.", labels),
      failures: count("portico_bus_failures_total", "Attempts to send events to Kafka that failed.", labels),
      reduced: count("portico_bus_reduced_total", "Events that were too large for Kafka as they are.", labels),
      waiting: 0,
      lagSeconds: 0,
      unanswered: false,
      loginRefused: false
    }
    gauge("portico_bus_waiting", "Events that Kafka does not have yet, at most 10,000.", labels, () => way.waiting)
    const lag = "How long the oldest event that Kafka does not have yet has been waiting."
    gauge("portico_bus_lag_seconds", lag, labels, () => way.lagSeconds)
    ways.set(topic, way)
    return way
  }

  const intakeOf = (): Intake => {
    const description = "Messages from Kafka, by what came of them."
    const outcome = (outcome: string) => count("portico_bus_received_total", description, { outcome })
    return { kept: outcome("kept"), refused: outcome("refused"), deaf: false, loginRefused: false }
  }

  return {
    way: (topic) => ways.get(topic) ?? wayOf(topic),
    intake: () => (intake ??= intakeOf()),
    state: () => {
      const all = [...ways.values()]
      if (all.length === 0 && intake === undefined) return undefined
      if (intake?.loginRefused === true || all.some((_) => _.loginRefused)) return "unauthorized"
      if (intake?.deaf === true || all.some((_) => _.unanswered)) return "unreachable"
      return all.some((_) => _.lagSeconds > lateAfter) ? "behind" : "ok"
    }
  }
}
