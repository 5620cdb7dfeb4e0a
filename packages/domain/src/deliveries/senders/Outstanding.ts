import { makeRoom } from "@portico/upstream/TtlCache"
/**
 * Addresses for which a mail server deferred an event that it accepted for others: the next attempt
 * is for these alone. Only this process remembers them; after its death some mails are sent twice,
 * with the same Message-ID.
 */
export class Outstanding {
  readonly #left = new Map<string, ReadonlyArray<string>>()
  readonly #capacity: number

  constructor(capacity = 1000) {
    this.#capacity = capacity
  }

  /** Empty when no address has the mail yet, as far as this process knows. */
  of(attempt: string): ReadonlyArray<string> {
    return this.#left.get(attempt) ?? []
  }

  remember(attempt: string, addresses: ReadonlyArray<string>): void {
    this.#left.delete(attempt)
    makeRoom(this.#left, this.#capacity)
    this.#left.set(attempt, addresses)
  }

  forget(attempt: string): void {
    this.#left.delete(attempt)
  }
}
