import type { ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"
import { portsOf, unacknowledged, writtenOf } from "./progress.ts"

/** The ceilings of a plane. */
export interface ConnectionLimits {
  /** Connections that are served at once. */
  readonly connections: number
  /** Bytes of answers that wait in this process for clients to read. */
  readonly heldBytes: number
  /** Milliseconds that a client may read nothing of an answer that waits for it. */
  readonly stall: number
}

/** Connections beyond the ceiling that are told so, or answered `/health`. */
const surplusConnections = 64
/** How long such a connection may take, in milliseconds. */
const surplusTime = 5_000
/** A client that has read nothing for this long makes room for another one when there is no other room, in milliseconds. */
const evictableAfter = 2_000
/** Less than this is not counted against the ceiling of bytes: it is what Node holds of any answer. */
const negligible = 16 * 1024

/** One connection of a plane. */
class Connection {
  readonly accepted: Socket
  /** What HTTP is spoken on: the accepted socket, or TLS on top of it. */
  spoken: Socket
  readonly answers = new Set<ServerResponse>()
  /** It speaks another protocol by now, which has limits of its own. */
  upgraded = false
  /** Beyond the ceiling. */
  surplus = false
  /** When the client last read something, or nothing waited for it; in milliseconds of `performance.now`. */
  progressAt = performance.now()
  written = ""
  queue: string | undefined
  held = 0

  constructor(accepted: Socket) {
    this.accepted = accepted
    this.spoken = accepted
  }

  /** Bytes that wait for the client: of the answer that is being sent, and of answers to pipelined requests behind it. */
  get waiting(): number {
    let bytes = this.spoken.writableLength
    for (const answer of this.answers) if (answer.socket === null) bytes += answer.writableLength
    return bytes
  }

  get idle(): boolean {
    return this.answers.size === 0 && !this.upgraded
  }

  /** A reset, because what the kernel holds for a client that does not read would outlive a mere close. */
  cut(): void {
    if (this.spoken instanceof TLSSocket) this.spoken.destroy()
    else if (!this.spoken.destroyed) this.spoken.resetAndDestroy()
    this.accepted.destroy()
  }
}

/**
 * The connections of a plane, and how much of answers waits in them.
 *
 * - At the ceiling of connections a new one takes the place of the one that
 *   has been idle longest, else of one whose client reads nothing. When all
 *   are at work it is surplus: it is served `/health` alone.
 * - A client that reads nothing of an answer for too long is disconnected. A
 *   slow one goes on, and so does a stream that has nothing to send.
 * - While more bytes wait than may, the connections whose clients have read
 *   nothing for the longest time are closed.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #all = new Set<Connection>()
  /** In the order in which they became idle. */
  readonly #idle = new Set<Connection>()
  readonly #surplus = new Set<Connection>()
  readonly #bySocket = new WeakMap<Duplex, Connection>()
  /** Connections that have not finished the handshake, by the client's address and port. */
  readonly #shaking = new Map<string, Connection>()
  #held = 0
  #looking: NodeJS.Timeout | undefined
  #sampledAt = 0
  #sampling = false
  /** Without the kernel's view a slow reader cannot be told from one that stopped within a few megabytes. */
  #leniency = 1
  /** Connections that were refused, and that were cut off; for the metrics. */
  refused = 0
  cut = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  get open(): number {
    return this.#all.size
  }

  /** Bytes that waited for clients when it was last looked. */
  get heldBytes(): number {
    return this.#held
  }

  start(): void {
    this.#looking ??= setInterval(() => this.#look(), Math.min(1_000, this.#limits.stall / 6)).unref()
  }

  stop(): void {
    clearInterval(this.#looking)
    this.#looking = undefined
  }

  /** A connection was accepted. */
  accepted(socket: Socket, encrypted: boolean): void {
    const connection = new Connection(socket)
    this.#bySocket.set(socket, connection)
    if (encrypted) this.#shaking.set(peerOf(socket), connection)
    const peer = peerOf(socket)
    socket.once("close", () => {
      this.#shaking.delete(peer)
      this.#gone(connection)
    })
    if (this.#all.size - this.#surplus.size >= this.#limits.connections && !this.#makeRoom()) this.#beyond(connection)
    this.#all.add(connection)
    if (!connection.surplus) this.#idle.add(connection)
  }

  /** The connection is encrypted from now on. */
  secured(socket: Socket): void {
    const connection = this.#shaking.get(peerOf(socket))
    if (connection === undefined) return
    this.#shaking.delete(peerOf(socket))
    connection.spoken = socket
    this.#bySocket.set(socket, connection)
    socket.once("close", () => this.#gone(connection))
  }

  /** A request began. Answers whether its connection is beyond the ceiling. */
  began(socket: Duplex, answer: ServerResponse): boolean {
    const connection = this.#bySocket.get(socket)
    if (connection === undefined) return false
    connection.answers.add(answer)
    this.#idle.delete(connection)
    answer.once("close", () => {
      connection.answers.delete(answer)
      this.#note(connection)
      if (connection.idle && this.#all.has(connection) && !connection.surplus) this.#idle.add(connection)
    })
    return connection.surplus
  }

  /** The connection leaves HTTP. Answers whether it is beyond the ceiling. */
  upgraded(socket: Duplex): boolean {
    const connection = this.#bySocket.get(socket)
    if (connection === undefined) return false
    connection.upgraded = true
    this.#idle.delete(connection)
    return connection.surplus
  }

  /** Something of an answer was written. */
  wrote(socket: Duplex | null): void {
    const connection = socket === null ? undefined : this.#bySocket.get(socket)
    if (connection === undefined) return
    if (connection.held === 0 && connection.waiting < negligible) return
    this.#note(connection)
    if (this.#held > this.#limits.heldBytes) this.#withinBudget()
  }

  /** Whether there is room for one more connection now. */
  #makeRoom(): boolean {
    const [idlest] = this.#idle
    const found = idlest ?? this.#longestBlocked(evictableAfter)
    if (found === undefined) return false
    this.#cut(found)
    return true
  }

  #beyond(connection: Connection): void {
    this.refused += 1
    const [oldest] = this.#surplus
    if (this.#surplus.size >= surplusConnections && oldest !== undefined) this.#cut(oldest)
    connection.surplus = true
    this.#surplus.add(connection)
    const late = setTimeout(() => connection.cut(), surplusTime).unref()
    connection.accepted.once("close", () => clearTimeout(late))
  }

  #gone(connection: Connection): void {
    this.#all.delete(connection)
    this.#idle.delete(connection)
    this.#surplus.delete(connection)
    this.#held -= connection.held
    connection.held = 0
  }

  #cut(connection: Connection): void {
    this.cut += 1
    this.#gone(connection)
    connection.cut()
  }

  #note(connection: Connection): void {
    if (!this.#all.has(connection)) return
    const { waiting } = connection
    const held = waiting < negligible ? 0 : waiting
    if (connection.held === 0 && held > 0) connection.progressAt = performance.now()
    this.#held += held - connection.held
    connection.held = held
  }

  /** Of those whose client has read nothing for so long; undefined when there is none. */
  #longestBlocked(milliseconds: number): Connection | undefined {
    const now = performance.now()
    let found: Connection | undefined
    for (const connection of this.#all) {
      if (connection.held === 0 || connection.upgraded || now - connection.progressAt < milliseconds) continue
      if (found === undefined || connection.progressAt < found.progressAt) found = connection
    }
    return found
  }

  #withinBudget(): void {
    for (const connection of this.#all) this.#note(connection)
    if (this.#held <= this.#limits.heldBytes) return
    const slowest = [...this.#all].filter((_) => _.held > 0).toSorted((a, b) => a.progressAt - b.progressAt)
    for (const connection of slowest) {
      if (this.#held <= this.#limits.heldBytes) return
      this.#cut(connection)
    }
  }

  #look(): void {
    const now = performance.now()
    const unmoved: Array<Connection> = []
    for (const connection of this.#all) {
      this.#note(connection)
      if (connection.upgraded) continue
      const written = writtenOf(connection.spoken)
      if (connection.waiting === 0 || written !== connection.written) {
        connection.written = written
        connection.progressAt = now
        connection.queue = undefined
      } else if (now - connection.progressAt >= this.#limits.stall * this.#leniency) this.#cut(connection)
      else if (now - connection.progressAt >= this.#limits.stall / 6) unmoved.push(connection)
    }
    if (this.#held > this.#limits.heldBytes) this.#withinBudget()
    if (unmoved.length > 0 && !this.#sampling && now - this.#sampledAt >= this.#limits.stall / 6) this.#sample(unmoved)
  }

  /** Asks the kernel whether those clients have read something after all. */
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
