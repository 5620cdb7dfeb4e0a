import type { longRunning } from "./operations/longRunning.ts"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"

/** How calls are repeated. */
export interface RetryOptions {
  /** Repetitions of one call; 0 for none. Default 4. */
  readonly times?: number | undefined
  /** The first pause in milliseconds, which doubles. The pause itself is drawn between 0 and that. Default 250. */
  readonly baseMillis?: number | undefined
  /** The longest pause in milliseconds, and the longest `Retry-After` that is waited for. Default 60,000. */
  readonly maxMillis?: number | undefined
  /** How long the same request, still at work under its key, is asked for again, in milliseconds. Default 120,000. */
  readonly inFlightMillis?: number | undefined
}

/** What every call takes beside its input. */
export interface CallOptions {
  /** Ends the call, also while it waits to be repeated. */
  readonly signal?: AbortSignal | undefined
  /** Of a call that creates: the key under which it is carried out once. Without one, each call has a new key. */
  readonly idempotencyKey?: string | undefined
  /** Further headers. An `authorization` replaces the client's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Further query parameters, for what a route accepts and the contract does not declare. */
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>> | undefined
  /** A body in a form of its own, in place of JSON. */
  readonly body?: string | URLSearchParams | Uint8Array<ArrayBuffer> | undefined
  /** How this call is repeated, in place of the client's own rule: `{ times: 0 }` makes one attempt. */
  readonly retry?: RetryOptions | undefined
}

/** What a stream takes beside its input. */
export interface StreamOptions extends CallOptions {
  /** Called once, with the place in the log from which on no event is missed. */
  readonly onOpen?: ((cursor: string) => void) | undefined
}

/** What a wait takes. */
export interface WaitOptions<View> {
  readonly signal?: AbortSignal | undefined
  /** In milliseconds; default 30 minutes. */
  readonly timeout?: number | undefined
  /** Called at each look, with what it saw. */
  readonly onProgress?: ((view: View) => void) | undefined
}

/** An operation whose answer comes before its work is done. */
export interface Waits<Started, View, Result> {
  /**
   * Waits until the work is done. It fails with `work_failed` when the work
   * fails, and with `gave_up` when it is not done in time and goes on.
   *
   * @param started the answer of the operation, or the identifiers alone
   */
  wait(started: Started, options?: WaitOptions<View>): Promise<Result>
}

type Schemas<Codec> = Codec extends { readonly schema: infer S } ? S : Codec
type EncodedOf<Codec> = [Codec] extends [never] ? {} : Schemas<Codec> extends { readonly Encoded: infer E } ? E : never
type TypeOf<Codec> = Codec extends { readonly Type: infer T } ? T : never

/** On the wire every query parameter is text; callers give numbers and booleans as such. */
type QueryValue<Encoded, Type> = [Exclude<Type, undefined>] extends [boolean]
  ? boolean
  : number extends Type
    ? number
    : Exclude<Encoded, undefined>

type QueryInput<Encoded, Type> = {
  readonly [K in keyof Encoded]: QueryValue<Encoded[K], K extends keyof Type ? Type[K] : never>
}

/** A body that may be left out. */
type BodyInput<Encoded> = [Extract<Encoded, null | undefined>] extends [never]
  ? Encoded
  : Partial<Exclude<Encoded, null | undefined>>

/** One object type. What may be left out may be undefined, which is not sent. */
type Merged<A> = A extends infer B
  ? { readonly [K in keyof B]: {} extends Pick<B, K> ? B[K] | undefined : B[K] }
  : never

type Addressed<E extends HttpApiEndpoint.ConstraintRequest> = {
  readonly [K in keyof EncodedOf<E["~Params"]>]: string | number
} & QueryInput<EncodedOf<E["~Query"]>, TypeOf<E["~Query"]>>

type BodyOf<E extends HttpApiEndpoint.ConstraintRequest> = BodyInput<EncodedOf<E["~Payload"]>>

/**
 * The keys of path, query and body in one object. Where a key of the body is
 * one of the path or the query too, such as the name of a restored database, the
 * body is apart, as `body`.
 */
export type InputOf<E extends HttpApiEndpoint.ConstraintRequest> = Merged<
  Addressed<E> & ([keyof Addressed<E> & keyof BodyOf<E>] extends [never] ? BodyOf<E> : { readonly body: BodyOf<E> })
>

type Answer<S> =
  S extends HttpApiSchema.WithHeaders<infer Body, infer _>
    ? Answer<Body>
    : Schemas<S> extends { readonly Encoded: infer E }
      ? E
      : never

