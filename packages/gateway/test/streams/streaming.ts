import { readFileSync, writeFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"

export const MiB = 1024 * 1024

const piece = Buffer.alloc(64 * 1024, "portico ")

/**
 * Sends so many bytes, as fast as the other side takes them.
 *
 * @param seen gets every piece that is sent
 */
export const pour = (bytes: number, to: NodeJS.WritableStream, seen: (piece: Buffer) => void = () => {}): void => {
  let left = bytes
  const more = () => {
    while (left > 0) {
      const next = left < piece.length ? piece.subarray(0, left) : piece
      left -= next.length
      seen(next)
      if (!to.write(next)) return void to.once("drain", more)
    }
    to.end()
  }
  more()
}

/** Counts what comes. */
export const drained = (
  from: IncomingMessage,
  then: (bytes: number) => void,
  seen: (piece: Buffer) => void = () => {}
): void => {
  let bytes = 0
  from
    .on("data", (piece: Buffer) => {
      bytes += piece.length
      seen(piece)
    })
    .once("end", () => then(bytes))
}

/** The memory of a process, and the most that it had since {@link forgetMost}, in bytes. */
export const memoryOf = (pid: number) => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const line = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  return { now: line("VmRSS"), most: line("VmHWM") }
}

/** The kernel forgets the most so far, which was at the start. */
export const forgetMost = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, "5")
