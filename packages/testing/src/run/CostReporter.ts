import type { Reporter, TestModule } from "vitest/node"

declare module "vitest" {
  interface TaskMeta {
    /** The processor time of a file and of the processes that it started, in seconds. */
    cpuSeconds?: number
  }
}

interface Cost {
  readonly file: string
  readonly cpuSeconds: number
}

/** Prints at the end of a run its processor time and the ten files that took most of it. Nothing fails for it. */
export class CostReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const costs = modules.map((module) => ({
      file: module.relativeModuleId,
      cpuSeconds: module.meta().cpuSeconds ?? 0
    }))
    const { system, user } = process.cpuUsage()
    process.stdout.write(costText(costs, (system + user) / 1e6))
  }
}

/**
 * The processor time of a run, and the files with most of it.
 *
 * @param ofVitest seconds of the main process, which transforms the sources
 */
export const costText = (costs: ReadonlyArray<Cost>, ofVitest: number): string => {
  const sum = costs.reduce((sum, _) => sum + _.cpuSeconds, 0)
  const slowest = costs.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, 10)
  const total = `${(sum + ofVitest).toFixed(0)} CPU seconds: ${sum.toFixed(0)} in ${costs.length} files, ${ofVitest.toFixed(0)} in Vitest itself`
  return ["", total, ...slowest.map((_) => `${_.cpuSeconds.toFixed(1).padStart(6)}  ${_.file}`), ""].join("\n")
}
