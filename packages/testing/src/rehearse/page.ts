import { isBad, isClean, leavings, leftInWords, Outcome, type Report, type Row } from "./Report.ts"

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** The report as one page that loads nothing from elsewhere. */
export const pageOf = (report: Report): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Rehearsal: ${isClean(report) ? "clean" : `${report.failures} failures`}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Rehearsal of an onboarding</h1>
<p class="file">${escaped(report.file)}</p>
${figures(report)}
${findings(report)}
${filter(report)}
<div class="scroll" role="region" aria-label="Cases" tabindex="0">
<table>
<caption>Each case is one onboarding that is cut short once. Times are those of the simulated cloud.</caption>
<thead><tr><th scope="col">Step</th><th scope="col">Call</th><th scope="col">Fault</th><th scope="col">Outcome</th><th scope="col">What was left</th><th scope="col" class="number">Time</th></tr></thead>
<tbody>
${report.rows.map(rowOf).join("\n")}
</tbody>
</table>
</div>
</main>
<script>${script}</script>
</body>
</html>
`

const figures = ({ calls, cases, duration_ms, failures }: Report): string => {
  const shown = [
    ["upstream calls", calls],
    ["cases", cases],
    ["failures", failures],
    ["seconds", (duration_ms / 1000).toFixed(1)]
  ] as const
  return `<dl class="figures">${shown
    .map(
      ([name, value]) =>
        `<div${name === "failures" && failures > 0 ? ' class="bad"' : ""}><dt>${name}</dt><dd>${value}</dd></div>`
    )
    .join("")}</dl>`
}

const findings = (report: Report): string => {
  if (isClean(report)) return `<p class="verdict good">Nothing was left, and every case ended as it should.</p>`
  const items = leavings(report).map(({ call, cases, resources, step }) => {
    const maker =
      step === null
        ? ""
        : ` The step <strong>${escaped(step)}</strong> makes this with <code>${escaped(call ?? "")}</code>.`
    const list = resources.slice(0, 5).map((_) => `<code>${escaped(_)}</code>`)
    const more = resources.length > 5 ? ` and ${resources.length - 5} more` : ""
    return `<li>Left behind in ${cases} ${cases === 1 ? "case" : "cases"}: ${list.join(", ")}${more}.${maker}</li>`
  })
  const wrong = report.rows.filter((_) => _.outcome === "wrong outcome").length
  if (wrong > 0)
    items.push(
      `<li>${wrong} ${wrong === 1 ? "case" : "cases"} ended otherwise than they should; the table says how.</li>`
    )
  return `<section class="verdict bad"><h2>What went wrong</h2><ul>${items.join("")}</ul></section>`
}

const filter = ({ rows }: Report): string => {
  const counts = Outcome.literals.map((outcome) => [outcome, rows.filter((_) => _.outcome === outcome).length] as const)
  const boxes = counts.map(
    ([outcome, count]) =>
      `<label><input type="checkbox" value="${outcome}" checked${count === 0 ? " disabled" : ""}> ${outcome} <span class="count">${count}</span></label>`
  )
  return `<form class="filter"><fieldset><legend>Outcome</legend>${boxes.join("")}</fieldset>
<label class="search">Search <input type="search" placeholder="step, call, fault or resource"></label>
<p role="status" aria-live="polite"></p></form>`
}

const rowOf = (row: Row): string => {
  const { call, fault, left, ms, outcome, step, words } = row
  const list = left.map((_) => `<li><code>${escaped(leftInWords(_))}</code></li>`).join("")
  const what = list === "" ? escaped(words) : `<ul>${list}</ul>`
  return `<tr data-outcome="${outcome}"${isBad(row) ? ' class="bad"' : ""}><th scope="row">${escaped(step)}</th><td><code>${escaped(call)}</code></td><td>${escaped(fault)}</td><td><span class="outcome">${outcome}</span></td><td>${what === "" ? "–" : what}</td><td class="number">${ms} ms</td></tr>`
}

const style = `
:root { color-scheme: light dark; --ground: light-dark(#fff, #16181d); --ink: light-dark(#1b1f27, #e6e8ee); --soft: light-dark(#5a6372, #a3abba); --line: light-dark(#dfe3ea, #30353f); --raised: light-dark(#f5f6f9, #1f232a); --bad: light-dark(#b3261e, #ff9a90); --bad-ground: light-dark(#fdeceb, #3a1d1c); --good: light-dark(#1a6b3c, #7fd6a2); --good-ground: light-dark(#e8f5ed, #16301f); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { margin: 0; font-size: 1.6rem; } h2 { margin: 0 0 .5rem; font-size: 1.1rem; }
code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; }
.file { margin: .25rem 0 1.5rem; color: var(--soft); overflow-wrap: anywhere; }
.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin: 0 0 1.5rem; }
.figures div { display: flex; flex-direction: column-reverse; min-width: 8rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--raised); }
.figures dt { color: var(--soft); } .figures dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.figures .bad dd { color: var(--bad); }
.verdict { margin: 0 0 1.5rem; padding: 1rem 1.25rem; border-radius: .6rem; }
.verdict.good { background: var(--good-ground); color: var(--good); } .verdict.bad { background: var(--bad-ground); } .verdict.bad h2 { color: var(--bad); }
.verdict ul { margin: 0; padding-left: 1.2rem; }
.filter { display: flex; flex-wrap: wrap; align-items: end; gap: 1rem; margin: 0 0 1rem; }
fieldset { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin: 0; padding: .4rem .9rem .6rem; border: 1px solid var(--line); border-radius: .6rem; }
legend, .search, [role=status], .count, caption { color: var(--soft); } [role=status] { margin: 0; }
.search { display: flex; flex-direction: column; flex: 1 1 16rem; }
input[type=search] { width: 100%; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--ground); color: var(--ink); font: inherit; }
.scroll { overflow-x: auto; }
:focus-visible { outline: 2px solid light-dark(#2456c6, #8db4ff); outline-offset: 2px; }
table { width: 100%; min-width: 56rem; border-collapse: collapse; } caption { text-align: left; padding-bottom: .5rem; }
th, td { padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: var(--ground); } tbody th { font-weight: 500; white-space: nowrap; }
td ul { margin: 0; padding: 0; list-style: none; } .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; padding-right: 0; }
.outcome { display: inline-block; padding: 0 .5rem; border-radius: 1rem; white-space: nowrap; background: var(--good-ground); color: var(--good); }
.bad .outcome { background: var(--bad-ground); color: var(--bad); font-weight: 600; }
[hidden] { display: none; }
`

/** Shows the rows with a chosen outcome that contain the text. */
const script = `
const form = document.querySelector(".filter"), status = form.querySelector("[role=status]"), search = form.querySelector("[type=search]")
const rows = [...document.querySelectorAll("tbody tr")], texts = rows.map((row) => row.textContent.toLowerCase())
const show = () => {
  const chosen = new Set([...form.querySelectorAll(":checked")].map((box) => box.value)), text = search.value.trim().toLowerCase()
  rows.forEach((row, index) => { row.hidden = !chosen.has(row.dataset.outcome) || !texts[index].includes(text) })
  status.textContent = rows.filter((row) => !row.hidden).length + " of " + rows.length + " cases"
}
const bad = rows.some((row) => row.classList.contains("bad"))
if (bad) for (const box of form.querySelectorAll("[type=checkbox]")) box.checked = box.value === "left behind" || box.value === "wrong outcome"
form.addEventListener("input", show)
form.addEventListener("submit", (event) => event.preventDefault())
show()
`
