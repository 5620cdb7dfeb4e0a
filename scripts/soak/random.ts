/** Numbers that follow from a seed, so that a run's decisions can be made again. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  /** One of these, of which there is at least one. */
  pick<A>(from: ReadonlyArray<A>): A {
    return from[this.int(0, from.length - 1)]!
  }

  /** Another stream, which follows from this one's seed and the name alone, however much was drawn here. */
  static of(seed: number, name: string): SeededRandom {
    let hash = seed >>> 0
    for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0
    return new SeededRandom(hash)
  }
}