/** The answer as it is on the wire. */
export type OutputOf<E extends HttpApiEndpoint.ConstraintRequest> = Answer<E["~Success"]>

type CodeOf<Failure> = Failure extends { readonly code: infer C extends string } ? C : never

/** The codes with which an operation can fail. */
export type CodesOf<E> = CodeOf<HttpApiEndpoint.Errors<E>>

/** The operation of an error: {@link isFailure} narrows by it. */
export interface Named<Code extends string> {
  /** `credentials.mint` */
  readonly operation: string
  /** For the compiler alone: the codes of its failures. */
  readonly "~code"?: Code
}

type Arguments<Input, Options = CallOptions> = {} extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options]

/** One call. It fails with a `PorticoError`. */
export interface Call<Input, Output, Code extends string> extends Named<Code> {
  (...given: Arguments<Input>): Promise<Output>
}

/** `pending` of the tenants is whole on every page, and `common_prefixes` stand beside the objects. */
type RowOf<Page> = {
  readonly [K in Exclude<keyof Page, "pending" | "common_prefixes">]: Page[K] extends ReadonlyArray<infer Row>
    ? Row
    : never
}[Exclude<keyof Page, "pending" | "common_prefixes">]

/** A call that returns one page. */
export interface PagedCall<Input, Output, Code extends string> extends Call<Input, Output, Code> {
  /** The rows of all pages; the next page is fetched when the last row was taken. */
  all(...given: Arguments<Omit<Input, "cursor" | "continuation_token">>): AsyncGenerator<RowOf<Output>, void>
  /** The pages, one after the other. */
  pages(...given: Arguments<Input>): AsyncGenerator<Output, void>
}

/** An event, and the place in the log behind it: a later stream with this `cursor` goes on there. */
export interface Received<Event> {
  readonly cursor: string
  readonly event: Event
}

/** A stream that resumes where it was, across disconnects. */
export interface StreamCall<Input, Item, Code extends string> extends Named<Code> {
  (...given: Arguments<Input, StreamOptions>): AsyncGenerator<Item, void>
}

/** A call of a catch-all: `path` is what comes after the prefix. The answer is the service's own, whatever its status. */
export interface RawCall {
  (path: string, init?: RequestInit): Promise<Response>
  readonly operation: string
}

type Method<E extends HttpApiEndpoint.ConstraintRequest> = E extends { readonly path: `${string}/*` }
  ? RawCall
  : E["~Success"] extends { readonly _tag: "StreamSse"; readonly events: infer Events }
    ? StreamCall<InputOf<E>, Received<EventOf<Events>>, CodesOf<E>>
    : E["~Success"] extends HttpApiSchema.StreamNdjson<infer Line>
      ? StreamCall<InputOf<E>, EncodedOf<Line>, CodesOf<E>>
      : OutputOf<E> extends { readonly next_cursor: unknown } | { readonly next_continuation_token: unknown }
        ? PagedCall<InputOf<E>, OutputOf<E>, CodesOf<E>>
        : Call<InputOf<E>, OutputOf<E>, CodesOf<E>>

type EventOf<Events> = TypeOf<Events> extends { readonly data: infer Data } ? Data : TypeOf<Events>

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : S

type WaitsOf<Read, Waiting> = Read extends HttpApiEndpoint.ConstraintRequest
  ? Waits<
      { readonly [K in keyof EncodedOf<Read["~Params"]>]: string | number },
      OutputOf<Read>,
      Waiting extends { readonly gone: true } ? undefined : OutputOf<Read>
    >
  : never

/** The wait of an operation; `read` is an operation of the same group. */
type Waiting<Endpoints, Group extends string, Name> = Name extends string
  ? `${Group}.${Name}` extends infer Operation extends keyof typeof longRunning
    ? (typeof longRunning)[Operation]["read"] extends `${Group}.${infer Read extends keyof Endpoints & string}`
      ? WaitsOf<Endpoints[Read], (typeof longRunning)[Operation]>
      : never
    : unknown
  : unknown

type Operations<Endpoints, Group extends string> = {
  readonly [Name in keyof Endpoints]: Endpoints[Name] extends HttpApiEndpoint.ConstraintRequest
    ? Method<Endpoints[Name]> & Waiting<Endpoints, Group, Name>
    : never
}

type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _, infer Groups> ? Groups : never

type Client<Groups extends HttpApiGroup.Constraint> = {
  readonly [G in Groups as CamelCase<HttpApiGroup.Identifier<G>>]: Operations<
    G["endpoints"],
    HttpApiGroup.Identifier<G>
  >
}

/** The operations of an API, by group. */
export type ClientOf<Api> = Client<GroupsOf<Api>>
