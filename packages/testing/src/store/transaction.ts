import { Context, Effect, Fiber } from "effect"

/** The undo log and the pending notifications of a transaction. */
export class Transaction {
  /** A forked fiber may outlive its transaction. */
  isOver = false
  private readonly undoLog: Array<() => void> = []
  private readonly notifications: Array<Effect.Effect<void>> = []
  private readonly savepoints = new Map<number, readonly [undos: number, notifications: number]>()

  addUndo(undo: () => void): void {
    this.undoLog.push(undo)
  }
  notifyOnCommit(effect: Effect.Effect<void>): void {
    this.notifications.push(effect)
  }
  save(id: number): void {
    this.savepoints.set(id, [this.undoLog.length, this.notifications.length])
  }
  /** Rolls back to a savepoint, or to the beginning without one. It undoes the last write first. */
  rollBack(id = 0): void {
    const [undos, notifications] = this.savepoints.get(id) ?? [0, 0]
    for (const undo of this.undoLog.splice(undos).toReversed()) undo()
    this.notifications.splice(notifications)
  }
  get commit(): Effect.Effect<void> {
    return Effect.suspend(() => Effect.all(this.notifications, { discard: true }))
  }
}

/** The transaction of a fiber and its nesting depth, as in the database client. */
export class Current extends Context.Service<Current, readonly [transaction: Transaction, depth: number]>()(
  "portico/testing/store/Current"
) {}

const current = (): Transaction | undefined => {
  const fiber = Fiber.getCurrent()
  const transaction = fiber && Context.getOrUndefined(fiber.context, Current)?.[0]
  return transaction?.isOver === false ? transaction : undefined
}

/** Runs the effect on commit, and never after a rollback; at once outside of a transaction. */
export const onCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const transaction = current()
    transaction?.notifyOnCommit(effect)
    return transaction === undefined ? effect : Effect.void
  })

/**
 * A table in insertion order. A rollback restores each written row by itself,
 * and keeps rows that others wrote meanwhile. Callers replace rows and never
 * mutate them, or a rollback could not restore them.
 */
export class Table<K, Row> extends Map<K, Row> {
  override set(key: K, row: Row): this {
    const before = this.get(key)
    super.set(key, row)
    current()?.addUndo(() => {
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
    current()?.addUndo(() => {
      if (before === undefined || this.has(key)) return
      const behind = [...this].filter(([_]) => !ahead.has(_))
      for (const [_] of behind) super.delete(_)
      super.set(key, before)
      for (const [_, row] of behind) super.set(_, row)
    })
    return super.delete(key)
  }
}
