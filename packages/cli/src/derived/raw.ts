import { PorticoError } from "@portico/client/PorticoError"
import { Effect, Option, Stdio, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Flag } from "../effectCli.ts"
import { exitOf } from "../refusals.ts"
import { outputFailedOf, Screen } from "../Screen.ts"
import { portico } from "../Session.ts"
import { readArgument } from "./sources.ts"

// A call by its path, whose response is printed as it is: what `api` and the commands of catch-all paths do.

export const rawFlags = {
  body: Flag.String("body").pipe(
    Flag.withMetavar("text|@file|-"),
    Flag.withDescription("The body: itself, from a file, or from standard input."),
    Flag.optional
  ),
  headers: Flag.String("header").pipe(
    Flag.withAlias("H"),
    Flag.withMetavar("name:value"),
    Flag.withDescription("A further header. Repeat it for more. A body is application/json without a content-type."),
    Flag.atLeast(0)
  ),
  include: Flag.Boolean("include").pipe(
    Flag.withAlias("i"),
    Flag.withoutNegation,
    Flag.withDescription("Print the status and the headers of the response before its body."),
    Flag.withDefault(false)
  )
}

export interface RawGiven {
  readonly body: Option.Option<string>
  readonly headers: ReadonlyArray<string>
  readonly include: boolean
}

const usage = (message: string) => new CliFailure({ exit: "usage", message })

const headersOf = Effect.fnUntraced(function* (given: ReadonlyArray<string>, hasBody: boolean) {
  const headers = new Headers()
  for (const one of given) {
    const [, name = "", value = ""] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/.exec(one) ?? []
    if (name === "") return yield* usage(`--header: '${one}' is not a name and a value, such as 'accept: text/plain'`)
    headers.append(name, value)
  }
  if (hasBody && !headers.has("content-type")) headers.set("content-type", "application/json")
  return headers
})

/** An address would be another one with these segments. */
const isCanonical = (path: string): boolean => {
  const [segments = ""] = path.split(/[?#]/, 1)
  return !segments.split(/[/\\]/).some((_) => /^(\.|%2e){1,2}$/i.test(_)) && !/[\t\n\r]/.test(path)
}

const headOf = (response: Response): string =>
  [
    `HTTP ${response.status} ${response.statusText}`.trim(),
    ...[...response.headers].map(([k, v]) => `${k}: ${v}`)
  ].join("\n")

const cut = (cause: unknown) =>
  new PorticoError("unreachable", { detail: `The response was cut off: ${String(cause)}`, status: 0, cause })

const isText = (type: string): boolean => type === "" || /^text\/|json|xml|yaml|event-stream|urlencoded/i.test(type)

/** Bytes are for a file or another program. */
const writeBytes = Effect.fnUntraced(function* (bytes: Stream.Stream<Uint8Array, PorticoError>, type: string) {
  const { out } = yield* Screen
  if (out.isTerminal) {
    return yield* new CliFailure({
      exit: "usage",
      message: `The body is ${type}, which a terminal cannot show`,
      hint: "Send it to a file or another program, as in: portico api … > file"
    })
  }
  const { stdout } = yield* Stdio.Stdio
  yield* Stream.run(bytes, stdout({ endOnDone: false })).pipe(
    Effect.catch((failure) =>
      failure instanceof PorticoError ? Effect.fail(failure) : Effect.die(outputFailedOf(failure.cause ?? failure))
    )
  )
})

/** The body as it comes. A line break follows on a terminal where a text ends without one. */
const printBody = Effect.fnUntraced(function* ({ body, headers }: Response) {
  const { out, write } = yield* Screen
  if (body === null) return
  const bytes = Stream.fromReadableStream({ evaluate: () => body, onError: cut })
  const type = headers.get("content-type") ?? ""
  if (!isText(type)) return yield* writeBytes(bytes, type)
  let last = "\n"
  yield* bytes.pipe(
    Stream.decodeText(),
    Stream.runForEach((text) => {
      last = text.at(-1) ?? last
      return write(text)
    })
  )
  if (out.isTerminal && last !== "\n") yield* write("\n")
})

/** Makes a call by its path and prints the response as it is; the exit code follows from the status. */
export const callRaw = Effect.fnUntraced(function* (method: string, path: string, given: RawGiven) {
  if (!path.startsWith("/"))
    return yield* usage(`'${path}' is not a valid path: it must begin with a slash, such as /v1/whoami`)
  if (!isCanonical(path)) return yield* usage(`'${path}' is not a normalized path: it has segments such as '..'`)
  const { use } = yield* portico
  const { print } = yield* Screen
  const argument = Option.getOrUndefined(given.body)
  const body = argument === undefined ? undefined : yield* readArgument(argument)
  const headers = yield* headersOf(given.headers, body !== undefined)
  // A redirect is printed: body and headers may be secrets, which no other address gets.
  const init = { method, headers, redirect: "manual" as const, ...(body === undefined ? {} : { body }) }
  // The body is read below, and what watches a service goes on for as long as it is read.
  const answer = yield* use((client, signal) => client.fetch(path, { ...init, signal }))
  if (given.include) yield* print(`${headOf(answer)}\n`)
  yield* printBody(answer)
  if (answer.ok) return
  const failure = new PorticoError("http", { detail: answer.statusText, status: answer.status })
  return yield* new CliFailure({
    exit: exitOf(failure),
    message: `${method} ${path}: ${`${answer.status} ${answer.statusText}`.trim()}`
  })
})
