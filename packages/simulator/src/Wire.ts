import type { Result, Stream } from "effect"
import type { World } from "./World.ts"

/** The simulated services; each has a mount, see {@link mounts}. */
export type ServiceName =
  | "keystone"
  | "nova"
  | "neutron"
  | "cinder"
  | "glance"
  | "octavia"
  | "designate"
  | "barbican"
  | "rgw"
  | "zitadel"
  | "kubernetes"
  | "billing"
  | "prometheus"
  | "resolver"
  | "company"

/** First path segment of a request to the simulated cloud, and its service. */
export const mounts: Readonly<Record<string, ServiceName>> = {
  identity: "keystone",
  compute: "nova",
  network: "neutron",
  volume: "cinder",
  image: "glance",
  "load-balancer": "octavia",
  dns: "designate",
  "key-manager": "barbican",
  rgw: "rgw",
  idp: "zitadel",
  kubernetes: "kubernetes",
  billing: "billing",
  prometheus: "prometheus",
  resolver: "resolver",
  company: "company"
}

/**
 * The upstreams of a company's own, by name: which calls they answer, and what
 * they hold, by kind and id. They are one more service of the cloud, `company`,
 * with the name as the first segment of the path: its calls are logged and
 * fail as those of every other service.
 */
export type Company = Readonly<
  Record<string, { readonly routes: Routes; readonly state: Readonly<Record<string, object>> }>
>

/** A request as a service receives it. */
export interface Call {
  readonly service: ServiceName
  readonly method: string
  /** Path and query of the request line, mount included: the part that a signature covers. */
  readonly target: string
  /** Path below the mount, as the client sent it: `/v3/projects`. */
  readonly path: string
  readonly query: URLSearchParams
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The input of a route's handler. A handler is synchronous: each call is atomic. */
export interface Incoming extends Call {
  /** The `:name` segments of the route, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly world: World
  /** Milliseconds since the epoch, from Effect's clock. */
  readonly now: number
  /** The id of this request, `req-` and a UUID: the answer and the records of the request name it. */
  readonly requestId: string
  /** The body as JSON; undefined when it is empty or not JSON. */
  readonly json: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /**
   * Chunks that follow {@link body}: a watch, a followed log. The stream runs on Effect's clock and ends when
   * the client disconnects.
   */
  readonly stream?: Stream.Stream<Uint8Array>
  /** With status 101: the handler of the WebSocket. */
  readonly upgrade?: Upgrade
}

export interface Upgrade {
  /** The negotiated subprotocol; empty for none. */
  readonly protocol: string
  /** Called once the socket is open. Frames are binary. */
  readonly open: (socket: Socket) => Session
}

export interface Socket {
  readonly send: (frame: Uint8Array) => void
  readonly close: (code?: number) => void
}

export interface Session {
  readonly receive: (frame: Uint8Array) => void
}

export type Handler = (incoming: Incoming) => Answer

/** Method and path pattern to handler: `"GET /v3/projects/:id"`. */
export type Routes = Readonly<Record<string, Handler>>

/** One step of a call: a value, or the answer that ends the call. */
export type Step<A> = Result.Result<A, Answer>

/** The origin of the request's URL: every link in an answer begins with it. */
export const originOf = ({ headers }: Pick<Incoming, "headers">): string => `http://${headers["host"] ?? "localhost"}`

export const isAnswer = (value: object): value is Answer => "status" in value && "body" in value && "headers" in value

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

export const empty = (status: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers,
  body: ""
})

export interface Matched {
  /** The pattern with its parameters as `*`: `/v3/projects/*`. */
  readonly route: string
  readonly handler: Handler
  readonly params: Readonly<Record<string, string>>
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

/** The routes, with `notAllowed` for every other method of their paths. */
export const withOtherMethods = (routes: Routes, notAllowed: Handler): Routes => ({
  ...Object.fromEntries(
    Object.keys(routes).flatMap((route) => methods.map((method) => [`${method} ${route.split(" ")[1]}`, notAllowed]))
  ),
  ...routes
})

/** The routes, also with a slash at the end of their paths. */
export const withTrailingSlash = (routes: Routes): Routes =>
  Object.fromEntries(
    Object.entries(routes).flatMap(([route, handler]) => [
      [route, handler],
      [`${route}/`, handler]
    ])
  )

interface Compiled {
  readonly method: string
  readonly segments: ReadonlyArray<string>
  readonly route: string
  readonly handler: Handler
}

/**
 * A routing table as a function. Among patterns of one length the one with
 * the fewest parameters wins, so `/users/machine` beats `/users/:id`.
 */
export const router = (routes: Routes): ((method: string, path: string) => Matched | undefined) => {
  const table: ReadonlyArray<Compiled> = Object.entries(routes)
    .map(([key, handler]) => {
      const [method = "", pattern = ""] = key.split(" ")
      const segments = pattern.split("/")
      return { method, segments, handler, route: segments.map((_) => (_.startsWith(":") ? "*" : _)).join("/") }
    })
    .toSorted((a, b) => a.route.split("*").length - b.route.split("*").length)
  return (method, path) => {
    const segments = path.split("/")
    const found = table.find((_) => _.method === method && fits(_.segments, segments))
    return found && { route: found.route, handler: found.handler, params: paramsOf(found.segments, segments) }
  }
}

const fits = (pattern: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean =>
  pattern.length === segments.length &&
  pattern.every((_, i) => (_.startsWith(":") ? segments[i] !== "" : _ === segments[i]))

const paramsOf = (pattern: ReadonlyArray<string>, segments: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(
    pattern.flatMap((_, i) => (_.startsWith(":") ? [[_.slice(1), decodeSegment(segments[i] ?? "")] as const] : []))
  )

const decodeSegment = (segment: string): string =>
  /%(?![0-9a-fA-F]{2})/.test(segment) ? segment : decodeURIComponent(segment)
