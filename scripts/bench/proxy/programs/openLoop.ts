import { connect, type Socket } from "node:net"

// Sends requests at a fixed rate, whatever becomes of them, and measures each from the moment at which it was to be
// sent: a request that waits for a connection, because earlier ones are late, is late itself. The arguments come in one
// JSON object, and one line of JSON is the result.

const { connections, headers, rate, seconds, url } = JSON.parse(process.argv[2] ?? "")
const { hostname, pathname, port, search } = new URL(url)
const fields = Object.entries({ host: `${hostname}:${port}`, ...headers }).map(
  ([name, value]) => `${name}: ${value}\r\n`
)
const request = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${fields.join("")}\r\n`)

/** Milliseconds of each answered request. */
const took: Array<number> = []
let failed = 0
/** When the requests that wait for a connection were to be sent, the first at `next`. */
const waiting: Array<number> = []
let next = 0
const free: Array<Connection> = []

class Connection {
  readonly #socket: Socket
  #due = 0
  #head = ""
  #left = -1

  constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true).on("data", (piece) => this.#read(piece))
    socket.on("error", () => {}).on("close", () => (failed += isOver ? 0 : 1))
  }

  send(due: number): void {
    this.#due = due
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(piece: Buffer): void {
    let body = piece.length
    if (this.#left < 0) {
      this.#head += piece.toString("latin1")
      const end = this.#head.indexOf("\r\n\r\n")
      if (end < 0) return
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(this.#head)?.[1]
      if (!this.#head.startsWith("HTTP/1.1 200 ") || length === undefined) failed += 1
      this.#left = Number(length ?? 0)
      body = this.#head.length - end - 4
      this.#head = ""
    }
    this.#left -= body
    if (this.#left > 0) return
    this.#left = -1
    took.push(performance.now() - this.#due)
    const due = waiting[next]
    if (due === undefined) return void free.push(this)
    next += 1
    this.send(due)
  }
}

let isOver = false
for (let count = 0; count < connections; count++) {
  const socket = connect(Number(port), hostname)
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  free.push(new Connection(socket))
}
const all = [...free]

const begun = performance.now()
const total = Math.floor(rate * seconds)
let planned = 0
await new Promise<void>((resolve) => {
  const tick = () => {
    const now = performance.now()
    for (; planned < total; planned++) {
      const due = begun + (planned * 1000) / rate
      if (due > now) break
      const connection = free.pop()
      if (connection === undefined) waiting.push(due)
      else connection.send(due)
    }
    // What does not come within ten seconds is a failure.
    if (took.length === total || now > begun + seconds * 1000 + 10_000) return resolve()
    setTimeout(tick, 1)
  }
  tick()
})
isOver = true
for (const connection of all) connection.close()

const sorted = took.toSorted((a, b) => a - b)
const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
console.log(
  JSON.stringify({
    requests: took.length,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    p999_ms: at(0.999),
    failed: failed + total - took.length
  })
)
