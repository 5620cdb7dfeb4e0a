import { makeRoom } from "@portico/upstream/TtlCache"
/**
 * Addresses that a mail server would not take an event for yet, while it took
 * it for others: the next attempt is for these alone. Only this process knows;
 * when it dies, some mails come twice, under one Message-ID.
 */
export class Outstanding {
  readonly #left = new Map<string, ReadonlyArray<string>>()
  readonly #capacity: number

  constructor(capacity = 1000) {
    this.#capacity = capacity
  }

  /** Empty when nobody has it yet, as far as is known. */
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
