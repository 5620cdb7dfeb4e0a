import type { SharedTable } from "./SharedTable.ts"

/** How many calls a window admits, and how fast they come back. */
export interface Rate {
  readonly calls: number
  /** Milliseconds until one call comes back. */
  readonly refillMillis: number
}

/** The calls that have not come back yet, this one included, and the milliseconds until all of them have. */
export type Taken = readonly [count: number, milliseconds: number]

/** The calls of a key that have not come back yet, and when all of them will have. */
interface Held {
  count: number
  /** Milliseconds since the epoch. */
  until: number
}

/** Takes a call, unless the rate is exceeded, as the library's store in memory does. */
const takenFrom = (held: Held, { calls, refillMillis }: Rate, now: number): Taken => {
  if (held.until <= now) Object.assign(held, { count: 0, until: now })
  if (held.count + 1 > calls) return [held.count + 1, held.until - now]
  held.count += 1
  held.until += refillMillis
  return [held.count, held.until - now]
}

/**
 * A fixed window for each key: calls take from it, and all of them come back together, when the last one is due. All
 * threads of the process count together. The library's store in memory counts alike, but it is an effect, and with it
 * every call would need a fiber before anything is known about it.
 */
export class FixedWindows {
  readonly #recovering = new Map<string, Held>()
  readonly #shared: SharedTable | undefined
  readonly #untils: Float64Array

  constructor(shared: SharedTable | undefined) {
    this.#shared = shared
    this.#untils = new Float64Array(shared?.cells.buffer ?? new ArrayBuffer())
  }

  /** @param now milliseconds since the epoch */
  take(key: string, rate: Rate, now: number): Taken {
    const place = this.#shared?.find(key)
    if (this.#shared !== undefined && place !== undefined) return this.#takeShared(this.#shared, place, rate, now)
    const found = this.#recovering.get(key)
    const held = found ?? { count: 0, until: now }
    if (found === undefined) this.#recovering.set(key, held)
    return takenFrom(held, rate, now)
  }

  #takeShared(shared: SharedTable, place: number, rate: Rate, now: number): Taken {
    const { cells } = shared
    return shared.exclusively(place, () => {
      const held = { count: cells[place] ?? 0, until: this.#untils[place / 2 + 1] ?? 0 }
      const taken = takenFrom(held, rate, now)
      cells[place] = held.count
      this.#untils[place / 2 + 1] = held.until
      return taken
    })
  }
}
