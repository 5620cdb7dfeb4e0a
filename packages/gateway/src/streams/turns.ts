import { Effect } from "effect"

interface Waiting {
  readonly cost: number
  readonly goOn: () => void
}

/**
 * Bytes that all together may pass on until the amount is renewed. What exceeds it waits in order of arrival. What costs
 * more than the whole amount waits apart, where nothing smaller waits behind it, and the next one of its kind goes on
 * when as many amounts have passed.
 */
export class Turns {
  readonly #budget: number
  readonly #later: (renew: () => void) => void
  readonly #waiting: Array<Waiting> = []
  readonly #large: Array<Waiting> = []
  #left: number
  /** What the last large one has still to wait out. */
  #debt = 0
  #isRenewing = false

  /** @param later schedules the renewal */
  constructor(budget: number, later: (renew: () => void) => void) {
    this.#budget = budget
    this.#left = budget
    this.#later = later
  }

  /** Pays, and returns whether the turn is now. */
  take(cost: number): boolean {
    const isLarge = cost > this.#budget
    if (isLarge ? this.#debt > 0 : this.#left <= 0 || this.#waiting.length > 0) return false
    if (isLarge) this.#debt = cost
    else this.#left -= cost
    this.#renewLater()
    return true
  }

  /**
   * Calls `goOn` when the turn comes: at once, or later.
   *
   * @returns gives up the turn
   */
  wait(cost: number, goOn: () => void): () => void {
    if (this.take(cost)) {
      goOn()
      return () => {}
    }
    const waiting = { cost, goOn }
    const queue = cost > this.#budget ? this.#large : this.#waiting
    queue.push(waiting)
    this.#renewLater()
    return () => {
      const at = queue.indexOf(waiting)
      if (at >= 0) queue.splice(at, 1)
    }
  }

  #renewLater(): void {
    if (this.#isRenewing) return
    this.#isRenewing = true
    this.#later(() => this.#renew())
  }

  #renew(): void {
    this.#isRenewing = false
    this.#left = this.#budget
    this.#debt = Math.max(0, this.#debt - this.#budget)
    while (this.#left > 0) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      this.#left -= next.cost
      next.goOn()
    }
    const large = this.#debt === 0 ? this.#large.shift() : undefined
    if (large !== undefined) {
      this.#debt = large.cost
      large.goOn()
    }
    if (this.#waiting.length > 0 || this.#debt > 0) this.#renewLater()
  }
}

/** Bytes in one turn of the event loop. */
const streams = new Turns(128 * 1024, setImmediate)
/** Fixed cost of a piece beside its bytes, in bytes. */
const perPiece = 1024

/**
 * Limits the streams' share of the event loop. Node reads up to 2 MB from each connection before it turns to the next
 * one, so a hundred downloads delay a small call a hundred times as long as one does. A stream pays for each piece
 * before it takes the next one. When the budget of a turn is spent, streams wait while everything else is served.
 *
 * @returns whether the stream may go on at once; otherwise use {@link whenPaid}
 */
export const paid = (bytes: number): boolean => streams.take(bytes + perPiece)

/** Calls `goOn` when the stream may go on: at once, or in a later turn. */
export const whenPaid = (bytes: number, goOn: () => void): void => void streams.wait(bytes + perPiece, goOn)

const texts = new Turns(1, setImmediate)

/** A turn of the event loop for a text that takes long to parse: those that arrive together are read one in a turn. */
export const turnToParse: Effect.Effect<void> = Effect.callback((resume) => {
  const leave = texts.wait(1, () => resume(Effect.void))
  return Effect.sync(leave)
})

/** Bytes in ten milliseconds. */
const pages = new Turns(512 * 1024, (renew) => void setTimeout(renew, 10))

/**
 * A turn for a piece of one of the gateway's own pages. A thousand clients that never read take megabytes each,
 * because the kernel's buffers of a connection grow as long as data is written. So all of them together are filled at
 * 50 MiB a second at most.
 */
export const turnForPage = (bytes: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const leave = pages.wait(bytes, () => resume(Effect.void))
    // A reader that disconnected must not take a turn from those behind it.
    return Effect.sync(leave)
  })
