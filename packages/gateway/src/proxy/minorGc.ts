import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

/** Streamed bytes between two minor collections. */
const every = 16 * 1024 * 1024
let passed = 0

/**
 * Counts streamed bytes, and runs a minor collection after every 16 MiB. The buffers of streamed data are outside the
 * heap and are freed by any collection. But V8 collects only when young heap objects have used up their space, and a
 * long stream makes few of them: a hundred megabytes of dead buffers would wait. A minor collection takes well under
 * a millisecond, because almost nothing is alive.
 */
export const countStreamed = (bytes: number): void => {
  passed += bytes
  if (passed < every) return
  passed = 0
  if (typeof collect === "function") collect({ type: "minor" })
}
