import { Lane } from "./Lane.ts"
import type { Failure, Mutant } from "./Mutant.ts"
import { activate, reached } from "./tree.ts"

/** What a run of test files without an active mutant shows. */
export interface Coverage {
  readonly files: ReadonlyArray<string>
  /** The time that each green file takes, in milliseconds. */
  readonly ms: Readonly<Record<string, number>>
  /** Files that are red without a mutant, which say nothing of one. */
  readonly red: ReadonlyArray<Failure>
  /** The mutants that the tests of each file reach. */
  readonly reached: Readonly<Record<string, ReadonlyArray<number>>>
  /** The mutants that are reached while a module is loaded, which happens once for many test files. */
  readonly loading: ReadonlyArray<number>
  /** How many imports away from each test file the mutated files are. */
  readonly distances: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** What test files have that run some of the stories that are alike. */
const sampling = "packages/testing/src/sample/sampled.ts"

const longest = 600_000

/** Runs the files, a share of them in each lane. */
export const measured = async (
  lanes: ReadonlyArray<Lane>,
  files: ReadonlyArray<string>,
  mutants: ReadonlyArray<Mutant>
): Promise<Coverage> => {
  const mutated = new Set([...mutants.map((_) => _.file), sampling])
  const shares = await Promise.all(
    lanes.map(async (lane, index) => {
      activate(lane.tree, undefined)
      const ms = new Map<string, number>()
      const red: Array<Failure> = []
      let left = files.filter((_, at) => at % lanes.length === index)
      while (left.length > 0) {
        const run = await lane.run(left, { untilFailure: false, cap: Infinity, hang: () => longest })
        for (const [file, took] of run.ended) ms.set(file, took)
        red.push(...run.failures)
        const isOver = run.ended.size === 0 && run.failures.length === 0
        left = isOver ? [] : left.filter((file) => !ms.has(file) && !red.some((_) => _.file === file))
        console.log(`Without a mutant: ${ms.size} files green, ${red.length} red, ${left.length} left`)
      }
      const distances = Object.entries(await lane.distances()).flatMap(([file, those]) => {
        const near = Object.entries(those).filter(([_]) => mutated.has(_))
        return near.length === 0 ? [] : [[file, Object.fromEntries(near)] as const]
      })
      return { ms, red, distances, reached: reached(lane.tree) }
    })
  )
  const all = shares.flatMap((_) => _.reached)
  const running = Map.groupBy(
    all.filter((_) => !_.loading),
    (_) => _.file
  )
  return {
    files,
    ms: Object.fromEntries(shares.flatMap((_) => [..._.ms])),
    red: shares.flatMap((_) => _.red),
    reached: Object.fromEntries([...running].map(([file, those]) => [file, [...new Set(those.map((_) => _.id))]])),
    loading: [...new Set(all.filter((_) => _.loading).map((_) => _.id))],
    distances: Object.fromEntries(shares.flatMap((_) => _.distances))
  }
}

const packageOf = (file: string): string => file.split("/", 2).join("/")

/** The green files that cover a mutant, the one that most likely kills it for the least time first. */
export const covering = (
  { distances, loading, ms, reached }: Coverage,
  id: number,
  { file }: Mutant,
  kills: ReadonlyMap<string, number>
): ReadonlyArray<string> => {
  const isLoading = loading.includes(id)
  return Object.entries(ms)
    .flatMap(([test, took]) => {
      const isReached = reached[test]?.includes(id) === true
      const distance = distances[test]?.[file]
      if (!isReached && (!isLoading || distance === undefined)) return []
      const far = (packageOf(test) === packageOf(file) ? 1 : 3) * (isReached ? 1 : 1 + (distance ?? 0))
      return [{ test, cost: ((took + 300) * far) / (1 + 20 * (kills.get(test) ?? 0)) }]
    })
    .toSorted((a, b) => a.cost - b.cost)
    .map((_) => _.test)
}

/** The files that a run of everything adds, and those of which it runs more stories. */
export const onlyInEverything = (inTest: Coverage, files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.filter((_) => inTest.distances[_]?.[sampling] !== undefined || !inTest.files.includes(_))
