import type { Auth } from "@portico/client/auth/Auth"
import { createOperatorClient, type PorticoOperator } from "@portico/client/operator"
import { PorticoError } from "@portico/client/PorticoError"
import { Effect, Stream } from "effect"

/** The input of an operation by name: the keys of path, query and body in one object. */
export type Input = Readonly<Record<string, unknown>>

export interface CallOptions {
  readonly idempotencyKey?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A body in a form of its own, in place of JSON of the input. */
  readonly body?: string | URLSearchParams | undefined
}

/** The gateway of the profile. Every operation of both planes is there: a customer plane answers an operator's with 404. */
export interface Portico {
  readonly url: string
  /** Calls with the types of the contract: `use((_, signal) => _.databases.list({}, { signal }))`. */
  readonly use: <A>(
    call: (client: PorticoOperator, signal: AbortSignal) => Promise<A>
  ) => Effect.Effect<A, PorticoError>
  /** Rows, events and lines: `stream((_, signal) => _.credentials.list.all({}, { signal }))`. */
  readonly stream: <A>(
    open: (client: PorticoOperator, signal: AbortSignal) => AsyncIterable<A>
  ) => Stream.Stream<A, PorticoError>
  /** Calls an operation by its name in the document, such as `credentials.mint`. */
  readonly call: (operation: string, input: Input, options?: CallOptions) => Effect.Effect<unknown, PorticoError>
  /** The rows of all pages of a list, or the lines or events of a stream, by the name of the operation. */
  readonly rows: (operation: string, input: Input, options?: CallOptions) => Stream.Stream<unknown, PorticoError>
}

const failureOf = (cause: unknown): PorticoError =>
  cause instanceof PorticoError ? cause : new PorticoError("unreachable", { detail: String(cause), status: 0, cause })

const camelCase = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** An operation of the client by its name in the document. */
export const operationIn = (client: PorticoOperator, operation: string) => {
  const [group = "", name = ""] = operation.split(".")
  return Reflect.get(Object(Reflect.get(client, camelCase(group))), name)
}

export const porticoAt = (url: string, token: string | Auth | undefined): Portico => {
  const client = createOperatorClient({ url, token })
  const use: Portico["use"] = (call) => Effect.tryPromise({ try: (signal) => call(client, signal), catch: failureOf })
  const stream: Portico["stream"] = (open) =>
    Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    ).pipe(
      Effect.map(({ signal }) => Stream.fromAsyncIterable(open(client, signal), failureOf)),
      Stream.unwrap
    )
  return {
    url,
    use,
    stream,
    call: (operation, input, options) => use((_, signal) => operationIn(_, operation)(input, { ...options, signal })),
    rows: (operation, input, options) =>
      stream((_, signal) => {
        const found = operationIn(_, operation)
        return (found.all ?? found)(input, { ...options, signal })
      })
  }
}
