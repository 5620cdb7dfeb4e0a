import * as fc from "fast-check"
import type { Verdict } from "./verdict.ts"

/**
 * How long the comparisons run. By default few cases from a fixed seed, so
 * that what is red stays red; `ORACLE_RUNS=100000` takes that many for each
 * property from a random seed, which a failure names.
 */
const asked = process.env["ORACLE_RUNS"]

export const runs = (usual: number): fc.Parameters<unknown> & { readonly numRuns: number } =>
  asked === undefined ? { numRuns: usual, seed: 20_260_401 } : { numRuns: Number(asked) }

/** For a property that runs longer than a test usually may. */
export const patience = asked === undefined ? {} : { timeout: 3_600_000 }

export interface Comparison<A> {
  verdict(item: A): Verdict
  /** Does the gateway refuse it? */
  refuses(item: A): boolean
  /** Refusals of harmless calls that are meant: the gateway is stricter than need be. */
  readonly stricter?: Readonly<Record<string, (item: A) => boolean>>
  /** A case as it stands in the message of a failure. */
  show(item: A): string
}

/** How many cases by default, and which outcomes have to be common among them. */
interface Measure {
  readonly usual: number
  readonly outcomes: ReadonlyArray<"dangerous" | "harmless">
}

/**
 * What is dangerous is refused without exception, and what is harmless is let
 * through but for the named classes. Each outcome has to be common among the
 * cases, so that neither half can hold for lack of cases.
 */
export const agrees = <A>(
  cases: fc.Arbitrary<A>,
  comparison: Comparison<A>,
  { outcomes, usual }: Measure = { usual: 4_000, outcomes: ["dangerous", "harmless"] }
): void => {
  const counts = { dangerous: 0, harmless: 0, either: 0 }
  const stricter = Object.values(comparison.stricter ?? {})
  const parameters = runs(usual)
  fc.assert(
    fc.property(cases, (item) => {
      const verdict = comparison.verdict(item)
      counts[verdict]++
      if (verdict === "either") return
      const refused = comparison.refuses(item)
      if (refused === (verdict === "dangerous")) return
      if (refused && stricter.some((_) => _(item))) return
      throw new Error(`${verdict}, and ${refused ? "refused" : "let through"}: ${comparison.show(item)}`)
    }),
    parameters
  )
  for (const outcome of outcomes) {
    if (counts[outcome] < parameters.numRuns / 20) {
      throw new Error(`${outcome} came up too seldom to mean anything: ${JSON.stringify(counts)}`)
    }
  }
}
