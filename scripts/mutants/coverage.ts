import type { Lane } from "./Lane.ts"
import type { Failure, Mutant } from "./Mutant.ts"
import type { Distances } from "./runner.ts"
import { activate, notesOf } from "./tree.ts"

/** What a run of test files without an active mutant shows. */
export interface Coverage {
  /** The time that each green file takes, in milliseconds. */
  readonly ms: Record<string, number>
  /** Files that are red without a mutant, which say nothing of one. */
  readonly red: Record<string, Failure>
  /** The mutants that the tests of each file reach. */
  readonly reached: Record<string, Array<number>>
  /** The mutants that are reached while a module is loaded, which happens once for many test files. */
  readonly loading: Array<number>
  readonly distances: Record<string, Distances[string]>
}

export const nothing = (): Coverage => ({ ms: {}, red: {}, reached: {}, loading: [], distances: {} })

/** What test files have that run some of the stories that are alike. */
const sampling = "packages/testing/src/sample/sampled.ts"

const longest = 600_000
const chunk = 30

/** Runs the files that are not yet in a coverage, some at a time, and adds what they show. */
export const measure = async (
  coverage: Coverage,
  lanes: ReadonlyArray<Lane>,
  files: ReadonlyArray<string>,
  mutants: ReadonlyArray<Mutant>,
  save: () => void
): Promise<void> => {
  const { distances, loading, ms, red, reached } = coverage
  const named = new Set([...mutants.map((_) => _.file), sampling])
  const isOpen = (_: string) => ms[_] === undefined && red[_] === undefined
  const left = files.filter(isOpen)
  const measureIn = async (lane: Lane): Promise<void> => {
    const those = left.splice(0, chunk)
    if (those.length === 0) return
    activate(lane.root, undefined)
    const run = await lane.run(those, { untilFailure: false, cap: Infinity, hang: () => longest })
    Object.assign(ms, Object.fromEntries(run.green))
    for (const _ of run.failures) {
      red[_.file] = _
      delete ms[_.file]
    }
    for (const [file, near] of Object.entries(run.distances)) {
      distances[file] = Object.fromEntries(Object.entries(near).filter(([_]) => named.has(_)))
    }
    for (const _ of notesOf(lane.root)) (_.isLoading ? loading : (reached[_.file] ??= [])).push(_.id)
    // Those after one that hangs. When none has run, none will.
    if (run.green.size + run.failures.length > 0) left.push(...those.filter(isOpen))
    console.log(
      `Without a mutant: ${Object.keys(ms).length} files green, ${Object.keys(red).length} red, ${left.length} left`
    )
    save()
    return measureIn(lane)
  }
  await Promise.all(lanes.map(measureIn))
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
export const onlyInEverything = (
  { distances, ms, red }: Coverage,
  files: ReadonlyArray<string>
): ReadonlyArray<string> =>
  files.filter((_) => (ms[_] === undefined ? red[_] === undefined : distances[_]?.[sampling] !== undefined))
