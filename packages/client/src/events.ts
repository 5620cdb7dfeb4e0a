import { chunksOf, type Ending, linesOf } from "./chunks.ts"
import type { Engine } from "./engine/engine.ts"
import type { Route } from "./engine/routes.ts"
import { mayPass, parsed } from "./failure.ts"
import { answered, type Input } from "./request.ts"
import type { Received, StreamOptions } from "./types.ts"

/** The gateway sends a comment after 15 seconds without an event, so that three are missing. */
const idleMillis = 45_000

const pauses = { usual: 3_000, longest: 30_000 }

/** What one block of a stream said. A block without data is no event, and its id counts all the same. */
interface Block {
  readonly id: string | undefined
  readonly retry: number | undefined
  readonly data: string | undefined
}

/** The blocks of a stream of server-sent events. One that is cut off is none. */
async function* blocksOf(lines: AsyncIterable<string>): AsyncGenerator<Block, void> {
  let data: Array<string> = []
  let fields: { id?: string; retry?: number } = {}
  for await (const line of lines) {
    if (line === "") {
      yield { id: fields.id, retry: fields.retry, data: data.length === 0 ? undefined : data.join("\n") }
      data = []
      fields = {}
      continue
    }
    const colon = line.indexOf(":")
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (name === "data") data.push(value)
    if (name === "id") fields.id = value
    if (name === "retry" && /^\d+$/.test(value)) fields.retry = Number(value)
  }
}

/**
 * Events as they happen, across disconnects, renewed tokens and restarts of the
 * gateway: each connection goes on behind the last id of the one before, so that
 * no event is missed and none comes twice. It ends with its signal, with
 * `timeout_seconds`, or with a failure that another attempt would not change.
 */
export async function* events(
  engine: Engine,
  route: Route,
  input: Input,
  options: StreamOptions
): AsyncGenerator<Received<unknown>, void> {
  const { signal } = options
  const { time } = engine
  const began = time.now()
  const { cursor: start, timeout_seconds: seconds, ...filters } = input
  let last = typeof start === "string" ? start : undefined
  let pause = pauses.usual
  let failures = 0
  let opened = false
  for (;;) {
    const left = Math.ceil(Number(seconds) - (time.now() - began) / 1000)
    const limit = seconds === undefined ? {} : { timeout_seconds: Math.max(0, left) }
    const headers = { ...options.headers, ...(last === undefined ? {} : { "last-event-id": last }) }
    const answer = await answered(engine, route, { ...filters, ...limit }, { ...options, headers }).catch(
      (error: unknown) => {
        if (!opened || !mayPass(error)) throw error
        return undefined
      }
    )
    const ending: Ending = { broken: false }
    if (answer?.body !== undefined && answer.body !== null) {
      const lines = linesOf(chunksOf(answer.body, ending, { time, signal, idleMillis }))
      for await (const { data, id, retry } of blocksOf(lines)) {
        failures = 0
        pause = retry ?? pause
        last = id ?? last
        if (!opened && last !== undefined) options.onOpen?.(last)
        opened = true
        if (data !== undefined && last !== undefined) yield { cursor: last, event: await parsed(data) }
      }
      signal?.throwIfAborted()
      if (seconds !== undefined && !ending.broken) return
    }
    await time.sleep(time.random() * Math.min(pauses.longest, pause * 2 ** failures), signal)
    failures += 1
  }
}
