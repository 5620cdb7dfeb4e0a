import type { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"
import { LinkedList } from "./LinkedList.ts"
import { portsOf, unacknowledged, writtenOf } from "./progress.ts"

/** The connection limits of a plane. */
export interface ConnectionLimits {
  /** Connections that are served at the same time. */
  readonly connections: number
  /** Bytes of answers that wait in this process for clients to read. */
  readonly heldBytes: number
  /** Milliseconds after which a client is disconnected that reads nothing of an answer that waits for it. */
  readonly stall: number
  /** Milliseconds for which a connection stays open between two requests. */
  readonly idle: number
  /** Milliseconds within which the head of a request has to arrive. */
  readonly head: number
  /** The same as `idle` once the process stops. */
  readonly lastIdle: number
}

/** Connections beyond the ceiling that are kept long enough to answer 503, or `/health`. */
const surplusConnections = 64
/** Milliseconds after which such a connection is closed. */
const surplusTime = 5_000
/**
 * Milliseconds without reading, or with a body that is not complete, after which a client's connection may be closed to
 * make room for a new one.
 */
const evictableAfter = 2_000
/** Smaller amounts do not count against the limit of held bytes: Node buffers as much of any answer. */
const negligible = 16 * 1024

/** Milliseconds between two looks whether the event loop turns, and by how many it is late when it does not. */
const lookInterval = 20
const lateness = 20
/** Milliseconds after which it is looked anew how much TLS has added so far. */
const renewal = 1_000
/**
 * Bytes that TLS may add to what all clients together send while the event loop is late. Those count whose TLS has added
 * more than so many, and than a quarter of what it carried. A record adds 22 bytes at least, and costs as much as a large
 * one whether it carries one byte or, like a change of keys, none.
 */
const mostAdded = { together: 128 * 1024, each: 4 * 1024 }

/**
 * Requests of one connection that may be under way at a time. Ordinary clients wait for each answer. One read holds
 * thousands of requests, and all of them begin before anybody else has a turn.
 */
const pipelinedRequests = 16

/** One connection of a plane. */
export class Connection {
  readonly accepted: Socket
  /** The socket that carries HTTP: the accepted socket, or TLS on top of it. */
  spoken: Socket
  /** Answers that are under way. An array, because a set leaves a table behind after every few requests. */
  readonly answers: Array<ServerResponse> = []
  /** The connection speaks another protocol, which has limits of its own. */
  upgraded = false
  /** Beyond the ceiling. */
  surplus = false
  /** When the client last read something, or nothing waited for it; in milliseconds of `performance.now`. */
  progressAt = performance.now()
  written = ""
  queue: string | undefined
  held = 0
  list: LinkedList<Connection> | undefined
  before: Connection | undefined
  after: Connection | undefined
  readonly #encrypted: boolean
  /** Bytes read so far, at the last look: encrypted, and of what they carried. */
  #read = { encrypted: 0, carried: 0 }

  constructor(accepted: Socket, encrypted: boolean) {
    this.accepted = accepted
    this.spoken = accepted
    this.#encrypted = encrypted
  }

  /** The bytes that TLS has added since the last call; 0 for no more than an ordinary client's does to what it carries. */
  takeAdded(): number {
    if (!this.#encrypted) return 0
    const before = this.#read
    // Before the end of the handshake it carries nothing.
    this.#read = {
      encrypted: this.accepted.bytesRead,
      carried: this.spoken === this.accepted ? 0 : this.spoken.bytesRead
    }
    const carried = this.#read.carried - before.carried
    const added = this.#read.encrypted - before.encrypted - carried
    return added > mostAdded.each && added > carried / 4 ? added : 0
  }

  /** Bytes that wait for the client: of the current answer, and of answers to pipelined requests behind it. */
  get waiting(): number {
    let bytes = this.spoken.writableLength
    for (const answer of this.answers) if (answer.socket === null) bytes += answer.writableLength
    return bytes
  }

  get idle(): boolean {
    return this.answers.length === 0 && !this.upgraded
  }

  /**
   * Resets the connection. After an ordinary close the kernel would keep its buffers for a client that does not read.
   */
  cut(): void {
    if (this.spoken instanceof TLSSocket) this.spoken.destroy()
    else if (!this.spoken.destroyed) this.spoken.resetAndDestroy()
    this.accepted.destroy()
  }
}

/** A request whose body the gateway itself reads, and waits for. */
export class AwaitedBody {
  readonly connection: Connection
  readonly request: IncomingMessage
  /** In milliseconds of `performance.now`. */
  readonly since = performance.now()
  list: LinkedList<AwaitedBody> | undefined
  before: AwaitedBody | undefined
  after: AwaitedBody | undefined

  constructor(connection: Connection, request: IncomingMessage) {
    this.connection = connection
    this.request = request
  }
}

/**
 * The connections of a plane, and the bytes of answers that wait in them.
 *
 * - At the connection ceiling a new connection takes the place of the one whose body has been awaited longest, else of
 *   the one that has been idle longest, else of one whose client reads nothing. When all are in use the new one is
 *   surplus: it is served `/health` only.
 * - A connection with too many requests under way is cut off.
 * - A client that reads nothing of an answer for too long is disconnected. A slow reader goes on, and so does a
 *   stream that has nothing to send.
 * - While the held bytes exceed their limit, the connections whose clients have read nothing for the longest time are
 *   closed.
 * - While the event loop is late, clients that together send many small TLS records are disconnected.
 */
export class Connections {
  readonly limits: ConnectionLimits
  readonly #all = new Set<Connection>()
  /** In the order in which they became idle. */
  readonly #idle = new LinkedList<Connection>()
  /** In the order in which the gateway began to wait for them. Those that are complete by now are among them. */
  readonly #awaited = new LinkedList<AwaitedBody>()
  readonly #surplus = new Set<Connection>()
  readonly #bySocket = new WeakMap<Duplex, Connection>()
  /** Connections that have not finished the handshake, by the client's address and port. */
  readonly #handshaking = new Map<string, Connection>()
  #held = 0
  #checkTimer: NodeJS.Timeout | undefined
  #lookTimer: NodeJS.Timeout | undefined
  #lookedAt = performance.now()
  #renewedAt = this.#lookedAt
  #sampledAt = 0
  #sampling = false
  /**
   * Factor on the stall limit. Without the kernel's counters a reader that is slow looks, within a few megabytes,
   * like one that stopped.
   */
  #leniency = 1
  /** Counts of connections that were refused, and of connections that were cut off; for the metrics. */
  refused = 0
  cut = 0

  constructor(limits: ConnectionLimits) {
    this.limits = limits
  }

  get open(): number {
    return this.#all.size
  }

  /** Bytes that waited for clients at the last check. */
  get heldBytes(): number {
    return this.#held
  }

  /** The answers that are under way. */
  get answers(): ReadonlyArray<ServerResponse> {
    return [...this.#all].flatMap(({ answers }) => answers)
  }

  start(): void {
    this.#checkTimer ??= setInterval(() => this.#check(), Math.min(1_000, this.limits.stall / 6)).unref()
  }

  /** Looks for floods of TLS records too. */
  startEncrypted(): void {
    this.start()
    this.#lookTimer ??= setInterval(() => this.#look(), lookInterval).unref()
  }

  stop(): void {
    clearInterval(this.#checkTimer)
    this.#checkTimer = undefined
    clearInterval(this.#lookTimer)
    this.#lookTimer = undefined
  }

  /** Registers an accepted connection. */
  accepted(socket: Socket, encrypted: boolean): void {
    const connection = new Connection(socket, encrypted)
    this.#bySocket.set(socket, connection)
    if (encrypted) this.#handshaking.set(peerOf(socket), connection)
    const peer = peerOf(socket)
    socket.once("close", () => {
      this.#handshaking.delete(peer)
      this.#forget(connection)
    })
    if (this.#all.size - this.#surplus.size >= this.limits.connections && !this.#makeRoom())
      this.#admitSurplus(connection)
    this.#all.add(connection)
    if (!connection.surplus) this.#idle.add(connection)
  }

  /** The TLS handshake is complete: the connection now speaks through the encrypted socket. */
  secured(socket: Socket): void {
    const connection = this.#handshaking.get(peerOf(socket))
    if (connection === undefined) return
    this.#handshaking.delete(peerOf(socket))
    connection.spoken = socket
    this.#bySocket.set(socket, connection)
    socket.once("close", () => this.#forget(connection))
  }

  /**
   * Registers the beginning of a request, and returns its connection; undefined for one within the process. A connection
   * with too many requests is cut off: whoever serves it has to look whether the socket is destroyed.
   */
  began(socket: Duplex, answer: ServerResponse): Connection | undefined {
    const connection = this.#bySocket.get(socket)
    if (connection === undefined || socket.destroyed) return undefined
    connection.answers.push(answer)
    this.#idle.remove(connection)
    if (connection.answers.length > pipelinedRequests) this.#cut(connection)
    return connection
  }

  /** Whether the connection has no answer under way. */
  isIdle(socket: Duplex): boolean {
    return this.#bySocket.get(socket)?.idle !== false
  }

  /**
   * Registers that the gateway reads the body of a request itself. No ceiling of streams holds for it, and often nobody
   * is known behind it yet: clients that send a byte now and then would take every connection.
   */
  awaits(connection: Connection, request: IncomingMessage): AwaitedBody {
    const awaited = new AwaitedBody(connection, request)
    this.#awaited.add(awaited)
    return awaited
  }

  /** Registers that such a request is over. */
  answered(awaited: AwaitedBody): void {
    this.#awaited.remove(awaited)
  }

  /** Registers that an answer is over. */
  ended(connection: Connection, answer: ServerResponse): void {
    const { answers } = connection
    const place = answers.indexOf(answer)
    if (place >= 0) answers.splice(place, 1)
    if (!this.#all.has(connection)) return
    this.#measure(connection)
    if (connection.idle && !connection.surplus) this.#idle.add(connection)
  }

  /** Registers that the connection leaves HTTP. Returns whether it is beyond the ceiling. */
  upgraded(socket: Duplex): boolean {
    const connection = this.#bySocket.get(socket)
    if (connection === undefined) return false
    connection.upgraded = true
    this.#idle.remove(connection)
    return connection.surplus
  }

  /** Checks the limits after a part of an answer was written. */
  wrote(connection: Connection): void {
    if (connection.held === 0 && connection.waiting < negligible) return
    this.#measure(connection)
    if (this.#held > this.limits.heldBytes) this.#enforceHeldBytes()
  }

  /** Makes room for one more connection, if need be by closing another. Returns whether there is room. */
  #makeRoom(): boolean {
    const found = this.#longestAwaited() ?? this.#idle.first ?? this.#longestBlocked(evictableAfter)
    if (found === undefined) return false
    this.#cut(found)
    return true
  }

  #admitSurplus(connection: Connection): void {
    this.refused += 1
    const [oldest] = this.#surplus
    if (this.#surplus.size >= surplusConnections && oldest !== undefined) this.#cut(oldest)
    connection.surplus = true
    this.#surplus.add(connection)
    const timer = setTimeout(() => connection.cut(), surplusTime).unref()
    connection.accepted.once("close", () => clearTimeout(timer))
  }

  #forget(connection: Connection): void {
    this.#all.delete(connection)
    this.#idle.remove(connection)
    this.#surplus.delete(connection)
    this.#held -= connection.held
    connection.held = 0
  }

  #cut(connection: Connection): void {
    this.cut += 1
    this.#forget(connection)
    connection.cut()
  }

  #measure(connection: Connection): void {
    if (!this.#all.has(connection)) return
    const { waiting } = connection
    const held = waiting < negligible ? 0 : waiting
    if (connection.held === 0 && held > 0) connection.progressAt = performance.now()
    this.#held += held - connection.held
    connection.held = held
  }

  /** The connection with the body that has been awaited for the longest time, if that is long. */
  #longestAwaited(): Connection | undefined {
    for (;;) {
      const { first } = this.#awaited
      if (first === undefined) return undefined
      const { connection, request, since } = first
      const isWaiting = !request.complete && this.#all.has(connection)
      if (isWaiting && performance.now() - since < evictableAfter) return undefined
      this.#awaited.remove(first)
      if (isWaiting) return connection
    }
  }

  /** The connection whose client has read nothing for the longest time, if for at least so many milliseconds. */
  #longestBlocked(milliseconds: number): Connection | undefined {
    const now = performance.now()
    let found: Connection | undefined
    for (const connection of this.#all) {
      if (connection.upgraded || now - connection.progressAt < milliseconds || connection.waiting === 0) continue
      if (found === undefined || connection.progressAt < found.progressAt) found = connection
    }
    return found
  }

  #enforceHeldBytes(): void {
    for (const connection of this.#all) this.#measure(connection)
    if (this.#held <= this.limits.heldBytes) return
    const slowest = [...this.#all].filter((_) => _.held > 0).toSorted((a, b) => a.progressAt - b.progressAt)
    for (const connection of slowest) {
      if (this.#held <= this.limits.heldBytes) return
      this.#cut(connection)
    }
  }

  #look(): void {
    const now = performance.now()
    const isLate = now - this.#lookedAt - lookInterval > lateness
    this.#lookedAt = now
    if (!isLate && now - this.#renewedAt < renewal) return
    this.#renewedAt = now
    this.#renewedAt = now
    const flooding: Array<Connection> = []
    let added = 0
    for (const connection of this.#all) {
      const own = connection.takeAdded()
      if (own > 0) flooding.push(connection)
      added += own
    }
    if (isLate && added > mostAdded.together) for (const connection of flooding) this.#cut(connection)
  }

  #check(): void {
    const now = performance.now()
    const unmoved: Array<Connection> = []
    for (const connection of this.#all) {
      this.#measure(connection)
      if (connection.upgraded) continue
      const written = writtenOf(connection.spoken)
      if (connection.waiting === 0 || written !== connection.written) {
        connection.written = written
        connection.progressAt = now
        connection.queue = undefined
      } else if (now - connection.progressAt >= this.limits.stall * this.#leniency) this.#cut(connection)
      else if (now - connection.progressAt >= this.limits.stall / 6) unmoved.push(connection)
    }
    if (this.#held > this.limits.heldBytes) this.#enforceHeldBytes()
    if (unmoved.length > 0 && !this.#sampling && now - this.#sampledAt >= this.limits.stall / 6) this.#sample(unmoved)
  }

  /** Asks the kernel whether these clients have read something after all. */
  #sample(unmoved: ReadonlyArray<Connection>): void {
    this.#sampling = true
    void unacknowledged().then((queues) => {
      this.#sampling = false
      this.#sampledAt = performance.now()
      if (queues === undefined) {
        this.#leniency = 4
        return
      }
      for (const connection of unmoved) {
        const queue = queues.get(portsOf(connection.accepted))
        if (connection.queue !== undefined && connection.queue !== queue) connection.progressAt = this.#sampledAt
        connection.queue = queue
      }
    })
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress}|${remotePort}`
