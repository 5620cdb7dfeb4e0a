import { Config, Context, Duration, Effect, Layer, Schema } from "effect"
import { Agent, errors, request } from "undici"
import { RefusedAddress } from "../guardedLookup.ts"
import { Guard, notThere } from "./Guard.ts"

/** Nothing that answers an event needs more; the rest is not waited for. */
const mostBytes = 16 * 1024

export interface Post {
  readonly headers: Readonly<Record<string, string>>
  /** As it is, byte for byte. */
  readonly body: string
}

/** No answer came. */
export class NotPosted extends Schema.TaggedError<NotPosted>()("NotPosted", {
  /** Part of a sentence, without anything that the other side has said or is called. */
  why: Schema.String
}) {}

/**
 * Speaks to addresses that tenants chose. Each call has a connection of its
 * own, made only to what {@link Guard} lets through; a redirect is an answer
 * as any other, and is not followed.
 */
export class Connector extends Context.Service<
  Connector,
  {
    /** The status of the answer, whatever it is. What the answer says is not kept. */
    post(address: string, post: Post): Effect.Effect<number, NotPosted>
  }
>()("portico/upstream/delivery/Connector") {
  static readonly layer = Layer.effect(
    Connector,
    Effect.gen(function* () {
      const guard = yield* Guard
      const patience = Duration.toMillis(yield* connectTime)

      const agent = Effect.acquireRelease(
        Effect.sync(
          () =>
            new Agent({
              connect: { lookup: guard.lookup, timeout: patience },
              pipelining: 0,
              maxResponseSize: mostBytes,
              maxHeaderSize: mostBytes,
              headersTimeout: patience,
              bodyTimeout: patience
            })
        ),
        (agent) => Effect.promise(() => agent.destroy())
      )

      const post = Effect.fn("Connector.post")(function* (address: string, { body, headers }: Post) {
        const refused = guard.refusal(address)
        if (refused !== undefined) return yield* new NotPosted({ why: refused })
        const dispatcher = yield* agent
        return yield* Effect.tryPromise({
          try: async (signal) => {
            const answer = await request(address, { method: "POST", headers, body, dispatcher, signal })
            // What it answered counts as soon as it is there; the connection is not used again.
            answer.body.on("error", ignored)
            answer.body.destroy()
            return answer.statusCode
          },
          catch: (error) => new NotPosted({ why: wordsOf(error) })
        })
      }, Effect.scoped)

      return Connector.of({ post })
    })
  )
}

const ignored = (): void => {}

/** Undici's own watches; whoever calls has a shorter one. */
const connectTime = Config.Int("WEBHOOK_ATTEMPT_SECONDS").pipe(Config.withDefault(5), Config.map(Duration.seconds))

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name cannot be found",
  EAI_AGAIN: "its name cannot be found",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was broken off",
  EPIPE: "the connection was broken off",
  EHOSTUNREACH: "it cannot be reached",
  ENETUNREACH: "it cannot be reached",
  ETIMEDOUT: "there was no connection in time",
  UND_ERR_CONNECT_TIMEOUT: "there was no connection in time",
  UND_ERR_HEADERS_TIMEOUT: "there was no answer in time",
  UND_ERR_SOCKET: "the connection was broken off",
  UND_ERR_HEADERS_OVERFLOW: "the answer was too large"
}

/** Nothing of the error's own text, which may hold an address or what was read. */
const wordsOf = (error: unknown): string => {
  if (error instanceof RefusedAddress) return notThere
  if (error instanceof AggregateError && error.errors.length > 0) return wordsOf(error.errors[0])
  const code = codeOf(error)
  const known = words[code]
  if (known !== undefined) return known
  if (error instanceof errors.HTTPParserError) return "the answer is no HTTP"
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE|ISSUER/.test(code)) return "its certificate is not accepted"
  if (code === "EPROTO" || /^ERR_(SSL|TLS)/.test(code)) return "it speaks no TLS that can be agreed on"
  return error instanceof Error && error.cause !== undefined ? wordsOf(error.cause) : "there was no answer"
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : ""
