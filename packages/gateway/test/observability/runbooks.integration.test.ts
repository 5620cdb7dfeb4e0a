import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse } from "yaml"
import { anchorsOf, textOf } from "../processes/Document.ts"
import { repository } from "../processes/children.ts"
import { TestGateway } from "../harness/TestGateway.ts"

const Alert = Schema.Struct({ alert: Schema.String, annotations: Schema.Struct({ runbook: Schema.String }) })
const Rules = Schema.Struct({ groups: Schema.Array(Schema.Struct({ rules: Schema.Array(Alert) })) })
const Tests = Schema.Struct({
  tests: Schema.Array(
    Schema.Struct({
      alert_rule_test: Schema.Array(
        Schema.Struct({ alertname: Schema.String, exp_alerts: Schema.optionalKey(Schema.Unknown) })
      )
    })
  )
})

const read = (path: string) => readFileSync(join(repository, path), "utf8")

const alerts = Schema.decodeUnknownSync(Rules)(parse(read("docker/prometheus/alerts.yaml"))).groups.flatMap(
  (_) => _.rules
)
const names = alerts.map((_) => _.alert)
const page = "docs/operators/runbooks.md"

/** Each runbook by its alert. */
const runbooks = new Map(
  textOf(page)
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section] as const)
    .filter(([name]) => name !== "Why")
)

describe("runbooks", () => {
  it("each alert has one, and each runbook an alert", () => {
    assert.isAbove(names.length, 10)
    assert.deepStrictEqual([...runbooks.keys()].toSorted(), names.toSorted())
  })

  it("each has the meaning, commands to look with, and the remedy", () => {
    for (const [name, text] of runbooks) {
      for (const word of ["**Means**", "**Look at**", "**Do**", "```sh"]) assert.include(text, word, name)
    }
  })

  it("the alert links to it", () => {
    for (const { alert, annotations } of alerts) {
      const [path = "", anchor = ""] = annotations.runbook.split("#")
      assert.isTrue(existsSync(join(repository, path)), alert)
      assert.include(anchorsOf(path), anchor, alert)
      assert.strictEqual(anchor, alert.toLowerCase())
    }
  })
})

const isInstalled = spawnSync("promtool", ["--version"]).status === 0
const promtool = isInstalled ? it : it.skip
const named = (title: string) => (isInstalled ? title : `${title}: NOT RUN, promtool IS NOT INSTALLED`)

const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync("promtool", args, { cwd: repository, encoding: "utf8" })
  return { status, said: `${stdout}${stderr}` }
}

/** The queries of the page of service levels. */
const levels = [...textOf("docs/operators/service-levels.md").matchAll(/^```promql\n(.*?)^```$/gms)].map(
  ([, query = ""]) => query
)

/** What an adapter asks for the autoscaling of the chart, by metric. */
const adapter = () => {
  const page = textOf("docs/operators/kubernetes-install.md")
  const [, series = ""] = /__name__=~"([^"]+)"/.exec(page) ?? []
  const [, query = ""] = /metricsQuery: (.*)$/m.exec(page) ?? []
  return series
    .split("|")
    .map((_) =>
      query
        .replace("<<.GroupBy>>", "pod")
        .replace("<<.Series>>", _)
        .replace("<<.LabelMatchers>>", 'namespace="portico",pod=~"a|b"')
    )
}

describe("Prometheus itself", () => {
  promtool(named("accepts the rules, and the queries of the service levels and of an adapter"), () => {
    const rules = run("check", "rules", "docker/prometheus/alerts.yaml")
    assert.strictEqual(rules.status, 0, rules.said)
    assert.isAbove(levels.length, 4)
    assert.lengthOf(adapter(), 2)
    const file = join(mkdtempSync(join(tmpdir(), "portico-levels-")), "levels.yaml")
    const recorded = [...levels, ...adapter()].map((expr, index) => ({ record: `level_${index}`, expr }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: "levels", rules: recorded }] }))
    const queries = run("check", "rules", file)
    assert.strictEqual(queries.status, 0, queries.said)
  })

  promtool(named("raises every alert when it should"), () => {
    const tests = run("test", "rules", "docker/prometheus/alerts.test.yaml")
    assert.strictEqual(tests.status, 0, tests.said)
  })

  it("accepts every alert", () => {
    const { tests } = Schema.decodeUnknownSync(Tests)(parse(read("docker/prometheus/alerts.test.yaml")))
    const raised = tests.flatMap((_) => _.alert_rule_test).filter((_) => _.exp_alerts !== undefined)
    assert.deepStrictEqual([...new Set(raised.map((_) => _.alertname))].toSorted(), names.toSorted())
  })
})

layer(TestGateway.layer)("the metrics", (it) => {
  const accepts = isInstalled ? it.effect : it.effect.skip
  accepts(named("are names, kinds and labels that Prometheus accepts"), () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { text } = yield* call("operator", "GET", "/metrics")
      const { status, stderr, stdout } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" })
      assert.strictEqual(status, 0, `${stdout}${stderr}`)
    })
  )
})
