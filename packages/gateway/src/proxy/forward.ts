import { BadGateway, Unavailable } from "@portico/contract/Failures"
import { ceiling } from "@portico/domain/limits/ceiling"
import { Threads } from "@portico/domain/limits/Threads"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { UpstreamMetrics, outcomeOf, type SystemCalls } from "@portico/upstream/UpstreamMetrics"
import { acceptUnaskedContinue } from "@portico/upstream/interim"
import { longestHead, Trust, trusting } from "@portico/upstream/Trust"
import { calling, Tracing } from "@portico/upstream/Tracing"
import { Config, Context, Effect, Exit, Layer, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Agent, type Dispatcher } from "undici"
import type { Treatment, Whole } from "./treatment.ts"
import { Broken, drainingConnector } from "./connector.ts"
import { withoutHeaders, withoutLength } from "./headers.ts"
import { SmallPieces } from "../streams/SmallPieces.ts"
import { paid, whenPaid } from "../streams/throttles.ts"
import { countStreamed } from "./minorGc.ts"
import type { Owner } from "@portico/domain/limits/FairQueue"
import { type ServiceQueue, ServiceQueues } from "../limits/ServiceQueues.ts"

/** A request to an upstream, and the treatment of its answer. */
export interface ForwardedRequest {
  /** The upstream's name in failure details: `compute`. */
  readonly upstream: string
  /** The tenant, which shares the upstream's places with others. */
  readonly owner: Owner
  readonly method: string
  /** `http://compute.internal:8774` */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** Name, value, name, value. */
  readonly headers: Array<string>
  /** The client's body as a stream, or its bytes when it was read already. */
  readonly body: IncomingMessage | Buffer | null
  /** Whether the upstream's answer is read to its end even when the client disconnects. */
  readonly outlivesClient?: boolean
  /** The response head for the client: name, value, name, value. */
  returned(raw: ReadonlyArray<Buffer | string>): Array<string>
  treatment(
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): Treatment | undefined
  /** A dispatcher other than the default one. */
  readonly agent?: Dispatcher
  /** Idle timeout in milliseconds, for answers that may pause longer than the default. */
  readonly idle?: number
  /** Whether a 401 is relayed to the client like any other status. */
  readonly relaysUnauthorized?: boolean
}

/** No answer could be relayed: the upstream failed, or has too many calls, and then this one was not sent. */
export type Unanswered = BadGateway | Unavailable<"overloaded">

/** The upstream's answer. It is already relayed to the client, except a 401, which is held back. */
export interface RelayedResponse {
  readonly status: number
  /** The body as the upstream sent it, if it was buffered for a change. */
  readonly body: Buffer | undefined
}

/**
 * Streams requests to upstreams and their answers back, socket to socket, with back-pressure in both directions.
 * There is no limit on the total time, because a stream may be long; only idle times are limited.
 */
export class Forwarder extends Context.Service<
  Forwarder,
  {
    forward(to: ServerResponse, request: ForwardedRequest): Effect.Effect<RelayedResponse, Unanswered>
    /**
     * The same without an effect: the request is on its way, and `ended` is called once. It ends early when the client
     * disconnects. The upstream's call has no span of its own.
     */
    begin(to: ServerResponse, request: ForwardedRequest, ended: (result: Relayed) => void): void
    /** A connection pool with the same limits, for an upstream that needs its own. */
    agentWith(options: Agent.Options): Effect.Effect<Dispatcher, never, Scope.Scope>
  }
