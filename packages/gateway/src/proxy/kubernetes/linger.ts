import { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** Milliseconds for a connection whose other direction has ended. */
const lingerTimeout = 2_000

/**
 * Reads and discards what the client still sends, for a moment. If it stayed unread, the close would lose the answer. A
 * client that goes on sending does not keep the connection.
 */
export const linger = (socket: Duplex): void => {
  socket.resume()
  limitIdle(socket, lingerTimeout)
  const end = () => {
    const late = setTimeout(() => socket.destroy(), lingerTimeout).unref()
    socket.once("close", () => clearTimeout(late))
  }
  if (socket.writableFinished) end()
  else socket.once("finish", end)
}

/** Closes a connection on which nothing is sent or received for so long. */
export const limitIdle = (socket: Duplex, milliseconds: number): void => {
  if (socket instanceof Socket) socket.setTimeout(milliseconds, () => socket.destroy())
}

/** Shortens the idle timeout of a connection with only one direction left. */
export const shortenIdle = (socket: Duplex): void => {
  if (socket instanceof Socket) socket.setTimeout(lingerTimeout)
}
