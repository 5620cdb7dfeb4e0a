import { table } from "../../bench/numbers.ts"
import type { Evidence } from "../evidence.ts"
import { type Finding, holds } from "../invariants/check.ts"
import type { Options } from "../options.ts"
import { chart, escaped } from "./curves.ts"
import { grantedCores, heap, held, latencies, outcomes, outcomesOf, shades } from "./series.ts"

const style = `body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:1120px;color:#1f2328;padding:0 1rem}
svg{width:100%;font:11px system-ui;background:#fff}svg text{fill:#57606a}h2{margin:1.6rem 0 .3rem;font-size:1.05rem}
small{color:#57606a;font-weight:normal}table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #d0d7de;
padding:.3rem .5rem;text-align:left;vertical-align:top}.ok{color:#1a7f37}.bad{color:#d1242f;font-weight:600}
.legend span{margin-right:1rem}.legend i{display:inline-block;width:.8rem;height:.8rem;margin-right:.3rem;vertical-align:-1px}
pre{white-space:pre-wrap;background:#f6f8fa;padding:.6rem}`

const mostShown = 60

/** Calls by area and what came of them. */
const areas = ({ calls }: Evidence): ReadonlyArray<ReadonlyArray<string>> => {
  const names = ["good", "refused", "429", "502, 503, 504", "500", "no answer"]
  const rows = [...Map.groupBy(calls, (_) => _.area)].toSorted((a, b) => a[0].localeCompare(b[0]))
  return [
    ["area", "calls", ...names],
    ...rows.map(([area, made]) => [
      area,
      String(made.length),
      ...names.map((name) => String(made.filter((_) => outcomesOf(_) === name).length))
    ])
  ]
}

const asTable = ([head = [], ...rows]: ReadonlyArray<ReadonlyArray<string>>): string =>
  `<table><tr>${head.map((_) => `<th>${escaped(_)}</th>`).join("")}</tr>${rows
    .map((row) => `<tr>${row.map((_) => `<td>${escaped(_)}</td>`).join("")}</tr>`)
    .join("")}</table>`

const ofDisturbances = ({ disturbances }: Evidence): ReadonlyArray<ReadonlyArray<string>> => [
  ["disturbance", "times"],
  ...[...Map.groupBy(disturbances, (_) => _.kind)].map(([kind, done]) => [kind, String(done.length)])
]

export interface Told {
  readonly options: Options
  readonly evidence: Evidence
  readonly findings: ReadonlyArray<Finding>
  readonly seconds: number
  readonly notes: ReadonlyArray<string>
}

const verdict = (finding: Finding): string =>
  holds(finding) ? "holds" : finding.looked === 0 ? "NOTHING SEEN" : "BROKEN"

/** In plain text, for a terminal. */
export const summary = ({ evidence, findings, notes, options, seconds }: Told): string => {
  const rows = [
    ["check", "looked at", "violations", "excused", ""],
    ...findings.map((_) => [
      _.check,
      String(_.looked),
      String(_.violations.length),
      String(_.excused.length),
      verdict(_)
    ])
  ]
  const broken = findings.flatMap(({ check, violations }) => violations.slice(0, 5).map((_) => `${check}: ${_}`))
  return [
    `Soak of ${(seconds / 60).toFixed(1)} minutes, seed ${options.seed}: ${evidence.calls.length} calls, ${evidence.disturbances.length} disturbances, ${evidence.received.length} webhook deliveries`,
    table(areas(evidence)),
    table(ofDisturbances(evidence)),
    ...notes,
    table(rows),
    ...broken,
    `Again: npm run soak -- --minutes ${options.minutes} --seed ${options.seed} --tenants ${options.tenants}`
  ].join("\n\n")
}

/** As one HTML page, which fetches nothing. */
export const page = ({ evidence, findings, notes, options, seconds }: Told): string => {
  const marked = shades(evidence, seconds * 1000)
  const found = findings.map(
    (finding) =>
      `<tr><td class="${holds(finding) ? "ok" : "bad"}">${verdict(finding)}</td><td>${escaped(finding.check)}</td><td>${escaped(finding.what)}</td><td>${finding.looked}</td><td>${finding.violations.length}</td><td>${finding.excused.length}</td></tr>`
  )
  const details = findings
    .filter((_) => _.violations.length + _.excused.length > 0)
    .map(
      ({ check, excused, violations }) =>
        `<h2>${escaped(check)}</h2><pre>${escaped([...violations.slice(0, mostShown), ...excused.slice(0, mostShown).map((_) => `excused: ${_}`)].join("\n"))}</pre>`
    )
  const timeline = evidence.disturbances.map(
    (_) =>
      `${(_.from / 1000).toFixed(1).padStart(8)} s  ${_.kind}: ${_.what} (${((_.until - _.from) / 1000).toFixed(1)} s)`
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Soak, seed ${options.seed}</title><style>${style}</style>
<h1>Soak of ${(seconds / 60).toFixed(1)} minutes, seed ${options.seed}</h1>
<p>${evidence.calls.length} calls, ${evidence.disturbances.length} disturbances, ${evidence.received.length} webhook deliveries,
${evidence.processes.length} processes of the gateway. Shaded: disturbances; point at one to read it.</p>
<table><tr><th></th><th>check</th><th></th><th>looked at</th><th>violations</th><th>excused</th></tr>${found.join("")}</table>
${notes.map((_) => `<p>${escaped(_)}</p>`).join("")}
${chart("Calls by outcome", "a second", outcomes(evidence), marked)}
${chart("Good calls", "milliseconds", latencies(evidence), marked)}
${chart("Resident memory", "MiB", held(evidence, "rssMib"), marked)}
${chart("Heap after a collection", "MiB", heap(evidence), marked)}
${chart("Descriptors", "open", held(evidence, "descriptors"), marked)}
${chart("Cores of all tenants", "cores", grantedCores(evidence), marked)}
<h2>Calls by area</h2>${asTable(areas(evidence))}
<h2>Disturbances</h2>${asTable(ofDisturbances(evidence))}<pre>${escaped(timeline.join("\n"))}</pre>
${details.join("")}</html>
`
}
