import type { Socket } from "node:net"
import { buildConnector } from "undici"

/** The upstream broke the connection. `cause` is the error that showed it. */
export class Broken extends Error {
  constructor(cause: unknown) {
    super("the connection broke", { cause })
  }
}

/**
 * Connects as undici does, but reads everything that an upstream sent before it broke the connection, and never
 * treats the break as a regular end:
 *
 * - An upstream that answers before it has read the whole request, and closes, resets the connection (RFC 9112,
 *   section 9.6). Its answer has arrived by then, but Node drops unread data as soon as a write fails. Such a write
 *   counts as done; the reading side meets the end of the connection by itself.
 * - undici treats a reset as the end of an answer without a length. An incomplete answer would look complete.
 *
 * It never offers HTTP/2, over which undici would join the lines of a repeated header such as `Impersonate-Group` to one
 * value, and a broken connection would break all watches.
 */
export const drainingConnector = (options: buildConnector.BuildOptions): buildConnector.connector => {
  const connect = buildConnector({ ...options, allowH2: false })
  return (to, done) =>
    connect(to, (...[error, socket]) => {
      if (error === null) done(null, draining(socket))
      else done(error, null)
    })
}

const draining = <A extends Socket>(socket: A): A => {
  const { _write, _writev, destroy, emit } = socket
  const written = (done: (error?: Error | null) => void) => (error?: Error | null) => {
    if (!isBroken(error)) return done(error)
    // Received data is still read. An end of stream after a broken write is an error, not a regular end.
    socket.emit = (event: string | symbol, ...args: ReadonlyArray<unknown>) =>
      event === "end" ? socket.destroy(error).destroyed : Reflect.apply(emit, socket, [event, ...args])
    done()
  }
  socket._write = (bytes, encoding, done) => _write.call(socket, bytes, encoding, written(done))
  socket._writev = (pieces, done) => _writev?.call(socket, pieces, written(done))
  socket.destroy = (error) => destroy.call(socket, isBroken(error) ? new Broken(error) : error)
  return socket
}

const isBroken = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE")
