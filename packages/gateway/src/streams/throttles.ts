import { Throttle } from "@portico/domain/limits/Throttle"
import { Effect } from "effect"

/** Bytes in one turn of the event loop. */
const streams = new Throttle(128 * 1024, setImmediate)
/** Fixed cost of a piece beside its bytes, in bytes. */
const perPiece = 1024

/**
 * Limits the streams' share of the event loop. Node reads up to 2 MB from each connection before it turns to the next
 * one, so a hundred downloads delay a small call a hundred times as long as one does. A stream pays for each piece
 * before it takes the next one. When the budget of a turn is spent, streams wait while everything else is served.
 *
 * @returns whether the stream may go on at once; otherwise use {@link whenPaid}
 */
export const paid = (bytes: number): boolean => streams.take(bytes + perPiece)

/** Calls `goOn` when the stream may go on: at once, or in a later turn. */
export const whenPaid = (bytes: number, goOn: () => void): void => void streams.wait(bytes + perPiece, goOn)

const texts = new Throttle(1, setImmediate)

/** A turn of the event loop for a text that takes long to parse: those that arrive together are read one in a turn. */
export const turnOfText: Effect.Effect<void> = Effect.callback((resume) => {
  const leave = texts.wait(1, () => resume(Effect.void))
  return Effect.sync(leave)
})

/** Bytes in ten milliseconds. */
const pages = new Throttle(512 * 1024, (renew) => void setTimeout(renew, 10))

/**
 * A turn for a piece of one of the gateway's own pages. A thousand clients that never read take megabytes each,
 * because the kernel's buffers of a connection grow as long as data is written. So all of them together are filled at
 * 50 MiB a second at most.
 */
export const turnForPage = (bytes: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const leave = pages.wait(bytes, () => resume(Effect.void))
    // A reader that disconnected must not take a turn from those behind it.
    return Effect.sync(leave)
  })
