import { Effect } from "effect"

/** Bytes that all streams together may pass on in one turn of the event loop. */
const budget = 128 * 1024
/** What a piece costs beside its bytes, in bytes. */
const perPiece = 1024

interface Waiting {
  readonly cost: number
  readonly goOn: () => void
}

let left = budget
let isRenewing = false
const waiting: Array<Waiting> = []

/**
 * The share that streams have of the event loop. Node reads up to 2 MB of each
 * connection before it looks at the next one, so that a hundred downloads keep
 * a small call waiting for a hundred times as long as one. A stream pays for
 * each piece before it takes the next one; when the budget of a turn is spent
 * it waits, first come first served, and everything else is served in between.
 *
 * @returns whether the stream may go on at once; otherwise {@link whenPaid} says when
 */
export const paid = (bytes: number): boolean => {
  if (left <= 0 || waiting.length > 0) return false
  left -= bytes + perPiece
  renewLater()
  return true
}

/** Calls `goOn` when the stream may go on: at once, or in one of the next turns. */
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

/** Bytes of pages that all their readers together get in {@link interval}. */
const pageBudget = 512 * 1024
/** In milliseconds. */
const interval = 10

let pagesLeft = pageBudget
let isCounting = false
const readers: Array<Waiting> = []

/**
 * A turn for a piece of one of the gateway's own pages. A thousand readers that
 * never read take megabytes each, because the system's buffers of a connection
 * grow as long as something is written: what is copied into these has a pace,
 * 50 MiB a second for all of them.
 */
export const turnForPage = (bytes: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const reader = { cost: bytes, goOn: () => resume(Effect.void) }
    readers.push(reader)
    served()
    // A reader that hung up takes no turn from those behind it.
    return Effect.sync(() => {
      const at = readers.indexOf(reader)
      if (at >= 0) readers.splice(at, 1)
    })
  })

const served = (): void => {
  while (pagesLeft > 0) {
    const next = readers.shift()
    if (next === undefined) break
    pagesLeft -= next.cost
    next.goOn()
  }
  if (isCounting || pagesLeft === pageBudget) return
  isCounting = true
  setTimeout(() => {
    isCounting = false
    pagesLeft = pageBudget
    served()
  }, interval)
}
