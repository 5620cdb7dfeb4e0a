import { connect, type TLSSocket } from "node:tls"
import type { Asked, Load, Sent, Span, Target } from "./load.ts"

/** Milliseconds of a span. */
const spanLength = 250

/** How many connections a tenant may open to each replica. More calls than these wait in its own client. */
const connectionsOfOne = 512

const percentile = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

interface Call {
  readonly tenant: number
  /** When it was due: a call that waits for a connection has begun. */
  readonly at: number
}

/** What became of the calls of a phase. */
class Tally {
  readonly #began: number
  readonly #deadline: number
  readonly #tenants: Array<{ sent: number; refused: number; good: Array<number> }>
  readonly #spans: Array<{ sent: number; good: Array<number> }> = []

  constructor(tenants: number, began: number, deadline: number) {
    this.#began = began
    this.#deadline = deadline
    this.#tenants = Array.from({ length: tenants }, () => ({ sent: 0, refused: 0, good: [] }))
  }

  due({ at, tenant }: Call): void {
    this.#tenants[tenant]!.sent += 1
    this.#span(at).sent += 1
  }

  answered(call: Call, status: number): void {
    const took = performance.now() - call.at
    if (status === 200 && took <= this.#deadline) {
      this.#tenants[call.tenant]!.good.push(took)
      this.#span(call.at).good.push(took)
    } else if (status !== 200) this.#tenants[call.tenant]!.refused += 1
  }

  get sent(): Omit<Sent, "cpu"> {
    return {
      tenants: this.#tenants.map(({ good, refused, sent }) => {
        const sorted = good.toSorted((a, b) => a - b)
        const at = (part: number) => percentile(sorted, part)
        return { sent, refused, good: good.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
      }),
      spans: this.#spans.map(({ good, sent }): Span => {
        const sorted = good.toSorted((a, b) => a - b)
        return { sent, good: good.length, p95: percentile(sorted, 0.95) }
      })
    }
  }

  #span(at: number) {
    const index = Math.floor((at - this.#began) / spanLength)
    while (this.#spans.length <= index) this.#spans.push({ sent: 0, good: [] })
    return this.#spans[index]!
  }
}

const end = Buffer.from("\r\n\r\n")

/** One connection, with at most one call under way. It reads no more of an answer than where it ends. */
class Connection {
  readonly #socket: TLSSocket
  readonly #request: Buffer
  readonly #free: (connection: Connection) => void
  #answered: ((status: number) => void) | undefined
  #left = -1
  #isChunked = false
  #status = 0
  #head: Buffer = Buffer.alloc(0)
  isClosed = false
  /** Once it can be used, or is closed. */
  readonly settled: Promise<void>

  constructor(target: Target, request: Buffer, free: (connection: Connection) => void, closed: () => void) {
    this.#request = request
    this.#free = free
    this.#socket = connect({ host: target.host, port: target.port, ca: [...target.ca], servername: "localhost" })
    this.#socket.setNoDelay(true)
    this.settled = new Promise((resolve) => void this.#socket.once("secureConnect", resolve).once("close", resolve))
    this.#socket.on("data", (piece) => this.#read(piece))
    this.#socket.on("error", () => {})
    this.#socket.on("close", () => {
      this.isClosed = true
      this.#answered = undefined
      closed()
    })
  }

  ask(answered: (status: number) => void): void {
    this.#answered = answered
    this.#socket.write(this.#request)
  }

  #read(piece: Buffer): void {
    if (this.#left < 0) {
      const all = this.#head.length === 0 ? piece : Buffer.concat([this.#head, piece])
      const at = all.indexOf(end)
      if (at < 0) return void (this.#head = all)
      const head = all.toString("latin1", 0, at).toLowerCase()
      this.#head = Buffer.alloc(0)
      this.#status = Number(head.slice(9, 12))
      this.#isChunked = head.includes("transfer-encoding: chunked")
      this.#left = this.#isChunked ? 1 : Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)
      piece = all.subarray(at + end.length)
    }
    if (this.#isChunked) this.#left = piece.subarray(-5).toString("latin1") === "0\r\n\r\n" ? 0 : 1
    else this.#left -= piece.length
    if (this.#left > 0) return
    this.#left = -1
    const answered = this.#answered
    this.#answered = undefined
    answered?.(this.#status)
    this.#free(this)
  }
}

/** The connections of one tenant to one replica, and the calls that wait for one. */
class Client {
  readonly #make: (free: (connection: Connection) => void, closed: () => void) => Connection
  readonly #idle: Array<Connection> = []
  readonly #all = new Set<Connection>()
  #waiting: Array<{ readonly send: (connection: Connection) => void; readonly until: number }> = []

  constructor(target: Target, request: Buffer) {
    this.#make = (free, closed) => new Connection(target, request, free, closed)
  }

  ask(call: Call, tally: Tally, deadline: number, answered?: () => void): void {
    tally.due(call)
    const send = (connection: Connection) =>
      connection.ask((status) => {
        tally.answered(call, status)
        answered?.()
      })
    const connection = this.#waiting.length === 0 ? this.#taken() : undefined
    if (connection === undefined) this.#waiting.push({ send, until: call.at + deadline })
    else send(connection)
  }

  /** Opens all connections: handshakes are no part of the load. */
  async open(): Promise<void> {
    while (this.#all.size < connectionsOfOne) {
      const connection = this.#opened()
      await connection.settled
      this.#idle.push(connection)
    }
  }

  /** What still waits belongs to no later phase. */
  forget(): void {
    this.#waiting = []
  }

  #taken(): Connection | undefined {
    for (let found = this.#idle.pop(); found !== undefined; found = this.#idle.pop()) if (!found.isClosed) return found
    return this.#all.size >= connectionsOfOne ? undefined : this.#opened()
  }

  #opened(): Connection {
    const made: Connection = this.#make(
      (free) => {
        this.#idle.push(free)
        this.#next()
      },
      () => {
        this.#all.delete(made)
        this.#next()
      }
    )
    this.#all.add(made)
    return made
  }

  #next(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      // Its caller has given up.
      if (performance.now() > next.until) this.#waiting.shift()
      else {
        const connection = this.#taken()
        if (connection === undefined) return
        this.#waiting.shift()
        next.send(connection)
      }
    }
  }
}

