import { Deferred, Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { CliFailure } from "../../CliFailure.ts"

/** Where the browser comes back to (RFC 8252, section 7.3). */
export interface Loopback {
  readonly redirectUri: string
  /** The address with the code. Only one with this state is taken, and that once. */
  readonly callback: (state: string) => Effect.Effect<URL>
  /** What the page says that the browser is left with. */
  readonly finish: (title: string, sentence: string) => Effect.Effect<void>
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (_) => entities[_] ?? "")

const style = "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}"

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  connection: "close"
}

const page = (title: string, sentence: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><style>${style}</style>` +
  `<h1>${escaped(title)}</h1><p>${escaped(sentence)}\n`

const respond = (response: ServerResponse, status: number, title: string, sentence: string): void =>
  void response.writeHead(status, headers).end(page(title, sentence))

/** How long the last page is waited for. */
const farewell = "3 seconds"

/** Listens until the scope is closed. */
export const loopback = Effect.gen(function* () {
  const arrived = yield* Deferred.make<URL>()
  const outcome = yield* Deferred.make<readonly [title: string, sentence: string]>()
  const told = yield* Deferred.make<void>()
  const taken = { state: "", isUsed: false }
  const services = yield* Effect.context<never>()

  const answer = (origin: string, request: IncomingMessage, response: ServerResponse): void => {
    // What a client of this address asks for may be no address at all, such as `//`.
    const asked = `${origin}${request.url ?? "/"}`
    const url = new URL(URL.canParse(asked) ? asked : origin)
    // A page of another name for this address, or one that posts here, is not the provider.
    if (request.headers.host !== new URL(origin).host || request.method !== "GET") {
      return respond(response, 400, "Not expected", "Nobody waits for this request.")
    }
    if (url.pathname === "/done" && taken.isUsed) {
      const tell = Effect.gen(function* () {
        const [title, sentence] = yield* Deferred.await(outcome)
        yield* Effect.callback<void>((resume) => {
          response.on("close", () => resume(Effect.void))
          respond(response, 200, title, sentence)
        })
        yield* Deferred.succeed(told, undefined)
      })
      return void Effect.runForkWith(services)(tell)
    }
    if (url.pathname !== "/callback") return respond(response, 404, "Not found", "There is nothing here.")
    if (taken.state === "" || url.searchParams.get("state") !== taken.state) {
      return respond(response, 400, "Not expected", "This answer belongs to no login that was begun here.")
    }
    if (taken.isUsed) return respond(response, 410, "Already used", "This login was finished before.")
    taken.isUsed = true
    // The code leaves the address bar and the history.
    response.writeHead(303, { ...headers, location: "/done" }).end()
    Deferred.doneUnsafe(arrived, Effect.succeed(url))
  }

  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>, CliFailure>((resume) => {
      const server = createServer({ requestTimeout: 10_000 })
      server.on("error", ({ message }) =>
        resume(
          new CliFailure({
            exit: "platform",
            message: `This machine cannot be listened on for the browser: ${message}`,
            hint: "Log in with '--device'"
          })
        )
      )
      server.listen({ host: "127.0.0.1", port: 0 }, () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const origin = `http://127.0.0.1:${portOf(server.address())}`
  server.on("request", (request, response) => answer(origin, request, response))
  return {
    redirectUri: `${origin}/callback`,
    callback: (state) => {
      taken.state = state
      return Deferred.await(arrived)
    },
    finish: (title, sentence) =>
      Deferred.succeed(outcome, [title, sentence]).pipe(
        Effect.andThen(Effect.ignore(Effect.timeout(Deferred.await(told), farewell)))
      )
  } satisfies Loopback
})

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === "object" && address !== null ? address.port : 0
