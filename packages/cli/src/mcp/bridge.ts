import { Deferred, Effect, FiberSet, Latch, Stream } from "effect"
import { type BrokenOff, messagesOf } from "./answers.ts"
import { answersIn, errorCodes, errorText, type Id, type Message, messageOf, type RpcError } from "./message.ts"
import { type AgentPlane, NotAnswered, post, refusalOf } from "./post.ts"
import { makeSessions, type Sessions } from "./sessions.ts"

/** One end is the client's, line by line; the other one is the agent plane. */
export interface Ends<E> {
  readonly plane: AgentPlane
  /** Undefined in place of a line that is not UTF-8. */
  readonly lines: Stream.Stream<string | undefined, E>
  /** Gives the client a message. */
  readonly write: (message: string) => Effect.Effect<void>
  /** Tells a person. */
  readonly log: (text: string) => Effect.Effect<void>
}

/** A message that is on its way. */
interface Running {
  readonly message: Message
  /** The requests that have no answer yet, and that nobody has cancelled. */
  readonly open: Set<Id>
  readonly cancelled: Deferred.Deferred<void>
}

const toolsChanged = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })

/** How long what is on its way may still take once the client has closed its end. */
const farewell = "1 second"

const noAnswer: RpcError = {
  code: errorCodes.unreachable,
  message: "The connection ended before the answer. Whether the call did anything is not known."
}

const errorOf = (failure: NotAnswered | BrokenOff): RpcError =>
  failure._tag === "NotAnswered"
    ? failure.error
    : { ...noAnswer, message: `${noAnswer.message} (${failure.reason})`.replace(". (", " (") }

type Shared = Pick<Ends<never>, "log" | "plane" | "write"> & { readonly sessions: Sessions }

/** Passes the messages of an answer on, until the last one. */
const relayed = Effect.fnUntraced(function* ({ sessions, write }: Shared, { message, open }: Running, from: Response) {
  yield* Stream.runForEach(messagesOf(from), (text) =>
    Effect.suspend(() => {
      const answers = answersIn(text)
      if (message.method === "initialize" && answers.length > 0) sessions.opened(message, from, text)
      for (const id of answers) open.delete(id)
      return write(text)
    })
  )
})

/** Sends a message, in a new session when the agent plane does not know the old one. */
const exchanged = (shared: Shared, running: Running, isAgain = false): Effect.Effect<void, NotAnswered | BrokenOff> =>
  Effect.gen(function* () {
    const { plane, sessions, write } = shared
    const { message } = running
    const used = sessions.current()
    const response = yield* post(plane, {
      body: message.text,
      headers: sessions.headersFor(message),
      // The model decides whether a tool is worth the wait.
      waits: message.method !== "tools/call"
    })
    const hasSession = message.revision === undefined && message.method !== "initialize"
    if (response.status === 404 && used?.id !== undefined && hasSession && !isAgain) {
      yield* sessions.replaced(used)
      if (used.announcesTools) yield* write(toolsChanged)
      // What is no request was about the old session.
      return message.requests.length > 0
    }
    if (!response.ok) return yield* new NotAnswered({ error: yield* refusalOf(response, plane) })
    yield* relayed(shared, running, response)
    return false
  }).pipe(
    Effect.scoped,
    Effect.flatMap((repeats) => (repeats ? exchanged(shared, running, true) : Effect.void))
  )

/** A message from its line to its last answer. What fails is answered with an error, and the bridge goes on. */
const handled = (shared: Shared, running: Running): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { log, write } = shared
    const { message, open } = running
    const fail = Effect.fnUntraced(function* (error: RpcError) {
      const what = message.method ?? "an answer"
      if (message.requests.length === 0 || open.size > 0) yield* log(`${what}: ${error.message}`)
      for (const id of open) yield* write(errorText(id, error))
      open.clear()
    })
    yield* exchanged(shared, running).pipe(
      Effect.andThen(Effect.suspend(() => (open.size > 0 ? fail(noAnswer) : Effect.void))),
      Effect.catch((failure) => fail(errorOf(failure))),
      Effect.raceFirst(Deferred.await(running.cancelled))
    )
  })

/** A client of stdio at the agent plane, until it closes its end. */
export const bridge = <E>({ lines, ...ends }: Ends<E>): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const sessions = yield* makeSessions(ends.plane)
    yield* Effect.addFinalizer(() => sessions.close)
    const begin = yield* starter({ ...ends, sessions })
    yield* Stream.runForEach(lines, (line) =>
      Effect.suspend(() => {
        if (line?.trim() === "") return Effect.void
        const message = line === undefined ? undefined : messageOf(line)
        const notJson = { code: errorCodes.notJson, message: "Parse error" }
        return message === undefined ? ends.write(errorText(null, notJson)) : begin.start(message)
      })
    )
    yield* Effect.timeoutOption(begin.ended, farewell)
  }).pipe(Effect.scoped)

/** Starts messages side by side. */
const starter = Effect.fnUntraced(function* (shared: Shared) {
  const work = yield* FiberSet.make<void>()
  const all = new Map<Id, Running>()
  // What comes behind a step of the handshake waits for it.
  let gate = yield* Latch.make(true)

  const run = Effect.fnUntraced(function* (message: Message) {
    const running = { message, open: new Set(message.requests), cancelled: yield* Deferred.make<void>() }
    for (const id of message.requests) all.set(id, running)
    const before = gate
    const behind = /^(initialize|notifications\/initialized)$/.test(message.method ?? "")
      ? yield* Latch.make(false)
      : undefined
    gate = behind ?? gate
    const forget = Effect.sync(() => {
      for (const id of message.requests) if (all.get(id) === running) all.delete(id)
    })
    yield* before.await.pipe(
      Effect.andThen(handled(shared, running)),
      Effect.ensuring(forget),
      Effect.ensuring(behind?.open ?? Effect.void),
      FiberSet.run(work)
    )
  })

  /** The server hears of it first: on a revision with sessions, a connection that ends cancels nothing. */
  const cancel = Effect.fnUntraced(function* (message: Message, id: Id) {
    const found = all.get(id)
    if (found === undefined) return
    found.open.delete(id)
    const revision = message.revision ?? found.message.revision
    const running = { message: { ...message, revision }, open: new Set<Id>(), cancelled: found.cancelled }
    const told = Effect.timeout(Effect.ignore(exchanged(shared, running)), "5 seconds")
    const ends = Effect.suspend(() =>
      found.open.size === 0 ? Deferred.succeed(found.cancelled, undefined) : Effect.void
    )
    yield* FiberSet.run(work)(Effect.asVoid(Effect.andThen(Effect.ignore(told), ends)))
  })

  return {
    start: (message: Message): Effect.Effect<void> =>
      message.cancels === undefined ? run(message) : cancel(message, message.cancels),
    ended: FiberSet.awaitEmpty(work)
  }
})
