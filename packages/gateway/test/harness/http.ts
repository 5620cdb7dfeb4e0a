import { Effect } from "effect"
import { Agent, type IncomingMessage, request } from "node:http"

/** One request, sent as it is written: nothing normalises the path, and a body may be cut into chunks. */
export interface Asked {
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined
  /** An object or an array goes as JSON, with its content type; a string or bytes go as they are. */
  readonly body?: unknown
  /** Without a content length. */
  readonly chunked?: boolean | undefined
}

export interface Answer {
  readonly status: number
  /** As they came: name, value, name, value. */
  readonly rawHeaders: ReadonlyArray<string>
  /** By name in lower case; the values of a repeated one are joined. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  readonly text: string
}

const agent = new Agent({ keepAlive: true })

/** The answer, read whole. A connection that breaks is a defect. */
export const send = (url: string, method: string, path: string, asked: Asked = {}): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume, signal) => {
    const bytes = bytesOf(asked.body)
    const isJson = asked.body !== undefined && typeof asked.body !== "string" && !(asked.body instanceof Uint8Array)
    const { hostname, port } = new URL(url)
    const outgoing = request({
      agent,
      signal,
      hostname,
      port,
      method,
      path,
      headers: {
        ...(asked.token === undefined ? {} : { authorization: `Bearer ${asked.token}` }),
        ...(isJson ? { "content-type": "application/json" } : {}),
        ...(bytes === undefined || asked.chunked ? {} : { "content-length": String(bytes.length) }),
        ...(bytes !== undefined && asked.chunked ? { "transfer-encoding": "chunked" } : {}),
        ...mutable(asked.headers ?? {})
      }
    })
    let answered = false
    outgoing.on("response", (incoming) => {
      answered = true
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("end", () => resume(Effect.succeed(answerOf(incoming, Buffer.concat(chunks)))))
      incoming.on("error", (error) => resume(Effect.die(new Error(`${method} ${path} broke off`, { cause: error }))))
    })
    // A server that refuses a body may close while the rest of it is still being sent.
    outgoing.on("error", (error) => {
      // A server may close a connection that rested just when the next request goes out on it: Node says to ask again.
      if (!answered && outgoing.reusedSocket && "code" in error && error.code === "ECONNRESET") {
        return resume(send(url, method, path, asked))
      }
      if (!answered) resume(Effect.die(new Error(`${method} ${path} was not answered`, { cause: error })))
    })
    outgoing.end(bytes)
  })

const mutable = (headers: NonNullable<Asked["headers"]>): Record<string, string | Array<string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]])
  )

const bytesOf = (body: unknown): Buffer | undefined =>
  body === undefined
    ? undefined
    : body instanceof Uint8Array
      ? Buffer.from(body)
      : Buffer.from(typeof body === "string" ? body : JSON.stringify(body))

const answerOf = (incoming: IncomingMessage, bytes: Buffer): Answer => ({
  status: incoming.statusCode ?? 0,
  rawHeaders: incoming.rawHeaders,
  headers: Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value!])
  ),
  bytes,
  text: bytes.toString()
})

/** The answer without what differs from one request to the next. */
export const withoutChance = ({ rawHeaders, status, text }: Answer) => ({
  status,
  headers: rawHeaders
    .flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), withoutIds(rawHeaders[i + 1] ?? "")] as const] : []))
    .filter(([name]) => !chance.has(name)),
  text: withoutIds(text)
})

/** A service of OpenStack names each request, in headers and in some bodies. */
const withoutIds = (text: string): string => text.replaceAll(/req-[0-9a-f-]{36}/g, "req-")

/** What a tenant has left is less after every call. */
const chance: ReadonlySet<string> = new Set(["date", "x-request-id", "ratelimit-remaining", "ratelimit-reset"])