>()("portico/gateway/proxy/Forwarder") {
  static readonly layer = Layer.effect(
    Forwarder,
    Effect.gen(function* () {
      const answer = yield* Config.Int("PROXY_ANSWER_SECONDS").pipe(Config.withDefault(60))
      const idle = yield* Config.Int("PROXY_IDLE_SECONDS").pipe(Config.withDefault(300))
      const trusted = trusting(yield* Trust)
      yield* acceptUnaskedContinue
      const agentWith = (options: Agent.Options) =>
        Effect.acquireRelease(
          Effect.sync(
            () =>
              new Agent({
                headersTimeout: answer * 1000,
                bodyTimeout: idle * 1000,
                maxHeaderSize: longestHead,
                ...options,
                connect: drainingConnector({ timeout: 5_000, ...trusted, ...options.connect })
              })
          ),
          (agent) => Effect.promise(() => agent.destroy())
        )
      const agent = yield* agentWith({})
      const calls = yield* UpstreamMetrics
      const { count: threads = 1 } = (yield* Threads) ?? {}
      const most = Math.ceil((yield* ceiling("PROXY_CALLS_PER_SERVICE", 128)) / threads)
      const wait = yield* ceiling("PROXY_QUEUE_SECONDS", 2)
      const queues = new ServiceQueues(
        { calls: most, waiting: most * waitingByPlaces, waitingOfOne: most, wait: wait * 1000 },
        yield* metricsRegistry
      )
      const begin = (to: ServerResponse, request: ForwardedRequest, ended: (result: Relayed) => void) =>
        begun(agent, queues.of(request.upstream), calls.of(request.upstream), to, request, ended)
      const plain = (to: ServerResponse, request: ForwardedRequest) =>
        Effect.callback<RelayedResponse, Unanswered>((resume) => {
          const relay = begin(to, request, resume)
          return Effect.sync(() => relay?.abort())
        })
      return Forwarder.of({ agentWith, begin, forward: (yield* Tracing) ? traced(plain) : plain })
    })
  )
}

/** Wraps each request in a span of its own, whose trace context replaces the client's. */
const traced = (
  plain: (to: ServerResponse, request: ForwardedRequest) => Effect.Effect<RelayedResponse, Unanswered>
): typeof plain => {
  return (to, request) => {
    const { method, upstream } = request
    return calling({ system: upstream, name: method, method }, (traceparent = "") =>
      plain(to, { ...request, headers: [...withoutHeaders(request.headers, isTrace), "traceparent", traceparent] })
    )
  }
}

const traces: ReadonlySet<string> = new Set(["traceparent", "tracestate", "baggage", "b3"])

const isTrace = (name: string): boolean => traces.has(name) || name.startsWith("x-b3-")

/** How a request ended: with an answer, with a failure, or interrupted, because the client had disconnected. */
type Relayed = Exit.Exit<RelayedResponse, Unanswered>

const begun = (
  agent: Dispatcher,
  queue: ServiceQueue,
  calls: SystemCalls | undefined,
  to: ServerResponse,
  request: ForwardedRequest,
  ended: (result: Relayed) => void
): Relay | undefined => {
  const { body, headers, idle, method, origin, path } = request
  if (to.destroyed) return void ended(Exit.interrupt())
  const relay = new Relay(to, request, calls, ended)
  const options = { origin, path, method, headers, body }
  const via = request.agent ?? agent
  const dispatch = () => {
    if (body !== null && !Buffer.isBuffer(body)) inviteBody(body, to)
    via.dispatch(idle === undefined ? options : { ...options, bodyTimeout: idle }, relay)
  }
  if (takesLong(request)) dispatch()
  else relay.enter(queue, dispatch)
  return relay
}

/**
 * How many calls may wait for each place, those of one tenant as many as there are places. That is enough for what
 * arrives at once after a busy moment of the event loop, and so few that a tenant which asks for too much hears of it
 * while its calls are still of use.
 */
const waitingByPlaces = 8

/**
 * Bodies that stream, and answers without an end, may take as long as their client wants: with places, a client that
 * sends a byte now and then would keep them from others. They have ceilings of their own.
 */
const takesLong = ({ body, idle }: ForwardedRequest): boolean =>
  idle !== undefined || (body !== null && !Buffer.isBuffer(body))

/**
 * A client that sent `Expect: 100-continue` (RFC 9110, section 10.1.1) is invited to send its body only now, when the
 * body is needed.
 */
const inviteBody = (from: IncomingMessage, to: ServerResponse): void => {
  if (from.headers.expect !== undefined) to.writeContinue()
}

