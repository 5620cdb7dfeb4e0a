import type { Socket } from "node:net"
import { buildConnector } from "undici"

/** A connection that the upstream broke. `cause` is how that was noticed. */
export class Broken extends Error {
  constructor(cause: unknown) {
    super("the connection broke", { cause })
  }
}

/**
 * Connects as undici does, to upstreams that are heard to the end of what they
 * said before they broke the connection, and never further than that:
 *
 * - One that answers before it has read the whole request, and closes, resets
 *   the connection (RFC 9112, section 9.6). Its answer has arrived by then, yet
 *   Node drops what it could still read as soon as a write fails. Such a write
 *   counts as done, since the reading side comes upon the end of the
 *   connection by itself.
 * - undici takes a reset for the end of an answer that has no length. Half an
 *   answer would look like a whole one.
 */
export const hearingOut = (options: buildConnector.BuildOptions): buildConnector.connector => {
  const connect = buildConnector(options)
  return (to, done) =>
    connect(to, (...[error, socket]) => {
      if (error === null) done(null, heardOut(socket))
      else done(error, null)
    })
}

const heardOut = <A extends Socket>(socket: A): A => {
  const { _write, _writev, destroy, emit } = socket
  const written = (done: (error?: Error | null) => void) => (error?: Error | null) => {
    if (!isBroken(error)) return done(error)
    // What has arrived is read; that nothing follows is not the good end of it.
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
