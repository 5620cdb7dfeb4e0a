import { BadGateway } from "@portico/contract/Failures"
import { UpstreamMetrics, outcomeOf, type SystemCalls } from "@portico/upstream/UpstreamMetrics"
import { Trust, trusting } from "@portico/upstream/Trust"
import { calling, Tracing } from "@portico/upstream/Tracing"
import { Config, Context, Effect, Layer, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Agent, type Dispatcher } from "undici"
import type { Treatment, Whole } from "./answers.ts"
import { Broken, hearingOut } from "./connector.ts"
import { paid, whenPaid } from "../streams/turns.ts"
import { streamed } from "./minorGc.ts"

/** How one request goes on, and what becomes of the answer. */
export interface Onward {
  /** The name under which a failure speaks of the upstream: `compute`. */
  readonly upstream: string
  readonly method: string
  /** `http://compute.internal:8774` */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** Name, value, name, value. */
  readonly headers: ReadonlyArray<string>
  /** The client's body as it streams in, or the bytes of it that were read already. */
  readonly body: IncomingMessage | Buffer | null
  /** Whether the upstream is heard to the end though the client has gone. */
  readonly outlivesClient?: boolean
  /** The head that the client gets: name, value, name, value. */
  returned(raw: ReadonlyArray<Buffer | string>): Array<string>
  treatment(
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): Treatment | undefined
  /** Another way to the upstream than the usual one. */
  readonly agent?: Dispatcher
  /** Milliseconds that nothing may happen, where that may be long. */
  readonly idle?: number
  /** Whether a 401 is the client's to see, as whatever else comes. */
  readonly keepsUnauthorized?: boolean
}

/** The upstream's answer, of which the client has everything; of a 401 it has nothing. */
export interface Answered {
  readonly status: number
  /** As the upstream sent it, if it was held back for a change. */
  readonly body: Buffer | undefined
}

/**
 * Streams requests to upstreams and their answers back, socket to socket, with
 * back-pressure on both sides and without a limit on the whole, because a
 * stream may be long. Limited is only how long nothing may happen.
 */
export class Forwarder extends Context.Service<
  Forwarder,
  {
    forward(to: ServerResponse, onward: Onward): Effect.Effect<Answered, BadGateway>
    /** Connections with the same limits, for an upstream that needs its own. */
    agentWith(options: Agent.Options): Effect.Effect<Dispatcher, never, Scope.Scope>
  }
>()("portico/gateway/proxy/Forwarder") {
  static readonly layer = Layer.effect(
    Forwarder,
    Effect.gen(function* () {
      const answer = yield* Config.Int("PROXY_ANSWER_SECONDS").pipe(Config.withDefault(60))
      const idle = yield* Config.Int("PROXY_IDLE_SECONDS").pipe(Config.withDefault(300))
      const trusted = trusting(yield* Trust)
      const agentWith = (options: Agent.Options) =>
        Effect.acquireRelease(
          Effect.sync(
            () =>
              new Agent({
                headersTimeout: answer * 1000,
                bodyTimeout: idle * 1000,
                ...options,
                connect: hearingOut({ timeout: 5_000, ...trusted, ...options.connect })
              })
          ),
          (agent) => Effect.promise(() => agent.destroy())
        )
      const agent = yield* agentWith({})
      const calls = yield* UpstreamMetrics
      const plain = (to: ServerResponse, onward: Onward) => forward(agent, calls.of(onward.upstream), to, onward)
      return Forwarder.of({ agentWith, forward: (yield* Tracing) ? traced(plain) : plain })
    })
  )
}

/** With a span of its own, which the upstream is told of instead of what the client said. */
const traced = (plain: (to: ServerResponse, onward: Onward) => Effect.Effect<Answered, BadGateway>): typeof plain => {
  return (to, onward) => {
    const { method, upstream } = onward
    return calling({ system: upstream, name: method, method }, (traceparent = "") =>
      plain(to, { ...onward, headers: [...withoutTraces(onward.headers), "traceparent", traceparent] })
    )
  }
}

const traces: ReadonlySet<string> = new Set(["traceparent", "tracestate", "baggage", "b3"])

