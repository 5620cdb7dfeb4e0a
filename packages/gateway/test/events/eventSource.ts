import { Effect, type Scope } from "effect"
import { type IncomingHttpHeaders, request } from "node:http"

/** An event as a client hears of it. */
export interface Heard {
  readonly id: string
  readonly kind: string
  readonly key: string
}

/** What a client of a stream of events has, while it goes on. */
export interface EventSource {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Everything that came, letter by letter. */
  text(): string
  events(): ReadonlyArray<Heard>
  /** What a browser would send as `Last-Event-ID`. */
  lastId(): string | undefined
  /** Whether the stream came to its end; a connection that broke is none. */
  ended(): boolean
  broke(): boolean
  /** Takes nothing for a while. */
  pause(): void
}

/** Opens a stream; it is let go of with the scope. */
export const eventSource = (
  url: string,
  path: string,
  token: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<EventSource, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<EventSource & { readonly close: () => void }>((resume) => {
      const { hostname, port } = new URL(url)
      const asked = { authorization: `Bearer ${token}`, accept: "text/event-stream", ...headers }
      const outgoing = request({ hostname, port, path, headers: asked, agent: false }, (incoming) => {
        let text = ""
        let ended = false
        let broke = false
        incoming.setEncoding("utf8")
        incoming.on("data", (piece: string) => (text += piece))
        incoming.on("end", () => (ended = true))
        incoming.on("error", () => (broke = true))
        const linesOf = (field: string) =>
          text.split("\n").flatMap((_) => (_.startsWith(`${field}: `) ? [_.slice(field.length + 2)] : []))
        resume(
          Effect.succeed({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: () => text,
            events: () => linesOf("data").map((_) => JSON.parse(_)),
            lastId: () => linesOf("id").at(-1),
            ended: () => ended,
            broke: () => broke,
            pause: () => void incoming.pause(),
            close: () => void outgoing.destroy()
          })
        )
      })
      outgoing.on("error", (error) => resume(Effect.die(error)))
      outgoing.end()
    }),
    ({ close }) => Effect.sync(close)
  )
