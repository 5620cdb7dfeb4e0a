/** A change of one place. It is named by texts and not by a position, so that it is found again after other changes. */
export interface Mutant {
  readonly area: string
  /** From the root. */
  readonly file: string
  readonly kind: string
  readonly original: string
  readonly mutated: string
  /** The text of the line where the place begins. */
  readonly line: string
  /** Its number among those of the file that are alike in all of this. */
  readonly ordinal: number
}

export const detailsOf = ({ area, file, kind, line, mutated, ordinal, original }: Mutant): Mutant => ({
  area,
  file,
  kind,
  original,
  mutated,
  line,
  ordinal
})

export const nameOf = (_: Mutant): string => JSON.stringify(detailsOf(_))

/** A mutant with its place in the file as it is. */
export interface Candidate extends Mutant {
  readonly start: number
  readonly end: number
}

/** `npm test` runs some of the stories that are alike, `npm run test:all` all of them. */
export type Scope = "test" | "all"

export interface Result extends Mutant {
  /**
   * `capped`: the covering files that ran within the time for one mutant do not kill it. `uncovered`: no test reaches
   * the place. `missing`: the place is not in this tree.
   */
  readonly outcome: "killed" | "survived" | "capped" | "uncovered" | "missing" | "pending"
  /** The smallest run that kills it; that of the last run for others. */
  readonly scope: Scope
  /** The test file and test that kills it, with its first error. */
  readonly by?: Failure
  /** How many test files cover it. */
  readonly covering: number
  readonly ms: number
}

/** `how`: a test or hook fails, the file cannot be loaded, it hangs, or an error comes outside of any test. */
export interface Failure {
  readonly how: "test" | "load" | "hang" | "unhandled"
  readonly file: string
  readonly test: string
  readonly error: string
}
