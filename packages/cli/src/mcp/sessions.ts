import { Effect, Semaphore, Stream } from "effect"
import { messagesOf } from "./answers.ts"
import { agreedIn, answersIn, errorCodes, type Message } from "./message.ts"
import { type AgentPlane, NotAnswered, post, refusalOf, requested } from "./post.ts"

/** What the client and the agent plane agreed on. */
export interface Agreed {
  /** Absent where the server has no sessions. */
  readonly id: string | undefined
  readonly revision: string | undefined
  /** Whether the client was told that the list of tools may change. */
  readonly announcesTools: boolean
}

/** What a header takes as it is. Anything else is sent as base64, which the revision 2026-07-28 marks in this way. */
const headerValue = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`

const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })

const failed = (message: string) => new NotAnswered({ error: { code: errorCodes.refused, message } })

/** The session at the agent plane. */
export const makeSessions = Effect.fnUntraced(function* (plane: AgentPlane) {
  const lock = yield* Semaphore.make(1)
  let current: Agreed | undefined
  let opening: Message | undefined

  const ofSession = (_: Agreed | undefined) => ({
    ...(_?.id === undefined ? {} : { "mcp-session-id": _.id }),
    ...(_?.revision === undefined ? {} : { "mcp-protocol-version": _.revision })
  })

  /** A message that names its revision has what routes it in its headers. */
  const headersFor = ({ method, revision, subject }: Message): Readonly<Record<string, string>> => {
    if (method === "initialize") return {}
    if (revision === undefined) return ofSession(current)
    return {
      "mcp-protocol-version": revision,
      ...(method === undefined ? {} : { "mcp-method": method }),
      ...(subject === undefined ? {} : { "mcp-name": headerValue(subject) })
    }
  }

  const opened = (message: Message, response: Response, answer: string) => {
    opening = message
    current = { id: response.headers.get("mcp-session-id") ?? undefined, ...agreedIn(answer) }
  }

  const again = Effect.fnUntraced(function* (lost: Agreed) {
    if (opening === undefined) return yield* failed("The agent plane does not know the session")
    const response = yield* post(plane, { body: opening.text, headers: {}, waits: true })
    if (!response.ok) return yield* new NotAnswered({ error: yield* refusalOf(response, plane) })
    const answers = yield* Stream.runCollect(messagesOf(response))
    const answer = answers.find((_) => answersIn(_).length > 0) ?? ""
    const { revision } = agreedIn(answer)
    if (revision !== lost.revision) {
      return yield* failed("The agent plane speaks another revision of MCP by now. Start the client again")
    }
    opened(opening, response, answer)
    yield* Effect.scoped(post(plane, { body: initialized, headers: ofSession(current), waits: true }))
  }, Effect.scoped)

  return {
    current: () => current,
    headersFor,
    opened,
    /** Opens a session in place of one that the agent plane does not know any more, once for all who lack it. */
    replaced: (lost: Agreed) => lock.withPermit(Effect.suspend(() => (current === lost ? again(lost) : Effect.void))),
    close: Effect.gen(function* () {
      if (current?.id === undefined) return
      const token = yield* plane.token
      const headers = { ...ofSession(current), authorization: `Bearer ${token}` }
      yield* Effect.scoped(requested(plane.url, { method: "DELETE", headers }))
    }).pipe(Effect.timeout("2 seconds"), Effect.ignore)
  }
})

export type Sessions = Effect.Success<ReturnType<typeof makeSessions>>
