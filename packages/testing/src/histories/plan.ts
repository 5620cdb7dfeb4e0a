import type { Tier } from "@portico/contract/Tiers"
import { pick, pickWeighted, type Random, randomOf } from "./random.ts"

/** A credential of the tenant at the beginning: the first one, one that it minted, and one that this one minted. */
export type First = "c0" | "c1" | "c2"

/** A credential by its name in a history: `m3` is what operation 3 minted, or rotated to. */
export type Key = First | `m${number}`

/** What somebody asks for. */
export type Ask =
  /** With the first credential. */
  | { readonly ask: "mint" }
  | { readonly ask: "rotate"; readonly target: First; readonly overlap: 0 | 86_400 }
  /** As an operator, as are all that follow. */
  | { readonly ask: "revoke"; readonly target: First }
  | { readonly ask: "moveTier"; readonly tier: Tier }
  | { readonly ask: "suspend" | "remove" | "cancel" | "close" | "reopen" | "onboard" }
  /** Deletions that are due are carried out. */
  | { readonly ask: "purge" }
  /** A credential is used, or the tenant is looked at. */
  | { readonly ask: "use"; readonly target: First }
  | { readonly ask: "look" }

/** How the tenant is at the beginning. */
export const scenes = ["live", "suspended", "condemned", "closed"] as const
export type Scene = (typeof scenes)[number]

/** An operation, and which of the two processes runs it. */
export type Operation = Ask & { readonly process: 0 | 1 }

/** What a history consists of. It follows from its seed, as does the order of all turns. */
export interface Plan {
  readonly seed: number
  readonly scene: Scene
  readonly operations: ReadonlyArray<Operation>
}

type Weights = ReadonlyArray<readonly [Ask["ask"], number]>

const usual = {
  mint: 3,
  rotate: 3,
  revoke: 3,
  moveTier: 2,
  suspend: 2,
  remove: 2,
  cancel: 1,
  close: 2,
  reopen: 1,
  onboard: 1,
  purge: 1,
  use: 3,
  look: 2
} satisfies Record<Ask["ask"], number>

/** What is of interest in a scene is asked for more often. */
const likely: Readonly<Record<Scene, Partial<Record<Ask["ask"], number>>>> = {
  live: {},
  suspended: { moveTier: 4 },
  condemned: { cancel: 5, purge: 5, remove: 3, onboard: 4, reopen: 1 },
  closed: { reopen: 6, close: 3 }
}

const weightsOf = (scene: Scene): Weights =>
  Object.entries({ ...usual, ...likely[scene] }).flatMap(([name, weight]) => {
    const ask = asks.find((_) => _ === name)
    return ask === undefined ? [] : [[ask, weight] as const]
  })

const asks = [
  "mint",
  "rotate",
  "revoke",
  "moveTier",
  "suspend",
  "remove",
  "cancel",
  "close",
  "reopen",
  "onboard",
  "purge",
  "use",
  "look"
] as const satisfies ReadonlyArray<Ask["ask"]>

const firsts = ["c0", "c1", "c2"] as const

/** Three to five operations on a tenant, by the seed. */
export const planOf = (seed: number): Plan => {
  const random = randomOf(seed)
  const scene = pickWeighted<Scene>(random, [
    ["live", 5],
    ["suspended", 1],
    ["condemned", 2],
    ["closed", 2]
  ])
  const count = 3 + Math.floor(random() * 3)
  const operations = Array.from({ length: count }, () => operationOf(random, scene ?? "live"))
  return { seed, scene: scene ?? "live", operations }
}

const operationOf = (random: Random, scene: Scene): Operation => ({
  ...askOf(random, scene),
  process: random() < 0.7 ? 0 : 1
})

const askOf = (random: Random, scene: Scene): Ask => {
  const ask = pickWeighted(random, weightsOf(scene)) ?? "look"
  const target = pick(random, firsts) ?? "c0"
  switch (ask) {
    case "rotate":
      return { ask, target, overlap: random() < 0.5 ? 0 : 86_400 }
    case "revoke":
    case "use":
      return { ask, target }
    case "moveTier":
      return { ask, tier: random() < 0.5 ? "standard" : "extension" }
    default:
      return { ask }
  }
}

/** An operation in words. */
export const inWords = (operation: Operation, index: number): string => {
  const { ask, process, ...others } = operation
  const details = Object.values(others).join(" ")
  return `${index}: ${ask}${details === "" ? "" : ` ${details}`}, process ${process}`
}
