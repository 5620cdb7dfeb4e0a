import { Effect, type Scope } from "effect"

/** Of a nearly used up whole, an owner with fewer than so many places still gets one; where its ceiling is as low, its first. */
const few = 2

/**
 * So many places for each owner, and so many in all. The last tenth of all is
 * for owners that hold fewer than two, or none where two are all: those at their ceiling never keep
 * another one from its first.
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

  /** How many are taken. */
  get all(): number {
    return this.#all
  }

  /**
   * Takes a place until the scope ends.
   *
   * @param owner a project; administrators, who have none, are one owner together
   * @param refused what is said with the number of the ceiling that is reached: of one owner, or of all
   */
  enter<One, All>(
    owner: string | undefined,
    refused: { readonly ofOne: (most: number) => One; readonly inAll: (most: number) => All }
  ): Effect.Effect<void, One | All, Scope.Scope> {
    return Effect.asVoid(this.take(owner, refused))
  }

  /**
   * The same, for a place that may be given back before the scope ends.
   *
   * @returns gives it back; may be repeated
   */
  take<One, All>(
    owner: string | undefined,
    refused: { readonly ofOne: (most: number) => One; readonly inAll: (most: number) => All }
  ): Effect.Effect<() => void, One | All, Scope.Scope> {
    const take = Effect.suspend((): Effect.Effect<() => void, One | All> => {
      const own = this.#taken.get(owner) ?? 0
      if (own >= this.#ofOne) return Effect.fail(refused.ofOne(this.#ofOne))
      const kept = own < this.#few ? 0 : Math.floor(this.#inAll / 10)
      if (this.#all >= this.#inAll - kept) return Effect.fail(refused.inAll(this.#inAll))
      this.#taken.set(owner, own + 1)
      this.#all += 1
      let isTaken = true
      return Effect.succeed(() => {
        if (isTaken) this.#leave(owner)
        isTaken = false
      })
    })
    return Effect.acquireRelease(take, (leave) => Effect.sync(leave))
  }

  #leave(owner: string | undefined): void {
    const left = (this.#taken.get(owner) ?? 1) - 1
    if (left === 0) this.#taken.delete(owner)
    else this.#taken.set(owner, left)
    this.#all -= 1
  }
}
