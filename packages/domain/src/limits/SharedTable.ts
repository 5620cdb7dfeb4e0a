import { createHash, randomInt } from "node:crypto"

/** Rows that are looked at for a key before the table counts as full. */
const probes = 64

/**
 * Attempts to lock a row, about a millisecond of them. The lock of a thread that ended or was suspended within its few
 * instructions is taken over; what it writes when it goes on replaces what was counted meanwhile.
 */
const lockAttempts = 100_000

const keyWords = 4
const keyAt = 1

/**
 * A table of 32-bit numbers by key, in memory that the threads of a process share. A key keeps its row for ever, so
 * that each thread looks for it only once.
 */
export class SharedTable {
  readonly cells: Int32Array
  readonly #width: number
  readonly #rows: number
  readonly #known = new Map<string, number>()
  /** By which a lock shows whose it is. */
  readonly #token = randomInt(1, 2 ** 31 - 1)

  /** The memory of a table with so many rows of so many numbers each. */
  static memory(rows: number, numbers: number): SharedArrayBuffer {
    return new SharedArrayBuffer(rows * widthOf(numbers) * Int32Array.BYTES_PER_ELEMENT)
  }

  constructor(memory: SharedArrayBuffer, numbers: number) {
    this.cells = new Int32Array(memory)
    this.#width = widthOf(numbers)
    this.#rows = Math.floor(this.cells.length / this.#width)
  }

  /** Where the numbers of a key begin in `cells`; undefined when the table is full. The place is even. */
  find(key: string): number | undefined {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const digest = createHash("sha256").update(key).digest()
    const first = digest.readUInt32LE(0)
    for (let probe = 0; probe < Math.min(probes, this.#rows); probe++) {
      const row = ((first + probe) % this.#rows) * this.#width
      if (!this.#locked(row, () => this.#claims(row + keyAt, digest))) continue
      const place = row + numbersAt
      this.#known.set(key, place)
      return place
    }
    return undefined
  }

  /**
   * Changes the numbers of one key, while no other thread does.
   *
   * @param place what `find` returned
   * @param change must not fail
   */
  exclusively<A>(place: number, change: () => A): A {
    return this.#locked(place - numbersAt, change)
  }

  /** Sets one of the numbers of every key to zero. */
  clear(number: number): void {
    for (let at = numbersAt + number; at < this.cells.length; at += this.#width) Atomics.store(this.cells, at, 0)
  }

  #locked<A>(lock: number, change: () => A): A {
    let tries = 0
    while (tries < lockAttempts && Atomics.compareExchange(this.cells, lock, 0, this.#token) !== 0) tries += 1
    if (tries === lockAttempts) Atomics.store(this.cells, lock, this.#token)
    const value = change()
    // Unless another thread has taken it over meanwhile.
    Atomics.compareExchange(this.cells, lock, this.#token, 0)
    return value
  }

  /** Whether the row is that of the digest, or was free. */
  #claims(at: number, digest: Buffer): boolean {
    const words = Array.from({ length: keyWords }, (_, index) => digest.readInt32LE(index * 4))
    const isFree = words.every((_, index) => this.cells[at + index] === 0)
    if (isFree) this.cells.set(words, at)
    return isFree || words.every((word, index) => this.cells[at + index] === word)
  }
}

/** Even, so that a row may hold 64-bit numbers. */
const numbersAt = keyAt + keyWords + 1

const widthOf = (numbers: number): number => numbersAt + numbers + (numbers % 2)
