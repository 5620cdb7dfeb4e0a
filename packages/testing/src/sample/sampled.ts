import { createHash } from "node:crypto"
import { inject } from "vitest"

/** The run's seed; none in a run of everything, and where nobody draws. */
const seed = inject("sampleSeed") ?? null

/** The same, for what is drawn in other ways than {@link sampled} does. */
export const seedOfRun: number | null = seed

/** Whether every story runs (`npm run test:all`). */
export const isEverything = seed === null

/** The cases of one loop that a seed draws, in their order; all of them without a seed. */
export const drawn = <A>(seed: number | null, of: string, count: number, cases: ReadonlyArray<A>): ReadonlyArray<A> => {
  if (seed === null || cases.length <= count) return cases
  const lots = cases.map((_, index) => createHash("sha256").update(`${seed} ${of} ${index}`).digest("hex"))
  const highest = lots.toSorted()[count - 1] ?? ""
  return cases.filter((_, index) => (lots[index] ?? "") <= highest)
}

/**
 * So many of the cases, in their order: for loops over cases that take much
 * time and are nearly alike, such as every way in which one call can fail.
 *
 * Which ones depends on the run's seed and on `of`, the name of the loop, so
 * that two loops do not always draw the same places. All of them in a run of
 * everything. What is of one kind only is not alike: draw from each kind.
 */
export const sampled = <A>(of: string, count: number, cases: ReadonlyArray<A>): ReadonlyArray<A> =>
  drawn(seed, of, count, cases)
