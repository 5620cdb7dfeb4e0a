import { assert, it } from "@effect/vitest"
import { running } from "@portico/simulator/nova/running"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"

const story = <E>(title: string, test: Effect.Effect<void, E, SimulatedCloud>) =>
  it.effect(title, () => Effect.provide(test, SimulatedCloud.layerMemory))

const form = { "content-type": "application/x-www-form-urlencoded" }

const query = (expression: string, more: Readonly<Record<string, string>> = {}) =>
  ask("POST", "/prometheus/api/v1/query", {
    headers: form,
    body: new URLSearchParams({ query: expression, ...more }).toString()
  })

const range = (parameters: Readonly<Record<string, string>>) =>
  ask("GET", `/prometheus/api/v1/query_range?${new URLSearchParams(parameters)}`)

const cpu = "portico:instance_cpu:percent"

const server = Effect.gen(function* () {
  const { world } = yield* SimulatedCloud
  for (const [id, project_id] of [
    ["one", "acme"],
    ["two", "acme"],
    ["three", "globex"]
  ] as const) {
    world.nova.servers[id] = running(id, project_id)
  }
  yield* TestClock.setTime(3_600_000)
})

story(
  "a selector answers its series, with values as text, at the requested time",
  Effect.gen(function* () {
    yield* server
    const { json, status } = yield* query(`${cpu}{instance_id="one"}`)
    assert.strictEqual(status, 200)
    assert.strictEqual(json.data.resultType, "vector")
    const [found, ...others] = json.data.result
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(found.metric, { __name__: cpu, instance_id: "one", project_id: "acme" })
    assert.strictEqual(found.value[0], 3600)
    assert.isString(found.value[1])
    assert.deepStrictEqual((yield* query(`${cpu}{instance_id="none"}`)).json.data.result, [])
    assert.deepStrictEqual((yield* query(`${cpu}`, { time: "4000" })).json.data.result, [])
    const again = yield* ask("GET", `/prometheus/api/v1/query?query=${encodeURIComponent(`${cpu}{instance_id="one"}`)}`)
    assert.deepStrictEqual(again.json.data.result, json.data.result)
  })
)

story(
  "values are means of the samples, counted and grouped by labels",
  Effect.gen(function* () {
    yield* server
    const { world } = yield* SimulatedCloud
    const labels = { instance_id: "one" }
    world.monitoring.readings["all"] = { metric: cpu, labels, value: 10 }
    world.monitoring.readings["last"] = { metric: cpu, labels, from: 3_600_000, value: 50 }
    world.monitoring.readings["two"] = { metric: cpu, labels: { instance_id: "two" }, value: 30 }
    // Four samples: 3555, 3570, 3585 and 3600.
    const mean = yield* query(`avg_over_time(${cpu}{instance_id="one"}[60s])`)
    assert.deepStrictEqual(mean.json.data.result, [
      { metric: { instance_id: "one", project_id: "acme" }, value: [3600, "20"] }
    ])
    const both = yield* query(`avg(avg_over_time(${cpu}{instance_id=~"one|two"}[60s]))`)
    assert.deepStrictEqual(both.json.data.result, [{ metric: {}, value: [3600, "25"] }])
    const counted = yield* query(`count by (project_id) (${cpu})`)
    assert.deepStrictEqual(counted.json.data.result, [
      { metric: { project_id: "acme" }, value: [3600, "2"] },
      { metric: { project_id: "globex" }, value: [3600, "1"] }
    ])
    const named = yield* query(`count by (__name__) ({__name__=~"${cpu}|portico:node_up:bool"})`)
    assert.deepStrictEqual(
      named.json.data.result.map((_: { metric: object; value: [number, string] }) => _.value[1]),
      ["3", "3"]
    )
  })
)

story(
  "a range has a value for each step with samples, and none for others",
  Effect.gen(function* () {
    yield* server
    const { world } = yield* SimulatedCloud
    const labels = { instance_id: "one" }
    world.monitoring.readings["gap"] = { metric: cpu, labels, from: 3_000_000, until: 3_300_000, value: null }
    world.monitoring.readings["odd"] = { metric: cpu, labels, from: 3_540_000, value: "NaN" }
    const parameters = { query: `${cpu}{instance_id="one"}`, start: "2940", end: "3600", step: "60" }
    const { json } = yield* range(parameters)
    assert.strictEqual(json.data.resultType, "matrix")
    const [{ values }] = json.data.result
    assert.deepStrictEqual(
      values.map((_: [number, string]) => _[0]),
      [2940, 3300, 3360, 3420, 3480, 3540, 3600]
    )
    assert.deepStrictEqual(values.at(-1), [3600, "NaN"])
    assert.deepStrictEqual((yield* range({ ...parameters, step: "1m" })).json, json)
    assert.deepStrictEqual((yield* range({ ...parameters, end: "1970-01-01T01:00:00Z" })).json, json)
  })
)

const refusals: Readonly<Record<string, string>> = {
  "": "1:1: parse error: no expression found in input",
  "{}": "1:1: parse error: vector selector must contain at least one non-empty matcher",
  'x{a="b"} or y': "1:10: parse error: unexpected or",
  'x{a="b"': "1:8: parse error: unexpected end of input",
  "x{a=b}": "1:5: parse error: unexpected b",
  'x{a="b}': '1:5: parse error: unexpected character: "\\""',
  "avg_over_time(x)":
    '1:1: parse error: expected type range vector in call to function "avg_over_time", got instant vector',
  "holt_winters(x[1m])": '1:1: parse error: unknown function with name "holt_winters"',
  "x > 1": '1:3: parse error: unexpected character: ">"'
}

for (const [expression, words] of Object.entries(refusals)) {
  story(
    `it refuses ${JSON.stringify(expression)}`,
    Effect.gen(function* () {
      const { json, status } = yield* query(expression)
      const error = `invalid parameter "query": ${words}`
      assert.deepStrictEqual([status, json], [400, { status: "error", errorType: "bad_data", error }])
    })
  )
}

const good = { query: "up", start: "0", end: "60", step: "15" }
const ranges: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
  [{ ...good, start: "" }, 'invalid parameter "start": cannot parse "" to a valid timestamp'],
  [{ ...good, end: "soon" }, 'invalid parameter "end": cannot parse "soon" to a valid timestamp'],
  [{ ...good, end: "-1" }, 'invalid parameter "end": end timestamp must not be before start time'],
  [{ ...good, step: "x" }, 'invalid parameter "step": cannot parse "x" to a valid duration'],
  [
    { ...good, step: "0" },
    'invalid parameter "step": zero or negative query resolution step widths are not accepted. Try a positive integer'
  ],
  [
    { ...good, end: "11001", step: "1" },
    "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)"
  ]
]

for (const [parameters, error] of ranges) {
  story(
    `it refuses a range: ${error}`,
    Effect.gen(function* () {
      const { json, status } = yield* range(parameters)
      assert.deepStrictEqual([status, json], [400, { status: "error", errorType: "bad_data", error }])
    })
  )
}

story(
  "it lists the series of a selector",
  Effect.gen(function* () {
    yield* server
    const { json } = yield* ask("GET", "/prometheus/api/v1/series?match[]=portico:node_up:bool")
    assert.deepStrictEqual(
      json.data.map((_: { node: string }) => _.node),
      ["compute-1", "compute-2", "compute-3"]
    )
    assert.strictEqual((yield* ask("GET", "/prometheus/api/v1/series")).status, 400)
    assert.strictEqual((yield* ask("GET", "/prometheus/api/v1/nonsense")).status, 404)
  })
)
