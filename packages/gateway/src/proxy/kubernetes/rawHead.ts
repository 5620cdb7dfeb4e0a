import { type IncomingMessage, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { hstsOf } from "../hsts.ts"

/** A client's connection that no HTTP parser reads any more. */
export interface RawConnection {
  readonly socket: Duplex
  /** The request on it; undefined when only a part of its head came. */
  readonly from?: IncomingMessage
}

/**
 * The head of an answer on such a connection.
 *
 * @param headers name, value, name, value
 */
export const headText = ({ from, socket }: RawConnection, status: number, headers: ReadonlyArray<string>): Buffer => {
  const all = [...headers, ...hstsOf(socket, from?.headers.host)]
  const lines = all.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${all[i + 1] ?? ""}`] : []))
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1")
}
