import type { Stream } from "effect"
import type { World } from "./World.ts"

/** The systems that are simulated; each answers below a mount of its own, see {@link mounts}. */
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

/** First path segment of a request to the simulated cloud, and the system that answers it. */
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
  resolver: "resolver"
}

/** A request as a system receives it. */
export interface Call {
  readonly service: ServiceName
  readonly method: string
  /** Path and query as they stand on the request line, mount included: what a signature covers. */
  readonly target: string
  /** Path below the mount, in the client's own spelling: `/v3/projects`. */
  readonly path: string
  readonly query: URLSearchParams
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What a route's handler sees. Everything is synchronous: a call is one step of the world. */
export interface Incoming extends Call {
  /** The `:name` segments of the route, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly world: World
  /** Milliseconds since the epoch, from the clock of the run. */
  readonly now: number
  /** The body as JSON; undefined when it is empty or not JSON. */
  readonly json: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /**
   * What follows {@link body}, for as long as it lasts: a watch, a followed
   * log. It runs on the clock of the run and ends when the client goes.
   */
  readonly stream?: Stream.Stream<Uint8Array>
  /** With status 101: what goes on over the WebSocket that the connection becomes. */
  readonly upgrade?: Upgrade
}

export interface Upgrade {
  /** The subprotocol that was agreed on; empty for none. */
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
