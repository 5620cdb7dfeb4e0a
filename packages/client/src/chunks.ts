import type { Time } from "./engine/Time.ts"

/** How a body came to its end. */
export interface Ending {
  /** The connection broke, or nothing came for too long: there may have been more. */
  broken: boolean
}

interface Reading {
  readonly time: Time
  readonly signal: AbortSignal | undefined
  /** A connection on which nothing comes for so long is taken for dead. */
  readonly idleMillis: number
}

const over = { done: true, value: undefined } as const

/**
 * The chunks of a body, by its reader, because not every browser iterates over
 * streams. A connection that breaks ends them; an abortion fails.
 */
export const chunksOf = (
  body: ReadableStream<Uint8Array>,
  ending: Ending,
  { idleMillis, signal, time }: Reading
): AsyncIterable<Uint8Array> => {
  const reader = body.getReader()
  const close = () => reader.cancel().catch(() => undefined)
  const breaks = async () => {
    ending.broken = true
    await close()
    return over
  }
  const next = (): Promise<IteratorResult<Uint8Array, undefined>> => {
    const waiting = new AbortController()
    // Cancelling the reader ends the read that waits.
    time.sleep(idleMillis, waiting.signal).then(breaks, () => undefined)
    return reader
      .read()
      .then(
        (_) => (_.done ? over : _),
        () => (signal?.aborted === true ? Promise.reject(signal.reason) : breaks())
      )
      .finally(() => waiting.abort())
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: () => close().then(() => over) }) }
}

/** The lines of a text, without what follows the last line break: that was cut off. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of chunks) {
    const [last = "", ...whole] = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n").toReversed()
    for (const line of whole.toReversed()) yield line.replace(/\r$/, "")
    rest = last
  }
}
