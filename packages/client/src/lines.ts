import { chunksOf, type Ending, linesOf } from "./chunks.ts"
import type { Engine } from "./engine/engine.ts"
import type { Route } from "./engine/routes.ts"
import { isObject } from "@portico/contract/isObject"
import { parsed } from "./failure.ts"
import { answered, type Input } from "./request.ts"
import { PorticoError } from "./PorticoError.ts"
import type { CallOptions } from "./types.ts"

/** How often in a row an export may break off without a line. */
const most = 5

/** Longer than the gateway takes for a page. */
const idleMillis = 120_000

/**
 * An export, line by line. A body that was cut off lacks its last line: the
 * export goes on behind the cursor of the last whole one. So does an export
 * that ended early.
 */
export async function* lines(
  engine: Engine,
  route: Route,
  input: Input,
  options: CallOptions
): AsyncGenerator<unknown, void> {
  const { signal } = options
  const { time } = engine
  let from: Input = {}
  let breaks = 0
  while (breaks < most) {
    const { body } = await answered(engine, route, { ...input, ...from }, options)
    const ending: Ending = { broken: false }
    const chunks = body === null ? [] : linesOf(chunksOf(body, ending, { time, signal, idleMillis }))
    for await (const text of chunks) {
      const line = await parsed(text)
      if (!isObject(line)) break
      breaks = 0
      if (typeof line["cursor"] === "string") from = { cursor: line["cursor"] }
      if (line["end"] !== true) {
        yield line
        continue
      }
      if (line["complete"] !== true) break
      yield line
      return
    }
    breaks += 1
    await time.sleep(breaks * time.random() * 1000, signal)
  }
  const detail = "The export broke off again and again"
  throw new PorticoError("unreachable", { detail, status: 0, operation: route.operation })
}
