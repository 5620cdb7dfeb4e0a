import { lostLines, outliveOutputs, writeLines } from "@portico/gateway/observability/outputs"

// Writes 20 MB of log lines, and says how many of them were lost, and whether its memory grew with them.
outliveOutputs()
const before = process.memoryUsage.rss()
for (let round = 0; round < 200; round++) {
  for (let line = 0; line < 1_000; line++) writeLines(`${"x".repeat(99)}\n`)
  await new Promise<void>((resolve) => setImmediate(resolve))
}
const grown = process.memoryUsage.rss() - before
console.log(JSON.stringify({ lost: String(lostLines.count), megabytes: String(Math.round(grown / 1e6)) }))
process.exit(0)
