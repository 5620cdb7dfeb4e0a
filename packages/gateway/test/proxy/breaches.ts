import { longestHead } from "@portico/upstream/Trust"
import type { Socket } from "node:net"

/** A way in which a service does not answer as HTTP has it. */
export interface Breach {
  readonly how: string
  /** What the service does with a request. */
  readonly reply: (socket: Socket) => void
  /** Words of a 502, or a broken connection because the head is out. */
  readonly outcome: RegExp | "broken"
}

const failed = /^dns: no answer: the connection failed \((ECONNRESET|UND_ERR_SOCKET)\)$/
export const text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
export const json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
const endings = {
  closes: (socket: Socket) => void socket.end(),
  resets: (socket: Socket) => void socket.resetAndDestroy()
}

/** What was sent before the connection ended, and what the client is to make of it. */
const begun: Readonly<Record<string, readonly [sent: string, outcome: RegExp | "broken"]>> = {
  "before its head": ["", failed],
  "in its first line": ["HTTP/1.1 20", failed],
  "in the middle of its head": [`${text}Content-Le`, failed],
  "after an interim head": ["HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", failed],
  "after its head, with a length": [`${text}Content-Length: 10\r\n\r\n`, "broken"],
  "in the middle of a body with a length": [`${text}Content-Length: 10\r\n\r\nhalf`, "broken"],
  "in the middle of JSON with a length": [`${json}Content-Length: 10\r\n\r\n{"a":`, failed],
  "in the middle of long JSON with a length": [`${json}Content-Length: 1000000\r\n\r\n{"a":`, "broken"],
  "in the middle of chunks": [`${text}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`, "broken"],
  "in the middle of a chunk": [`${text}Transfer-Encoding: chunked\r\n\r\nff\r\nhalf`, "broken"],
  "in the middle of JSON in chunks": [`${json}Transfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n`, "broken"],
  "before the last chunk's end": [`${text}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n`, "broken"]
}

export const breaches: ReadonlyArray<Breach> = [
  ...Object.entries(endings).flatMap(([ends, end]) =>
    Object.entries(begun).map(([when, [sent, outcome]]) => ({
      how: `${ends} ${when}`,
      reply: (socket: Socket) => void (sent === "" ? end(socket) : socket.write(sent, () => end(socket))),
      outcome
    }))
  ),
  {
    how: "resets in the middle of a body that has no length but its end",
    reply: (socket) => void socket.write(`${text}Connection: close\r\n\r\nhalf`, () => socket.resetAndDestroy()),
    outcome: "broken"
  },
  ...Object.entries({
    "does not speak HTTP": ["220 mail.internal ESMTP ready\r\n", ""],
    "speaks TLS": ["\u0015\u0003\u0001\u0000\u0002\u0002\u0046", ""],
    "has a header without a colon": [`${text}nonsense\r\n\r\n`, ""],
    "has two lengths": [
      `${text}Content-Length: 4\r\nContent-Length: 5\r\n\r\nhalf!`,
      " \\(UND_ERR_RES_CONTENT_LENGTH_MISMATCH\\)"
    ],
    "has a negative length": [`${text}Content-Length: -4\r\n\r\nhalf`, ""],
    "changes the protocol unasked": [
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
      " \\(UND_ERR_SOCKET\\)"
    ]
  }).map(([how, [sent = "", code]]) => ({
    how,
    reply: (socket: Socket) => void socket.write(sent, "latin1"),
    outcome: new RegExp(String.raw`^dns: no answer: the connection failed${code}$`)
  })),
  ...Object.entries({
    "has a header of more than 64 KiB": `${text}X-Long: ${"x".repeat(longestHead)}\r\n\r\n`,
    "has headers of more than 64 KiB together": `${text}${"X-Long: 0123456789\r\n".repeat(4_097)}\r\n`
  }).map(([how, sent]) => ({
    how,
    reply: (socket: Socket) => void socket.write(sent, "latin1"),
    outcome: /^dns: the head of its answer is longer than 65536 bytes$/
  })),
  {
    how: "has a malformed chunk",
    reply: (socket) => void socket.write(`${text}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n`),
    outcome: "broken"
  }
]
