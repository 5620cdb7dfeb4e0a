import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { areas } from "./areas.ts"
import { candidatesOf } from "./kinds.ts"
import type { Candidate, Mutant } from "./Mutant.ts"

/** Every change of every area in a tree. */
export const everyCandidate = (tree: string): ReadonlyArray<Candidate> => {
  const files = new Map<string, string>()
  for (const [area, patterns] of Object.entries(areas)) {
    for (const file of globSync(patterns, { cwd: tree }).toSorted()) if (!files.has(file)) files.set(file, area)
  }
  return [...files].flatMap(([file, area]) => candidatesOf(area, file, readFileSync(join(tree, file), "utf8")))
}

/** An even share of each area, and within an area of each kind, so far as there are enough. */
export const drawn = (all: ReadonlyArray<Candidate>, count: number, seed: number): ReadonlyArray<Candidate> => {
  const lot = (_: Candidate) =>
    createHash("sha256")
      .update(JSON.stringify([seed, _.file, _.kind, _.original, _.mutated, _.line, _.ordinal]))
      .digest("hex")
  const names = Object.keys(areas)
  return names.flatMap((area, index) => {
    const share = Math.floor(count / names.length) + (index < count % names.length ? 1 : 0)
    const ofKind = new Map<string, number>()
    return all
      .filter((_) => _.area === area)
      .map((candidate) => ({ candidate, lot: lot(candidate) }))
      .toSorted((a, b) => (a.lot < b.lot ? -1 : 1))
      .map(({ candidate }) => {
        const turn = ofKind.get(candidate.kind) ?? 0
        ofKind.set(candidate.kind, turn + 1)
        return { candidate, turn }
      })
      .toSorted((a, b) => a.turn - b.turn)
      .slice(0, share)
      .map((_) => _.candidate)
  })
}

/** The same mutant in this tree: in its file or in the only one of that name, on the same line or in the only place alike. */
export const foundAgain = (all: ReadonlyArray<Candidate>, _: Mutant): Candidate | undefined => {
  const inPlace = all.filter((other) => other.file === _.file)
  const named = all.filter((other) => basename(other.file) === basename(_.file))
  const isOneFile = new Set(named.map((other) => other.file)).size === 1
  const alike = (inPlace.length > 0 ? inPlace : isOneFile ? named : []).filter(
    (other) => other.kind === _.kind && other.original === _.original && other.mutated === _.mutated
  )
  const onLine = alike.filter((other) => other.line === _.line)
  return onLine.find((other) => other.ordinal === _.ordinal) ?? (alike.length === 1 ? alike[0] : undefined)
}
