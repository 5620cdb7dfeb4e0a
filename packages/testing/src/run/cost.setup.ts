import { readFileSync } from "node:fs"
import { afterAll } from "vitest"

/** Clock ticks a second of `/proc`: 100 on every Linux that Node runs on. */
const ticks = 100

/** The processor time of the children of this process that have ended, in seconds; 0 where there is no `/proc`. */
const ofChildren = (): number => {
  const stat = process.platform === "linux" ? readFileSync("/proc/self/stat", "utf8") : ""
  // The second field is the program's name in parentheses, which may have spaces in it; cutime and cstime are 16 and 17.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / ticks
}

const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6 + ofChildren()
}

const before = cpuSeconds()

/** A file says how much processor time it took, its imports included, which `CostReporter` sums up. */
// oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern which fixtures the hook needs
afterAll(({}, file) => {
  file.meta.cpuSeconds = cpuSeconds() - before
})