const withoutTraces = (headers: ReadonlyArray<string>): ReadonlyArray<string> =>
  headers.flatMap((name, i) =>
    i % 2 === 0 && !traces.has(name.toLowerCase()) && !name.toLowerCase().startsWith("x-b3-")
      ? [name, headers[i + 1] ?? ""]
      : []
  )

const forward = (
  agent: Dispatcher,
  calls: SystemCalls | undefined,
  to: ServerResponse,
  onward: Onward
): Effect.Effect<Answered, BadGateway> =>
  Effect.callback<Answered, BadGateway>((resume) => {
    if (to.destroyed) return resume(Effect.interrupt)
    if (onward.body !== null && !Buffer.isBuffer(onward.body)) inviteBody(onward.body, to)
    const relay = new Relay(to, onward, calls, resume)
    const via = onward.agent ?? agent
    via.dispatch(
      {
        origin: onward.origin,
        path: onward.path,
        method: onward.method,
        headers: [...onward.headers],
        body: onward.body,
        ...(onward.idle === undefined ? {} : { bodyTimeout: onward.idle })
      },
      relay
    )
    return Effect.sync(() => relay.abort())
  })

/** A client that asked whether to send its body (RFC 9110, section 10.1.1) is told so only now that somebody wants it. */
const inviteBody = (from: IncomingMessage, to: ServerResponse): void => {
  if (from.headers.expect !== undefined) to.writeContinue()
}

