import type { MonitoringUpstreams, UpstreamRow } from "@portico/contract/Monitoring"
import { type FailedCall, type Recent, recentWindow } from "@portico/upstream/RecentCalls"
import { systemOf, UpstreamMetrics } from "@portico/upstream/UpstreamMetrics"
import { DateTime, Duration, Effect } from "effect"
import type { Component } from "../health/Components.ts"
import { components } from "../health/readiness.ts"
import { percentOf } from "./samples.ts"

/** The systems behind components that go by another name, and are not called through the metrics. */
const systems: Readonly<Record<string, string>> = { database: "postgresql", bus: "kafka", "rate-limits": "redis" }

/** A component that is a part of the gateway itself. */
const isOwn = (component: string): boolean => component === "background"

/**
 * Every upstream with its readiness and its calls of the last minutes, as this process saw them. It asks no upstream.
 */
export const showUpstreams = Effect.fn("monitoring.upstreams")(function* () {
  const calls = (yield* UpstreamMetrics).recent()
  const probed = new Map(
    Object.entries(yield* components)
      .filter(([name]) => !isOwn(name))
      .map(([name, component]) => [systems[name] ?? systemOf(name), { name, component }])
  )
  const names = [...new Set([...probed.keys(), ...calls.keys()])].toSorted()
  return {
    generated_at: DateTime.formatIso(yield* DateTime.now),
    window_seconds: Duration.toSeconds(recentWindow),
    upstreams: names.map((upstream) => {
      const { component, name } = probed.get(upstream) ?? {}
      return { upstream, component: name ?? null, ...probeOf(component), ...callsOf(calls.get(upstream)) }
    })
  } satisfies MonitoringUpstreams
})

const probeOf = (component: Component | undefined) => ({
  state: component?.state ?? null,
  since: component?.since ?? null,
  checked_at: component?.checked_at ?? null,
  message: component?.message ?? null
})

const none: Recent = { calls: 0, failed: 0, p50: null, p95: null, lastFailed: null }

const callsOf = ({ calls, failed, lastFailed, p50, p95 }: Recent = none) => ({
  calls,
  failed,
  failed_percent: calls === 0 ? null : percentOf((100 * failed) / calls),
  p50_ms: inMilliseconds(p50),
  p95_ms: inMilliseconds(p95),
  last_failure: lastFailed === null ? null : failureOf(lastFailed)
})

const inMilliseconds = (seconds: number | null): number | null => (seconds === null ? null : percentOf(seconds * 1000))

const failureOf = ({ at, call, status }: FailedCall): UpstreamRow["last_failure"] => ({
  at: DateTime.formatIso(DateTime.makeUnsafe(at)),
  call,
  status
})
