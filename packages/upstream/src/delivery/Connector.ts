import { Config, Context, Duration, Effect, Layer, Schema } from "effect"
import { Agent, errors, request } from "undici"
import { RefusedAddress } from "../guardedLookup.ts"
import { acceptUnaskedContinue } from "../interim.ts"
import { Guard, notThere } from "./Guard.ts"
import { HandshakeTooLong, untrustedConnector } from "../untrustedPeer.ts"

/** The response to an event never needs more. The rest is not read. */
const maxBytes = 16 * 1024
/** The same as encrypted bytes, which may be of small records. */
const answerBytes = 4 * maxBytes

export interface Post {
  readonly headers: Readonly<Record<string, string>>
  /** Sent unchanged, byte for byte. */
  readonly body: string
}

/** The request got no response. */
export class NotPosted extends Schema.TaggedError<NotPosted>()("NotPosted", {
  /** Part of a sentence. It contains neither text from the other side nor its name. */
  why: Schema.String
}) {}

/**
 * Sends requests to URLs that tenants chose. Each call has its own connection,
 * and only to addresses that {@link Guard} allows. What the handshakes with the
 * receivers of one `CallOwner` cost is bounded, see `untrustedPeer.ts`. A
 * redirect is an ordinary response and is not followed.
 */
export class Connector extends Context.Service<
  Connector,
  {
    /** Returns the status of any response. The body is discarded. */
    post(address: string, post: Post): Effect.Effect<number, NotPosted>
  }
>()("portico/upstream/delivery/Connector") {
  static readonly layer = Layer.effect(
    Connector,
    Effect.gen(function* () {
      yield* acceptUnaskedContinue
      const guard = yield* Guard
      const timeoutMillis = Duration.toMillis(yield* connectTime)

      const agent = Effect.acquireRelease(
        Effect.map(
          Effect.context(),
          (context) =>
            new Agent({
              allowH2: false,
              connect: untrustedConnector({ lookup: guard.lookup, timeout: timeoutMillis, context, answerBytes }),
              pipelining: 0,
              maxResponseSize: maxBytes,
              maxHeaderSize: maxBytes,
              headersTimeout: timeoutMillis,
              bodyTimeout: timeoutMillis
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
            // The status counts as soon as the headers arrive. The connection is not reused.
            answer.body.on("error", ignored)
            answer.body.destroy()
            return answer.statusCode
          },
          catch: (error) => new NotPosted({ why: messageOf(error) })
        })
      }, Effect.scoped)

      return Connector.of({ post })
    })
  )
}

const ignored = (): void => {}

/** The time-outs of undici. The caller's own time-out is shorter. */
const connectTime = Config.Int("WEBHOOK_ATTEMPT_SECONDS").pipe(Config.withDefault(5), Config.map(Duration.seconds))

const messages: Readonly<Record<string, string>> = {
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

/** A fixed message per error. The error's own text may contain an address or received data. */
const messageOf = (error: unknown): string => {
  if (error instanceof RefusedAddress) return notThere
  if (error instanceof HandshakeTooLong) return "its certificates are too many or too large"
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0])
  const code = codeOf(error)
  const known = messages[code]
  if (known !== undefined) return known
  if (error instanceof errors.HTTPParserError) return "the answer is not HTTP"
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE|ISSUER/.test(code)) return "its certificate is not accepted"
  if (code === "EPROTO" || /^ERR_(SSL|TLS)/.test(code)) return "it speaks no TLS that can be agreed on"
  return error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : "there was no answer"
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : ""