/** One answer on its way from the upstream's socket to the client's. */
class Relay implements Dispatcher.DispatchHandler {
  readonly #to: ServerResponse
  readonly #onward: Onward
  readonly #resume: (result: Effect.Effect<Answered, BadGateway>) => void
  readonly #closed = () => {
    // The client went: what is under way upstream has nobody to answer.
    if (this.#to.writableFinished) return
    if (this.#onward.outlivesClient === true) this.#controller?.resume()
    else this.abort()
  }
  readonly #calls: SystemCalls | undefined
  readonly #began = performance.now()
  #controller: Dispatcher.DispatchController | undefined
  #over = false
  #aborted = false
  #status = 0
  #head: Array<string> = []
  #treatment: Treatment | undefined
  #held: Array<Buffer> = []
  #size = 0

  constructor(
    to: ServerResponse,
    onward: Onward,
    calls: SystemCalls | undefined,
    resume: (result: Effect.Effect<Answered, BadGateway>) => void
  ) {
    this.#to = to
    this.#onward = onward
    this.#calls = calls
    this.#resume = resume
    to.once("close", this.#closed)
  }

  abort(): void {
    this.#aborted = true
    this.#controller?.abort(new Error("nobody waits for the answer any more"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) this.abort()
  }

  onBodySent(piece: Buffer): void {
    streamed(piece.length)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): void {
    // Informational ones are the upstream's talk with the gateway.
    if (status < 200) return
    this.#status = status
    if (this.#isHeldBack) return
    this.#head = this.#onward.returned(isRaw(controller.rawHeaders) ? controller.rawHeaders : [])
    this.#treatment = this.#onward.treatment(status, headers)
    if (this.#treatment === undefined) this.#begin(this.#head)
    else if (this.#treatment.kind === "pieces") this.#begin(withoutLength(this.#head))
    if (this.#to.headersSent) this.#flushSoon()
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#isHeldBack) return
    streamed(piece.length)
    this.#size += piece.length
    const treatment = this.#treatment
    if (treatment === undefined) return this.#write(controller, piece)
    if (treatment.kind === "pieces") return this.#writeChanged(controller, treatment.push(piece))
    this.#held.push(piece)
    if (this.#size > treatment.limit) this.#goBeyond(controller, treatment)
  }

  onResponseEnd(): void {
    if (this.#isHeldBack) return this.#done(Effect.succeed({ status: 401, body: undefined }))
    const treatment = this.#treatment
    if (treatment?.kind !== "whole") {
      const rest = treatment === undefined ? none : treatment.end()
      if (rest === undefined) this.#to.destroy()
      else this.#last(rest)
      return this.#done(Effect.succeed({ status: this.#status, body: undefined }))
    }
    const body = this.#held.length === 1 && this.#held[0] !== undefined ? this.#held[0] : Buffer.concat(this.#held)
    const changed = treatment.change(body)
    if (changed === undefined) return this.#refuse("answered with a body that is not understood")
    this.#begin(changed.length === body.length ? this.#head : withLength(this.#head, changed.length))
    // Node sends a head and a Latin-1 text in one write, and a head and bytes in two.
    this.#last(changed)
    this.#done(Effect.succeed({ status: this.#status, body }))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#to.headersSent) {
      // The head is out: the only honest ending left is a broken connection.
      this.#to.destroy()
      return this.#done(Effect.succeed({ status: this.#status, body: undefined }))
    }
    this.#refuse(wordsOf(error instanceof Broken ? error.cause : error))
  }

  /** A 401 is mostly about the gateway's own proof, and nothing for the client. */
  get #isHeldBack(): boolean {
    return this.#status === 401 && this.#onward.keepsUnauthorized !== true
  }

  #begin(head: Array<string>): void {
    if (!this.#to.destroyed) this.#to.writeHead(this.#status, head)
  }

  /** The first byte of the body may take a long while, and that it will come is an answer already. */
  #flushSoon(): void {
    setImmediate(() => {
      if (this.#size === 0 && !this.#to.writableEnded && !this.#to.destroyed) this.#to.flushHeaders()
    })
  }

  /** @param cost bytes that it counts for, against the share of streams */
  #write(controller: Dispatcher.DispatchController, piece: Buffer, cost = piece.length): void {
    if (piece.length === 0 || this.#to.destroyed) return
    const wantsMore = this.#to.write(piece)
    if (wantsMore && paid(cost)) return
    controller.pause()
    const goOn = () => whenPaid(cost, () => controller.resume())
    if (wantsMore) goOn()
    else this.#to.once("drain", goOn)
  }

  /** Of what is not understood no more goes on; the head is out, so that the connection breaks. */
  #writeChanged(controller: Dispatcher.DispatchController, piece: Buffer | undefined): void {
    if (piece !== undefined) return this.#write(controller, piece, piece.length * changedCost)
    this.#to.destroy()
    controller.abort(new Error("the answer is not understood"))
  }

  #last(rest: Buffer | string): void {
    if (!this.#to.destroyed) this.#to.end(rest, "latin1")
  }

  /** The body is longer than may be held back. */
  #goBeyond(controller: Dispatcher.DispatchController, { beyond, pieces }: Whole): void {
    if (beyond === "refused") {
      this.#refuse("answered with more than can be looked through")
      return controller.abort(new Error("the answer is too long"))
    }
    const held = Buffer.concat(this.#held)
    this.#held = []
    const further = beyond === "pieces" ? pieces() : undefined
    this.#treatment = further
    this.#begin(further === undefined ? this.#head : withoutLength(this.#head))
    if (further === undefined) this.#write(controller, held)
    else this.#writeChanged(controller, further.push(held))
  }

  #refuse(words: string): void {
    this.#done(Effect.fail(BadGateway.upstream(`${this.#onward.upstream}: ${words}`, true)))
  }

  #count(): void {
    if (this.#over) return
    this.#over = true
    const outcome = this.#aborted ? "abandoned" : outcomeOf(this.#status === 0 ? undefined : this.#status)
    this.#calls?.over(outcome, performance.now() - this.#began)
  }

  #done(result: Effect.Effect<Answered, BadGateway>): void {
    this.#count()
    this.#to.off("close", this.#closed)
    this.#resume(result)
  }
}

const none = Buffer.alloc(0)

/** A byte that is looked at costs about so many times one that passes unread. */
const changedCost = 4

const isRaw = (headers: unknown): headers is ReadonlyArray<Buffer | string> => Array.isArray(headers)

const withoutLength = (head: ReadonlyArray<string>): Array<string> =>
  head.flatMap((name, i) => (i % 2 === 0 && name.toLowerCase() !== "content-length" ? [name, head[i + 1] ?? ""] : []))

const withLength = (head: ReadonlyArray<string>, length: number): Array<string> => [
  ...withoutLength(head),
  "Content-Length",
  String(length)
]

/** The words of a connection that failed, without the addresses that they may hold. */
const wordsOf = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
  return code.includes("TIMEOUT")
    ? "no answer in time"
    : `no answer: the connection failed${code === "" ? "" : ` (${code})`}`
}
