import { pick, type Random } from "./random.ts"
import type { Waiting } from "./Turns.ts"

/** Whose turn is next. */
export type Order = (waiting: ReadonlyArray<Waiting>) => Waiting | undefined

const actorsOf = (waiting: ReadonlyArray<Waiting>): ReadonlyArray<number> =>
  [...new Set(waiting.map((_) => _.actor))].toSorted((a, b) => a - b)

const ofActor = (random: Random, waiting: ReadonlyArray<Waiting>, actor: number | undefined) =>
  pick(
    random,
    waiting.filter((_) => _.actor === actor)
  )

/** Any operation, each time. */
const anyOf =
  (random: Random): Order =>
  (waiting) =>
    ofActor(random, waiting, pick(random, actorsOf(waiting)))

/** One operation goes on for a while, and then another. */
const inRuns = (random: Random, staying: number): Order => {
  let current: number | undefined
  return (waiting) => {
    const actors = actorsOf(waiting)
    if (current === undefined || !actors.includes(current) || random() > staying) current = pick(random, actors)
    return ofActor(random, waiting, current)
  }
}

/**
 * The operation with the highest priority goes on; at a few moments the one
 * that runs gets the lowest. Finds what needs few changes at the right moments
 * (Burckhardt et al., A randomized scheduler with probabilistic guarantees of
 * finding bugs, 2010).
 */
const byPriority = (random: Random, operations: number): Order => {
  const priorities = Array.from({ length: operations }, () => random())
  const changes = Array.from({ length: 1 + Math.floor(random() * 4) }, () => Math.floor(random() * 150))
  let step = 0
  return (waiting) => {
    const [first] = actorsOf(waiting).toSorted((a, b) => (priorities[b] ?? 0) - (priorities[a] ?? 0))
    const position = changes.indexOf((step += 1))
    if (position >= 0 && first !== undefined) priorities[first] = -1 - position
    return ofActor(random, waiting, first)
  }
}

/** One of these ways, by chance. */
export const orderOf = (random: Random, operations: number): Order => {
  const kind = random()
  if (kind < 0.25) return anyOf(random)
  return kind < 0.55 ? inRuns(random, 0.7 + random() * 0.28) : byPriority(random, operations)
}

/** An operation goes on until it is about to do this, or until it has answered. */
export interface Until {
  readonly actor: number
  /** How what it is about to do begins, such as `Rotations.begin`. */
  readonly before?: string
}

/** A fixed order: one after the other these go on, and then the operations in their order. */
export const scripted = (script: ReadonlyArray<Until>): Order => {
  const left = [...script]
  return (waiting) => {
    for (;;) {
      const [next] = left
      if (next === undefined) return waiting[0]
      const own = waiting.find((_) => _.actor === next.actor)
      if (own !== undefined && (next.before === undefined || !own.at.startsWith(next.before))) return own
      left.shift()
    }
  }
}
