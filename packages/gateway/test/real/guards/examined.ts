import { decodeJson } from "@portico/contract/decodeJson"
import { failureTable } from "@portico/contract/Failures"
import { assert } from "@effect/vitest"
import { Effect, Option, Predicate } from "effect"
import type { Answer } from "../../harness/http.ts"
import { TestGateway } from "../../harness/TestGateway.ts"
import { asked, type Attempt, named, targetOf } from "./Attempt.ts"
import { Offender } from "./Offender.ts"

/** Where attempts are made: what they name is there, and it can be seen whether one has come off. */
export interface Scene {
  /** With ids that are there. */
  fill(attempt: Attempt): Attempt
  /** Whether the answer itself is what the rule forbids, or says that the service was about to do it. */
  told?(answer: Answer): boolean
  /** Whether what the rule forbids is there now. */
  readonly stands?: Effect.Effect<boolean>
  /** Makes it as it was. */
  readonly undone?: Effect.Effect<unknown>
}

export interface Family {
  readonly attempts: ReadonlyArray<Attempt>
  /** How many of them come off on the real service, at least: with fewer, nothing would be shown. */
  readonly comeOff: number
  /** Attempts that do no harm on the real service, which the gateway refuses all the same, and why that is right. */
  readonly stricter?: Readonly<Record<string, string>>
}

/**
 * Makes every attempt on the real service first, as a member of the project,
 * and sees what has become of it; then through the gateway, with a key of tier 2
 * (and more keys, where the tier matters), which has to refuse what came off, or
 * to send it on so that it does not. What the service refuses is not tried again.
 */
export const examined = Effect.fnUntraced(function* (
  { attempts, comeOff, stricter = {} }: Family,
  scene: Scene,
  tiers: ReadonlyArray<0 | 1 | 2> = [2]
) {
  const results = yield* Effect.forEach(attempts, (row) => madeDirectly(row, scene))
  const open: Array<string> = []
  const strict = new Set<string>()
  for (const { cameOff, row, status } of results) {
    if (!cameOff && status >= 300) continue
    for (const tier of tiers) {
      const { isOpen, refused } = yield* madeThroughGateway(row, scene, tier)
      if (isOpen) open.push(`${named(row)} (tier ${tier})`)
      if (refused && !cameOff) strict.add(row.what)
    }
  }
  assert.deepStrictEqual(open, [])
  assert.isFalse(yield* standing(scene), "something came off through the gateway")
  assert.sameMembers([...strict], Object.keys(stricter))
  assert.isAtLeast(results.filter((_) => _.cameOff).length, comeOff)
})

const standing = ({ stands }: Scene): Effect.Effect<boolean> => stands ?? Effect.succeed(false)
const undo = ({ undone }: Scene): Effect.Effect<unknown> => undone ?? Effect.void

/** An error of the service may come after the effect; a refusal has none. */
const mayHaveEffect = (status: number): boolean => status < 300 || status >= 500

const madeDirectly = Effect.fnUntraced(function* (row: Attempt, scene: Scene) {
  const { directly } = yield* Offender
  const filled = scene.fill(row)
  const answer = yield* directly(row.method, serviceOf(filled), targetOf(filled), asked(filled))
  const cameOff = scene.told?.(answer) === true || (mayHaveEffect(answer.status) && (yield* standing(scene)))
  if (cameOff || answer.status < 300) yield* undo(scene)
  return { row, status: answer.status, cameOff }
})

const madeThroughGateway = Effect.fnUntraced(function* (row: Attempt, scene: Scene, tier: 0 | 1 | 2) {
  const { tenant } = yield* Offender
  const { call } = yield* TestGateway
  const filled = scene.fill(row)
  const path = `/v1/iaas/${serviceOf(filled)}${targetOf(filled)}`
  const answer = yield* call("customer", row.method, path, { ...asked(filled), token: tenant.tokens[tier] })
  const refused = isRefusal(answer)
  // A HEAD has no words to tell whose refusal it is.
  const isOpen = scene.told?.(answer) === true || (!refused && (yield* standing(scene)))
  if (answer.status < 300) yield* undo(scene)
  return { refused, isOpen }
})

const serviceOf = ({ path }: Attempt): string => path.split("/")[1] ?? ""

/** Of the gateway itself, and no service's. */
const isRefusal = ({ status, text }: Answer): boolean => {
  const body = Option.getOrUndefined(decodeJson(text))
  const code = Predicate.hasProperty(body, "code") ? body.code : undefined
  return status >= 400 && failureTable.some((_) => _.code === code)
}
