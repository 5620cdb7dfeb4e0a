import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

/** So many bytes may have passed since the last time. */
const every = 16 * 1024 * 1024
let passed = 0

/**
 * Bytes of a stream went through. Their buffers are outside the heap and free
 * as soon as somebody looks; but V8 looks when its own young objects have used
 * up their space, and a long stream makes so few of them that a hundred
 * megabytes of spent buffers would wait for it. A minor collection takes well
 * under a millisecond, because next to nothing is alive.
 */
export const streamed = (bytes: number): void => {
  passed += bytes
  if (passed < every) return
  passed = 0
  if (typeof collect === "function") collect({ type: "minor" })
}
