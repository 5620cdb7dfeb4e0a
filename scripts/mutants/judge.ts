import { basename } from "node:path"
import { type Coverage, covering } from "./coverage.ts"
import { foundAgain } from "./draw.ts"
import type { Lane } from "./Lane.ts"
import { type Candidate, detailsOf, type Mutant, nameOf, type Result, type Scope } from "./Mutant.ts"
import { line } from "./report.ts"
import { activate } from "./tree.ts"

/** A list of mutants, where they are in this tree, and what is known of them. */
export class Judged {
  readonly wanted: ReadonlyArray<Mutant & Partial<Result>>
  readonly mutants: ReadonlyArray<Candidate>
  readonly #places: ReadonlyArray<Candidate | undefined>
  readonly #known: Map<string, Result>
  /** How many mutants of each mutated file each test file has killed. */
  readonly #kills = new Map<string, Map<string, number>>()

  constructor(wanted: Judged["wanted"], every: ReadonlyArray<Candidate>, known: ReadonlyArray<Result>) {
    this.wanted = wanted
    this.#places = wanted.map((_) => foundAgain(every, _))
    this.mutants = [...new Set(this.#places.filter((_) => _ !== undefined))]
    this.#known = new Map(known.map((_) => [nameOf(_), _]))
  }

  /** In the order of the list. */
  get results(): ReadonlyArray<Result> {
    return this.wanted.map((_, index) => {
      const place = this.#places[index]
      const missing = { ...detailsOf(place ?? _), outcome: "missing", scope: "test", covering: 0, ms: 0 } as const
      if (place === undefined) return missing
      return this.#known.get(nameOf(place)) ?? { ...missing, outcome: "pending" }
    })
  }

  /** Those that a run of this scope has still to judge. */
  alive(scope: Scope): ReadonlyArray<Candidate> {
    return this.mutants.filter((mutant) => {
      const known = this.#known.get(nameOf(mutant))
      return known === undefined || (scope === "all" && known.scope === "test" && known.outcome !== "killed")
    })
  }

  async judge(lane: Lane, scope: Scope, mutant: Candidate, coverage: Coverage, cap: number): Promise<void> {
    const id = this.mutants.indexOf(mutant)
    const files = covering(coverage, id, mutant, this.#killsOf(mutant, coverage))
    const began = performance.now()
    activate(lane.root, id)
    const hang = (file: string) => Math.max(60_000, 5 * (coverage.ms[file] ?? 0))
    const run = files.length === 0 ? undefined : await lane.run(files, { untilFailure: true, cap, hang })
    const by = run?.failures[0]
    const details = { ...detailsOf(mutant), scope, covering: files.length, ms: Math.round(performance.now() - began) }
    const before = this.#known.get(nameOf(mutant))?.outcome
    const reached = files.length > 0 || before === "survived" ? "survived" : "uncovered"
    const left = run?.capped === true || before === "capped" ? "capped" : reached
    const result: Result = by === undefined ? { ...details, outcome: left } : { ...details, outcome: "killed", by }
    if (by !== undefined) this.#count(mutant.file, by.file)
    this.#known.set(nameOf(mutant), result)
    console.log(line(result))
  }

  #count(file: string, test: string): void {
    const kills = this.#kills.get(file) ?? new Map<string, number>()
    this.#kills.set(file, kills.set(test, (kills.get(test) ?? 0) + 1))
  }

  /** The file that killed the mutant when the list was made counts for more than all others. */
  #killsOf(mutant: Candidate, { ms }: Coverage): ReadonlyMap<string, number> {
    const kills = new Map(this.#kills.get(mutant.file))
    const killer = this.wanted[this.#places.indexOf(mutant)]?.by?.file
    for (const _ of Object.keys(ms)) if (killer !== undefined && basename(_) === basename(killer)) kills.set(_, 1000)
    return kills
  }
}