const clientsOf = ({ path, targets, tokens }: Load) =>
  tokens.map((token) =>
    targets.map((target) => {
      const head = `GET ${path} HTTP/1.1\r\nHost: localhost:${target.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`
      return new Client(target, Buffer.from(head))
    })
  )

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** So many calls at once, each after the answer to the one before. */
const closed = async (clients: ReadonlyArray<ReadonlyArray<Client>>, load: Load, atOnce: number, until: number) => {
  const tally = new Tally(clients.length, performance.now(), load.deadline)
  const under = { calls: atOnce }
  const loop = (nth: number): void => {
    if (performance.now() >= until) return void (under.calls -= 1)
    const tenant = nth % clients.length
    const client = clients[tenant]![Math.floor(nth / clients.length) % load.targets.length]!
    client.ask({ tenant, at: performance.now() }, tally, load.deadline, () => loop(nth))
  }
  for (let nth = 0; nth < atOnce; nth++) loop(nth)
  const last = until + load.deadline
  while (under.calls > 0 && performance.now() < last) await pause(10)
  return tally
}

/** So many calls a second, whether those before were answered or not. */
const open = async (
  clients: ReadonlyArray<ReadonlyArray<Client>>,
  load: Load,
  { milliseconds, parts, perSecond }: Extract<Asked, { kind: "open" }>
) => {
  const began = performance.now()
  const tally = new Tally(clients.length, began, load.deadline)
  const total = parts.reduce((a, b) => a + b, 0)
  const sent = parts.map(() => 0)
  for (let now = began; now - began < milliseconds; now = performance.now()) {
    for (const [tenant, part] of parts.entries()) {
      const rate = (perSecond * part) / total / 1000
      const due = Math.floor(Math.min(now - began, milliseconds) * rate)
      for (let nth = sent[tenant]!; nth < due; nth++) {
        clients[tenant]![nth % load.targets.length]!.ask({ tenant, at: began + nth / rate }, tally, load.deadline)
      }
      sent[tenant] = due
    }
    await pause(2)
  }
  await pause(Math.min(load.deadline, 1_000))
  return tally
}

let clients: ReadonlyArray<ReadonlyArray<Client>> = []
let load: Load | undefined

const carriedOut = async (asked: Asked): Promise<Sent | null> => {
  if (asked.kind === "begin") {
    load = asked.load
    clients = clientsOf(load)
    for (const client of clients.flat()) await client.open()
    return null
  }
  if (load === undefined) return null
  const before = process.cpuUsage()
  const began = performance.now()
  const tally =
    asked.kind === "closed"
      ? await closed(clients, load, asked.atOnce, performance.now() + asked.milliseconds)
      : await open(clients, load, asked)
  const { system, user } = process.cpuUsage(before)
  for (const client of clients.flat()) client.forget()
  return { ...tally.sent, cpu: (system + user) / 1000 / (performance.now() - began) }
}

process.on("message", (asked: Asked) => void carriedOut(asked).then((sent) => process.send?.(sent)))
process.on("disconnect", () => process.exit(0))
