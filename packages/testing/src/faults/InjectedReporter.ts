import type { Reporter, TestModule } from "vitest/node"

declare module "vitest" {
  interface TaskMeta {
    /** How many faults the test injected, by the operation that they hit. */
    faults?: Readonly<Record<string, number>>
  }
}

/** Prints how many faults the tests of a run injected, and into which operations most of them. */
export class InjectedReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const sums = new Map<string, number>()
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        for (const [operation, count] of Object.entries(test.meta().faults ?? {})) {
          sums.set(operation, (sums.get(operation) ?? 0) + count)
        }
      }
    }
    if (sums.size > 0) process.stdout.write(reportOf(sums))
  }
}

/** The sum in one line, and below it the operations, those with most faults first. */
export const reportOf = (sums: ReadonlyMap<string, number>): string => {
  const total = [...sums.values()].reduce((sum, count) => sum + count, 0)
  const rows = [...sums].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  const digits = total.toLocaleString("en").length
  return [
    `\n${total.toLocaleString("en")} injected faults in ${sums.size} operations`,
    ...rows.map(([operation, count]) => `${count.toLocaleString("en").padStart(digits)}  ${operation}`),
    ""
  ].join("\n")
}
