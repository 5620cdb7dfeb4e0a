import { assert, it } from "@effect/vitest"
import { countersOf, mergedMetrics } from "@portico/gateway/threads/mergedMetrics"

const text = (lines: ReadonlyArray<string>) => `${lines.join("\n")}\n`

it("the threads' metrics equal those of one process", () => {
  const first = text([
    "# HELP portico_http_requests_total Completed HTTP requests.",
    "# TYPE portico_http_requests_total counter",
    'portico_http_requests_total{plane="operator",route="/a b"} 3',
    "# HELP process_cpu_seconds_total User and system processor time.",
    "# TYPE process_cpu_seconds_total counter",
    "process_cpu_seconds_total 7.5",
    "# HELP nodejs_eventloop_lag_p99_seconds Event loop delay in the last complete minute.",
    "# TYPE nodejs_eventloop_lag_p99_seconds gauge",
    "nodejs_eventloop_lag_p99_seconds 0.001",
    "# HELP portico_rate_limit_store_up 0 while it does not answer.",
    "# TYPE portico_rate_limit_store_up gauge",
    "portico_rate_limit_store_up 1"
  ])
  const second = text([
    "# HELP portico_http_requests_total Completed HTTP requests.",
    "# TYPE portico_http_requests_total counter",
    'portico_http_requests_total{plane="operator",route="/a b"} 4',
    'portico_http_requests_total{plane="customer",route="/c"} 5',
    "# HELP process_cpu_seconds_total User and system processor time.",
    "# TYPE process_cpu_seconds_total counter",
    "process_cpu_seconds_total 7.6",
    "# HELP nodejs_eventloop_lag_p99_seconds Event loop delay in the last complete minute.",
    "# TYPE nodejs_eventloop_lag_p99_seconds gauge",
    "nodejs_eventloop_lag_p99_seconds 0.2",
    "# HELP portico_rate_limit_store_up 0 while it does not answer.",
    "# TYPE portico_rate_limit_store_up gauge",
    "portico_rate_limit_store_up 0",
    "# HELP portico_uploads Request bodies.",
    "# TYPE portico_uploads gauge",
    "portico_uploads 2"
  ])
  assert.deepStrictEqual(mergedMetrics([first, second]).split("\n"), [
    "# HELP portico_http_requests_total Completed HTTP requests.",
    "# TYPE portico_http_requests_total counter",
    'portico_http_requests_total{plane="operator",route="/a b"} 7',
    'portico_http_requests_total{plane="customer",route="/c"} 5',
    "# HELP process_cpu_seconds_total User and system processor time.",
    "# TYPE process_cpu_seconds_total counter",
    "process_cpu_seconds_total 7.5",
    "# HELP nodejs_eventloop_lag_p99_seconds Event loop delay in the last complete minute.",
    "# TYPE nodejs_eventloop_lag_p99_seconds gauge",
    "nodejs_eventloop_lag_p99_seconds 0.2",
    "# HELP portico_rate_limit_store_up 0 while it does not answer.",
    "# TYPE portico_rate_limit_store_up gauge",
    "portico_rate_limit_store_up 0",
    "# HELP portico_uploads Request bodies.",
    "# TYPE portico_uploads gauge",
    "portico_uploads 2",
    ""
  ])
})

const family = (name: string, kind: string, ...series: ReadonlyArray<string>) => [
  `# HELP ${name} Something.`,
  `# TYPE ${name} ${kind}`,
  ...series.map((_) => `${name}${_}`)
]

it("a component that fails in one thread is down for the process", () => {
  const states = (ok: number, down: number) =>
    text(family("portico_component_state", "gauge", `{state="ok"} ${ok}`, `{state="down"} ${down}`))
  assert.strictEqual(mergedMetrics([states(1, 0), states(0, 1)]), states(0, 1))
  assert.strictEqual(mergedMetrics([states(1, 0), states(1, 0)]), states(1, 0))
})

it("an ended thread leaves its counters alone", () => {
  const counter = family("portico_http_requests_total", "counter", " 3")
  const others = [...family("portico_uploads", "gauge", " 2"), ...family("process_cpu_seconds_total", "counter", " 9")]
  assert.strictEqual(countersOf(["", text([...counter, ...others])]), text(counter))
  assert.strictEqual(
    countersOf([text(counter), text(counter)]),
    text(family("portico_http_requests_total", "counter", " 6"))
  )
  assert.strictEqual(countersOf(["", ""]), "")
})
