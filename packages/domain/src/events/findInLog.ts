import { Effect } from "effect"

/** The most items examined for one page, however few of them match. */
export const maxExamined = 5_000

/** The items read at once where few of them may match: few enough not to delay other requests. */
export const filteredChunk = 250

/** A search of a log for one page of matching items. */
export interface Search<Item, Out, Unknown extends undefined, R1, R2> {
  /** Exclusive: the search begins after this sequence, in its order; undefined for the beginning. */
  readonly after: number | undefined
  /** The items read at once. */
  readonly chunk: number
  /** The most matching items. */
  readonly limit: number
  /**
   * Reads items after a sequence, in the order of the search: `size` items, or fewer at the end. A reader with partial
   * data returns undefined when it cannot tell.
   */
  readonly read: (after: number | undefined, size: number) => Effect.Effect<ReadonlyArray<Item> | Unknown, never, R1>
  /** Whether a sequence is before the end of the search. */
  readonly isWithin?: (sequence: number) => boolean
  /** Undefined for an item that does not match. */
  readonly match: (item: Item) => Effect.Effect<Out | undefined, never, R2>
}

export interface Found<Out> {
  readonly matching: ReadonlyArray<Out>
  /** The last sequence examined, matching or not; undefined when there was none. */
  readonly last: number | undefined
  /** Whether more items follow. */
  readonly more: boolean
}

/**
 * A page of matching items. It examines at most {@link maxExamined} items, so a page may have fewer
 * items than the limit, or none, although more follow. Undefined as soon as `read` returns
 * undefined.
 */
export const findInLog = Effect.fnUntraced(function* <
  Item extends { readonly sequence: number },
  Out,
  Unknown extends undefined = never,
  R1 = never,
  R2 = never
>({ after, chunk, isWithin = () => true, limit, match, read }: Search<Item, Out, Unknown, R1, R2>) {
  const matching: Array<Out> = []
  const found = (last: number | undefined, more: boolean): Found<Out> => ({ matching, last, more })
  let last: number | undefined
  let examined = 0
  for (;;) {
    // One more than may be examined, to learn whether more items follow.
    const size = Math.min(chunk, maxExamined - examined) + 1
    const items = yield* read(last ?? after, size)
    if (items === undefined) return items
    for (const item of items) {
      if (!isWithin(item.sequence)) return found(last, false)
      if (matching.length === limit || examined === maxExamined) return found(last, true)
      examined += 1
      last = item.sequence
      const out = yield* match(item)
      if (out !== undefined) matching.push(out)
    }
    if (items.length < size) return found(last, false)
  }
})
