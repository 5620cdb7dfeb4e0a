/** An item with the list that it stands in, and its neighbours there. */
export interface Linked<Item extends Linked<Item>> {
  list: LinkedList<Item> | undefined
  before: Item | undefined
  after: Item | undefined
}

/**
 * Items in the order in which they were added, as a list through the items themselves. Every request takes its
 * connection out and puts it back. From a set that changes so often, V8 leaves tables behind that keep alive what was in
 * them, until the next full collection.
 */
export class LinkedList<Item extends Linked<Item>> {
  first: Item | undefined
  #last: Item | undefined

  add(item: Item): void {
    item.list?.remove(item)
    item.list = this
    item.before = this.#last
    if (this.#last === undefined) this.first = item
    else this.#last.after = item
    this.#last = item
  }

  remove(item: Item): void {
    if (item.list !== this) return
    item.list = undefined
    const { after, before } = item
    if (before === undefined) this.first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    item.before = undefined
    item.after = undefined
  }
}
