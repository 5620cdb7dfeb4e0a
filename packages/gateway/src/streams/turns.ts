import { Effect } from "effect"

/** Bytes that all streams together may pass on in one turn of the event loop. */
const budget = 128 * 1024
/** Fixed cost of a piece beside its bytes, in bytes. */
const perPiece = 1024

interface Waiting {
  readonly cost: number
  readonly goOn: () => void
}

let left = budget
let isRenewing = false
const waiting: Array<Waiting> = []

/**
 * Limits the streams' share of the event loop. Node reads up to 2 MB from each connection before it turns to the next
 * one, so a hundred downloads delay a small call a hundred times as long as one does. A stream pays for each piece
 * before it takes the next one. When the budget of a turn is spent, streams wait in order of arrival while everything
 * else is served.
 *
 * @returns whether the stream may go on at once; otherwise use {@link whenPaid}
 */
export const paid = (bytes: number): boolean => {
  if (left <= 0 || waiting.length > 0) return false
  left -= bytes + perPiece
  renewLater()
  return true
}

/** Calls `goOn` when the stream may go on: at once, or in a later turn. */
export const whenPaid = (bytes: number, goOn: () => void): void => {
  if (paid(bytes)) return goOn()
  waiting.push({ cost: bytes + perPiece, goOn })
  renewLater()
}

/** The same for a stream of Effect. */
export const turnFor = (bytes: number): Effect.Effect<void> =>
  Effect.callback((resume) => whenPaid(bytes, () => resume(Effect.void)))

const renewLater = (): void => {
  if (isRenewing) return
  isRenewing = true
  setImmediate(renew)
}

const renew = (): void => {
  isRenewing = false
  left = budget
  while (left > 0) {
    const next = waiting.shift()
    if (next === undefined) break
    left -= next.cost
    next.goOn()
  }
  if (waiting.length > 0) renewLater()
}

/** Bytes of pages that all readers together get in one {@link interval}. */
const pageBudget = 512 * 1024
/** In milliseconds. */
const interval = 10

let pagesLeft = pageBudget
let isTimerSet = false
const readers: Array<Waiting> = []

/**
 * A turn for a piece of one of the gateway's own pages. A thousand clients that never read take megabytes each,
 * because the kernel's buffers of a connection grow as long as data is written. So all of them together are filled at
 * 50 MiB a second at most.
 */
export const turnForPage = (bytes: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const reader = { cost: bytes, goOn: () => resume(Effect.void) }
    readers.push(reader)
    serveReaders()
    // A reader that disconnected must not take a turn from those behind it.
    return Effect.sync(() => {
      const at = readers.indexOf(reader)
      if (at >= 0) readers.splice(at, 1)
    })
  })

const serveReaders = (): void => {
  while (pagesLeft > 0) {
    const next = readers.shift()
    if (next === undefined) break
    pagesLeft -= next.cost
    next.goOn()
  }
  if (isTimerSet || pagesLeft === pageBudget) return
  isTimerSet = true
  setTimeout(() => {
    isTimerSet = false
    pagesLeft = pageBudget
    serveReaders()
  }, interval)
}
