import { Context, Effect, Fiber } from "effect"

/** What a transaction has done so far. */
export class Transaction {
  /** A fiber may live longer than the transaction that it was forked in. */
  isOver = false
  private readonly undoing: Array<() => void> = []
  private readonly telling: Array<Effect.Effect<void>> = []
  private readonly savepoints = new Map<number, readonly [undoing: number, telling: number]>()

  wrote(undo: () => void): void {
    this.undoing.push(undo)
  }
  tells(effect: Effect.Effect<void>): void {
    this.telling.push(effect)
  }
  save(id: number): void {
    this.savepoints.set(id, [this.undoing.length, this.telling.length])
  }
  /** To a savepoint; to where it began without one. The last write is undone first. */
  rollBack(id = 0): void {
    const [undoing, telling] = this.savepoints.get(id) ?? [0, 0]
    for (const undo of this.undoing.splice(undoing).toReversed()) undo()
    this.telling.splice(telling)
  }
  get commit(): Effect.Effect<void> {
    return Effect.suspend(() => Effect.all(this.telling, { discard: true }))
  }
}

/** The transaction that a fiber is in, and how deep, as the database's client has it. */
export class Current extends Context.Service<Current, readonly [transaction: Transaction, depth: number]>()(
  "portico/testing/store/Current"
) {}

const current = (): Transaction | undefined => {
  const fiber = Fiber.getCurrent()
  const transaction = fiber && Context.getOrUndefined(fiber.context, Current)?.[0]
  return transaction?.isOver === false ? transaction : undefined
}

/** When the transaction is committed, and never when it fails; at once outside of one. */
export const onCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const transaction = current()
    transaction?.tells(effect)
    return transaction === undefined ? effect : Effect.void
  })

/**
 * A table, by key and in the order in which rows came. What a transaction that
 * fails has written is as before, each row by itself: what others wrote
 * meanwhile stays. A row is replaced and never changed, or nothing could be
 * put back.
 */
export class Table<K, Row> extends Map<K, Row> {
  override set(key: K, row: Row): this {
    const before = this.get(key)
    super.set(key, row)
    current()?.wrote(() => {
      if (this.get(key) !== row) return
      if (before === undefined) super.delete(key)
      else super.set(key, before)
    })
    return this
  }

  override delete(key: K): boolean {
    const before = this.get(key)
    const keys = [...this.keys()]
    const ahead = new Set(keys.slice(0, keys.indexOf(key)))
    current()?.wrote(() => {
      if (before === undefined || this.has(key)) return
      const behind = [...this].filter(([_]) => !ahead.has(_))
      for (const [_] of behind) super.delete(_)
      super.set(key, before)
      for (const [_, row] of behind) super.set(_, row)
    })
    return super.delete(key)
  }
}
