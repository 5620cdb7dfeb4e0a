import { Count, type Labels, metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Duration, Effect, Layer } from "effect"

export type BusState = "ok" | "unreachable" | "behind" | "unauthorized"

/** The delivery of a topic to Kafka, as this process sees it. */
export interface TopicStatus {
  readonly sent: Count
  readonly failures: Count
  /** Events sent without their data, or not sent at all, because the broker's size limit is lower. */
  readonly reduced: Count
  /** Events not yet delivered, counted up to 10,000. */
  waiting: number
  /** The age of the oldest of them. */
  lagSeconds: number
  /** The brokers did not answer this process's last attempt. */
  unanswered: boolean
  /** The brokers rejected the gateway's login then. */
  loginRefused: boolean
}

/** Events from Kafka. */
export interface Intake {
  readonly kept: Count
  /** Messages that are not valid events, or that must not be stored. */
  readonly refused: Count
  /** The last attempt to subscribe failed. */
  unsubscribed: boolean
  /** They rejected the gateway's login then. */
  loginRefused: boolean
}

interface Recorder {
  topicStatus(topic: string): TopicStatus
  intake(): Intake
  /** Undefined without Kafka, or before anything was observed. */
  state(): BusState | undefined
}

/** An event that waits for longer counts as late. */
const lateAfter = Duration.toSeconds("1 minute")

/** What this process knows of Kafka, for the readiness check. Without {@link layer} nothing is counted. */
export const BusHealth = Context.Reference<Recorder>("portico/domain/bus/BusHealth", {
  defaultValue: () => ({ ...recorderOf(() => new Count(), ignore), state: () => undefined })
})

export const layer = Layer.effect(
  BusHealth,
  Effect.map(metricsRegistry, (all) =>
    recorderOf(
      (name, description, labels) => all.count(name, description, labels),
      (name, description, labels, read) => all.gauge(name, description, labels, read)
    )
  )
)

const ignore = (): void => {}

/** Creates no series before there is something to count: most installations have no Kafka. */
const recorderOf = (
  count: (name: string, description: string, labels: Labels) => Count,
  gauge: (name: string, description: string, labels: Labels, read: () => number) => void
): Recorder => {
  const statuses = new Map<string, TopicStatus>()
  let intake: Intake | undefined

  const newTopicStatus = (topic: string): TopicStatus => {
    const labels = { topic }
    const status: TopicStatus = {
      sent: count("portico_bus_sent_total", "Events that Kafka has accepted.", labels),
      failures: count("portico_bus_failures_total", "Failed attempts to send events to Kafka.", labels),
      reduced: count("portico_bus_reduced_total", "Events that exceeded Kafka's message size limit.", labels),
      waiting: 0,
      lagSeconds: 0,
      unanswered: false,
      loginRefused: false
    }
    gauge(
      "portico_bus_waiting",
      "Events not yet delivered to Kafka, counted up to 10,000.",
      labels,
      () => status.waiting
    )
    const lag = "Age of the oldest event not yet delivered to Kafka, in seconds."
    gauge("portico_bus_lag_seconds", lag, labels, () => status.lagSeconds)
    statuses.set(topic, status)
    return status
  }

  const intakeOf = (): Intake => {
    const description = "Messages received from Kafka, by outcome."
    const outcome = (outcome: string) => count("portico_bus_received_total", description, { outcome })
    return { kept: outcome("kept"), refused: outcome("refused"), unsubscribed: false, loginRefused: false }
  }

  return {
    topicStatus: (topic) => statuses.get(topic) ?? newTopicStatus(topic),
    intake: () => (intake ??= intakeOf()),
    state: () => {
      const all = [...statuses.values()]
      if (all.length === 0 && intake === undefined) return undefined
      if (intake?.loginRefused === true || all.some((_) => _.loginRefused)) return "unauthorized"
      if (intake?.unsubscribed === true || all.some((_) => _.unanswered)) return "unreachable"
      return all.some((_) => _.lagSeconds > lateAfter) ? "behind" : "ok"
    }
  }
}
