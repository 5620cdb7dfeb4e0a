/** What a suite cannot show or does not accept here, and why. */
export interface Reason {
  /** One sentence. */
  readonly why: string
  /** The names of checks. */
  readonly checks: ReadonlyArray<string>
}

/** What a run of a suite showed. */
export interface Outcome {
  readonly passed: ReadonlySet<string>
  /** What the suite says of each check that did not pass. */
  readonly failed: ReadonlyMap<string, string>
}

/** The outcomes of the parts of a run as one. The names of their checks differ. */
export const together = (outcomes: ReadonlyArray<Outcome>): Outcome => ({
  passed: new Set(outcomes.flatMap((_) => [..._.passed])),
  failed: new Map(outcomes.flatMap((_) => [..._.failed]))
})

/** How an outcome differs from what is written down. */
export interface Difference {
  /** Checks that failed without a reason, with what the suite says. */
  readonly lost: ReadonlyArray<readonly [check: string, said: string]>
  /** Checks that have a reason, and did not fail. */
  readonly gained: ReadonlyArray<string>
}

export const differenceOf = ({ failed }: Outcome, reasons: ReadonlyArray<Reason>): Difference => {
  const known = new Set(reasons.flatMap((_) => _.checks))
  return {
    lost: [...failed].filter(([check]) => !known.has(check)),
    gained: [...known].filter((_) => !failed.has(_))
  }
}

export const isEmpty = ({ gained, lost }: Difference): boolean => lost.length + gained.length === 0

/** The figures of a run and its difference, in lines. */
export const shown = ({ failed, passed }: Outcome, { gained, lost }: Difference): string =>
  [
    `${passed.size} passed, ${failed.size - lost.length} failed for a reason that is written down`,
    `${lost.length} failed without a reason`,
    ...[...Map.groupBy(lost, ([, said]) => said)].flatMap(([said, checks]) => [
      `  ${said}`,
      ...checks.map(([check]) => `      ${check}`)
    ]),
    `${gained.length} did not fail although there is a reason`,
    ...gained.map((_) => `  ${_}`)
  ].join("\n")
