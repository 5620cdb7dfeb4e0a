/** A rule of Portico that a test of OpenStack's meets. */
export interface Rule {
  /** What the tool does. */
  readonly title: string
  /** Names of tests, classes or modules. */
  readonly tests: ReadonlyArray<string>
}

export const rules: ReadonlyArray<Rule> = []