/** Relays one answer from the upstream's socket to the client's. */
class Relay implements Dispatcher.DispatchHandler {
  readonly #to: ServerResponse
  readonly #request: ForwardedRequest
  readonly #ended: (result: Relayed) => void
  readonly #closed = () => {
    // The client disconnected, so the request to the upstream has no recipient.
    if (this.#completed || this.#to.writableFinished) return
    if (this.#request.outlivesClient === true && !this.#isWaiting) this.#controller?.resume()
    else this.abort()
  }
  readonly #calls: SystemCalls | undefined
  readonly #began = performance.now()
  #controller: Dispatcher.DispatchController | undefined
  #completed = false
  #aborted = false
  /** It has no place at the upstream yet, and nothing was sent. */
  #isWaiting = false
  /** Gives up the place at the upstream, or the wait for it. */
  #leave: (() => void) | undefined
  #status = 0
  #head: Array<string> = []
  #treatment: Treatment | undefined
  #held: Array<Buffer> = []
  readonly #small = new SmallPieces()
  #size = 0

  constructor(
    to: ServerResponse,
    request: ForwardedRequest,
    calls: SystemCalls | undefined,
    ended: (result: Relayed) => void
  ) {
    this.#to = to
    this.#request = request
    this.#calls = calls
    this.#ended = ended
    to.on("close", this.#closed)
  }

  /** @param dispatch sends the request, once there is a place */
  enter({ queue, refused }: ServiceQueue, dispatch: () => void): void {
    this.#isWaiting = true
    const go = () => {
      this.#isWaiting = false
      dispatch()
    }
    const leave = queue.enter(this.#request.owner, go, () => {
      refused.value += 1
      this.#over(Exit.fail(Unavailable.overloaded(this.#request.upstream)))
    })
    // Dispatched at once, it may be over already.
    if (this.#completed) leave()
    else this.#leave = leave
  }

  abort(): void {
    this.#aborted = true
    if (this.#isWaiting) return this.#over(Exit.interrupt())
    this.#controller?.abort(new Error("the client disconnected"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) this.abort()
  }

  onBodySent(piece: Buffer): void {
    countStreamed(piece.length)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): void {
    // Informational answers concern only the connection to the gateway.
    if (status < 200) return
    this.#leave?.()
    this.#status = status
    if (this.#isHeldBack) return
    this.#head = this.#request.returned(isRaw(controller.rawHeaders) ? controller.rawHeaders : [])
    const treatment = this.#request.treatment(status, headers)
    if (this.#hasNoContent) {
      // A 204 has no length, and that of the others is a GET's, which the gateway may change (RFC 9110, section 8.6).
      const isKept = status !== 204 && status !== 304 && treatment === undefined
      return this.#begin(isKept ? this.#head : withoutLength(this.#head))
    }
    this.#treatment = treatment
    if (this.#treatment === undefined) this.#begin(this.#head)
    else if (this.#treatment.kind === "pieces") this.#begin(withoutLength(this.#head))
    if (this.#to.headersSent) this.#flushSoon()
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#isHeldBack) return
    countStreamed(piece.length)
    this.#size += piece.length
    if (!this.#small.isOne(piece)) {
      this.#passGathered(controller)
      return this.#pass(controller, piece, 0)
    }
    if (this.#small.owed === 0) setImmediate(() => this.#passGathered(controller))
    const full = this.#small.add(piece)
    if (full !== undefined) this.#pass(controller, full, this.#small.pay())
  }

  /** The small pieces of one turn pass together at its end. */
  #passGathered(controller: Dispatcher.DispatchController): void {
    const gathered = this.#small.take()
    if (gathered !== undefined) this.#pass(controller, gathered, this.#small.pay())
  }

  /** @param owed what small pieces have cost of the share of streams, in bytes, see `paid` */
  #pass(controller: Dispatcher.DispatchController, piece: Buffer, owed: number): void {
    const treatment = this.#treatment
    if (treatment === undefined) return this.#write(controller, piece, Math.max(owed, piece.length))
    if (treatment.kind === "pieces") return this.#writeChanged(controller, treatment.push(piece), owed)
    this.#held.push(piece)
    if (this.#size > treatment.limit) return this.#goBeyond(controller, treatment)
    if (owed === 0 || paid(owed)) return
    controller.pause()
    whenPaid(owed, () => controller.resume())
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#isHeldBack) return this.#done(Exit.succeed({ status: 401, body: undefined }))
    this.#passGathered(controller)
    const treatment = this.#treatment
    if (treatment?.kind !== "whole") {
      const rest = treatment === undefined ? none : treatment.end()
      if (rest === undefined) this.#to.destroy()
      else this.#last(rest)
      return this.#done(Exit.succeed({ status: this.#status, body: undefined }))
    }
    const body = this.#held.length === 1 && this.#held[0] !== undefined ? this.#held[0] : Buffer.concat(this.#held)
    const changed = treatment.change(body)
    if (changed === undefined) return this.#refuse("answered with a body that is not understood")
    this.#begin(changed.length === body.length ? this.#head : withLength(this.#head, changed.length))
    // Node sends a head and a Latin-1 string in one write, but a head and a buffer in two.
    this.#last(changed)
    this.#done(Exit.succeed({ status: this.#status, body }))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#to.headersSent) {
      // The head is already sent. Only a broken connection can signal the failure.
      this.#to.destroy()
      return this.#done(Exit.succeed({ status: this.#status, body: undefined }))
    }
    this.#refuse(messageOf(error instanceof Broken ? error.cause : error))
  }

  /** A 401 mostly means that the upstream rejected the gateway's own token, which is no matter of the client. */
  get #isHeldBack(): boolean {
    return this.#status === 401 && this.#request.relaysUnauthorized !== true
  }

  /** Answers without content, whatever they say of its length (RFC 9112, section 6.3). */
  get #hasNoContent(): boolean {
    return this.#request.method === "HEAD" || this.#status === 204 || this.#status === 304
  }

  #begin(head: Array<string>): void {
    if (!this.#to.destroyed) this.#to.writeHead(this.#status, head)
  }

  /** Sends the head early, because the first byte of the body may take long. */
  #flushSoon(): void {
    setImmediate(() => {
      if (this.#size === 0 && !this.#to.writableEnded && !this.#to.destroyed) this.#to.flushHeaders()
    })
  }

  /** @param cost bytes that the piece counts for in the share of streams, see `paid` */
  #write(controller: Dispatcher.DispatchController, piece: Buffer, cost = piece.length): void {
    if (this.#to.destroyed) return
    // What a treatment keeps back has to be paid for, too.
    const wantsMore = piece.length === 0 || this.#to.write(piece)
    if (wantsMore && paid(cost)) return
    controller.pause()
    const goOn = () => whenPaid(cost, () => controller.resume())
    if (wantsMore) goOn()
    else this.#to.once("drain", goOn)
  }

  /** The body cannot be parsed. The head is already sent, so the connection breaks. */
  #writeChanged(controller: Dispatcher.DispatchController, piece: Buffer | undefined, owed = 0): void {
    if (piece !== undefined) return this.#write(controller, piece, Math.max(owed, piece.length * changedCost))
    this.#to.destroy()
    controller.abort(new Error("the answer is not understood"))
  }

  #last(rest: Buffer | string): void {
    if (!this.#to.destroyed) this.#to.end(rest, "latin1")
  }

  /** The body exceeds the buffer limit. */
  #goBeyond(controller: Dispatcher.DispatchController, { beyond, pieces }: Whole): void {
    if (beyond === "refused") {
      this.#refuse("answered with more than can be looked through")
      return controller.abort(new Error("the answer is too long"))
    }
    const held = Buffer.concat(this.#held)
    this.#held = []
    const nextTreatment = beyond === "pieces" ? pieces() : undefined
    this.#treatment = nextTreatment
    this.#begin(nextTreatment === undefined ? this.#head : withoutLength(this.#head))
    if (nextTreatment === undefined) this.#write(controller, held)
    else this.#writeChanged(controller, nextTreatment.push(held))
  }

  #refuse(message: string): void {
    this.#done(Exit.fail(BadGateway.upstream(`${this.#request.upstream}: ${message}`, true)))
  }

  #count(): void {
    const status = this.#status === 0 ? undefined : this.#status
    const outcome = this.#aborted ? "abandoned" : outcomeOf(status)
    this.#calls?.over(outcome, performance.now() - this.#began, this.#request.method, status)
  }

  #done(result: Relayed): void {
    if (this.#completed) return
    this.#count()
    this.#over(result)
  }

  /** Ends a call that was perhaps never sent. */
  #over(result: Relayed): void {
    if (this.#completed) return
    this.#completed = true
    this.#leave?.()
    this.#ended(result)
  }
}

const none = Buffer.alloc(0)

/** Processing cost of a parsed byte, relative to a byte that passes unread. */
const changedCost = 4

const isRaw = (headers: unknown): headers is ReadonlyArray<Buffer | string> => Array.isArray(headers)

const withLength = (head: ReadonlyArray<string>, length: number): Array<string> => [
  ...withoutLength(head),
  "Content-Length",
  String(length)
]

/** The failure message for a connection error, without the addresses that the error may contain. */
const messageOf = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
  if (code === "UND_ERR_HEADERS_OVERFLOW") return `the head of its answer is longer than ${longestHead} bytes`
  return code.includes("TIMEOUT")
    ? "no answer in time"
    : `no answer: the connection failed${code === "" ? "" : ` (${code})`}`
}
