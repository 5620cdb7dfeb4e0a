import type { Reporter, TestModule, Vitest } from "vitest/node"

/**
 * Prints at the end of a run the name of every story that was skipped, and their number, so that nobody takes them for
 * passed. A name says which program the story needs. A run of chosen names says nothing: it skips all others.
 */
export class SkippedReporter implements Reporter {
  private chosen = false

  onInit(vitest: Vitest): void {
    this.chosen = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    if (this.chosen) return
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].map(
        (_) => `${module.project.name} ${module.relativeModuleId}: ${_.fullName}`
      )
    )
    if (skipped.length > 0) process.stderr.write(skippedText(skipped))
  }
}

const rule = `!!! ${"=".repeat(69)}`

/** The number in one line, and below it each story. */
export const skippedText = (stories: ReadonlyArray<string>): string => {
  const said = stories.length === 1 ? "1 STORY DID NOT RUN" : `${stories.length} STORIES DID NOT RUN`
  return ["", rule, `!!! ${said}; .ci/run installs what they need:`, ...stories.map((_) => `!!! ${_}`), rule, ""].join(
    "\n"
  )
}
