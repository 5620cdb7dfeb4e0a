import { Config, Effect, Result, Schema, type Scope } from "effect"

/**
 * When the total is nearly used up, an owner with fewer slots than this still gets one; with a
 * ceiling this low, an owner still gets its first.
 */
const few = 2

/**
 * Limits the slots of each owner and the slots in total. The last tenth of the total is reserved
 * for owners with fewer than two slots, or with none where the ceiling is two. Owners at their
 * ceiling can therefore never keep another owner from its first slot.
 */
export class Places {
  readonly #ofOne: number
  readonly #inAll: number
  readonly #few: number
  readonly #taken = new Map<string | undefined, number>()
  #all = 0

  constructor(ofOne: number, inAll: number) {
    this.#ofOne = ofOne
    this.#inAll = inAll
    this.#few = Math.max(1, Math.min(few, ofOne - 1))
  }

  /** The number of slots taken. */
  get all(): number {
    return this.#all
  }

  /**
   * Takes a slot until the scope ends.
   *
   * @param owner a project; all administrators, who have none, count as one owner
   * @param refused makes the failure from the ceiling that is reached: the owner's, or the total
   */
  enter<One, All>(
    owner: string | undefined,
    refused: { readonly ofOne: (most: number) => One; readonly inAll: (most: number) => All }
  ): Effect.Effect<void, One | All, Scope.Scope> {
    return Effect.asVoid(this.take(owner, refused))
  }

  /**
   * Takes a slot that may be released before the scope ends.
   *
   * @returns releases the slot; may be called again
   */
  take<One, All>(
    owner: string | undefined,
    refused: { readonly ofOne: (most: number) => One; readonly inAll: (most: number) => All }
  ): Effect.Effect<() => void, One | All, Scope.Scope> {
    const take = Effect.suspend(() => Effect.fromResult(this.takeNow(owner, refused)))
    return Effect.acquireRelease(take, (leave) => Effect.sync(leave))
  }

  /** The same without a scope: whoever takes the slot has to release it. */
  takeNow<One, All>(
    owner: string | undefined,
    refused: { readonly ofOne: (most: number) => One; readonly inAll: (most: number) => All }
  ): Result.Result<() => void, One | All> {
    const own = this.#taken.get(owner) ?? 0
    if (own >= this.#ofOne) return Result.fail(refused.ofOne(this.#ofOne))
    const kept = own < this.#few ? 0 : Math.floor(this.#inAll / 10)
    if (this.#all >= this.#inAll - kept) return Result.fail(refused.inAll(this.#inAll))
    this.#taken.set(owner, own + 1)
    this.#all += 1
    let isTaken = true
    return Result.succeed(() => {
      if (isTaken) this.#leave(owner)
      isTaken = false
    })
  }

  #leave(owner: string | undefined): void {
    const left = (this.#taken.get(owner) ?? 1) - 1
    if (left === 0) this.#taken.delete(owner)
    else this.#taken.set(owner, left)
    this.#all -= 1
  }
}

const AtLeastOne = Schema.NumberFromString.check(
  Schema.isInt({ expected: "a whole number" }),
  Schema.isGreaterThanOrEqualTo(1)
)

/** A setting for how many of something may be open at once. */
export const ceiling = (name: string, usual: number): Config.Config<number> =>
  Config.schema(AtLeastOne, name).pipe(Config.withDefault(usual))
