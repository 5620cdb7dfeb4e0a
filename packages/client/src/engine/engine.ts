import type { Auth } from "../auth/Auth.ts"
import { pat } from "../auth/pat.ts"
import type { RetryOptions } from "../types.ts"
import { repeated } from "./retry.ts"
import type { Route, Routes } from "./routes.ts"
import { sessionOf } from "./session.ts"
import { systemTime, type Time } from "./Time.ts"

export interface ClientOptions {
  /** The address of a plane: `https://api.cloud.example`. */
  readonly url: string | URL
  /** A token, or a way to get and renew one. Without it, only what is open to everybody can be called. */
  readonly token?: string | Auth | undefined
  readonly retry?: RetryOptions | undefined
  /** Sends the requests; default the global one. */
  readonly fetch?: typeof fetch | undefined
  readonly time?: Time | undefined
}

/** What a request takes beside what `fetch` takes. */
export interface EngineInit extends RequestInit {
  readonly retry?: RetryOptions | undefined
}

/** A `fetch` for one gateway: it adds the token and the key, renews, and repeats what may be repeated. */
export interface Engine {
  readonly url: string
  readonly time: Time
  readonly fetch: (input: string | URL | Request, init?: EngineInit) => Promise<Response>
}

const idempotencyKey = "idempotency-key"

/** 128 bits. `crypto.randomUUID` is missing on pages that came without TLS. */
const freshKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (_) => _.toString(16).padStart(2, "0")).join("")

/** Methods that can be repeated by themselves. PATCH is one on first-class routes alone. */
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])

const isRaw = (route: Route | undefined): boolean => route === undefined || route.path.endsWith("*")

/** Whether a body is still there after it was sent. */
const isKept = (body: RequestInit["body"]): boolean =>
  body === undefined ||
  body === null ||
  typeof body === "string" ||
  ArrayBuffer.isView(body) ||
  [ArrayBuffer, Blob, FormData, URLSearchParams].some((_) => body instanceof _)

const againOf = (method: string, route: Route | undefined, hasKey: boolean, body: RequestInit["body"]) => {
  if (!isKept(body)) return "never"
  const repeatable = idempotent.has(method) || (method === "PATCH" && !isRaw(route)) || hasKey
  return repeatable ? "always" : "when nothing was done"
}

export const engineOf = (options: ClientOptions, routes: Routes): Engine => {
  const time = options.time ?? systemTime
  const send = options.fetch ?? ((input: string | URL | Request, init?: RequestInit) => fetch(input, init))
  const url = new URL(options.url).href.replace(/\/$/, "")
  const { origin, pathname } = new URL(url)
  const base = pathname.replace(/\/$/, "")
  const { token } = options
  const auth = typeof token === "string" ? pat(token) : token
  const session = auth === undefined ? undefined : sessionOf(auth, { fetch: send, time, url })

  /** Whether the gateway carries the call out once: other operations ignore a key. */
  const withKey = (route: Route | undefined, headers: Headers): boolean => {
    if (route?.is.has("creates") !== true) return false
    if (!headers.has(idempotencyKey)) headers.set(idempotencyKey, freshKey())
    return true
  }

  const isGateway = (target: URL): boolean =>
    target.origin === origin && (target.pathname === base || target.pathname.startsWith(`${base}/`))

  const engineFetch: Engine["fetch"] = async (input, { retry, ...init } = {}) => {
    const target = new URL(input instanceof Request ? input.url : input, `${url}/`)
    // Another address than the gateway's gets neither its tokens nor its rules.
    if (!isGateway(target)) return send(input, init)
    const request = input instanceof Request ? partsOf(input, init) : init
    const method = (request.method ?? "GET").toUpperCase()
    const route = routes.at(method, target.pathname.slice(base.length))
    const headers = new Headers(request.headers)
    const hasKey = withKey(route, headers)
    const signal = request.signal ?? undefined
    // No operation leads elsewhere: what it was called with goes to the gateway alone.
    const redirect = request.redirect ?? (isRaw(route) ? "follow" : "manual")
    const own = session === undefined || headers.has("authorization") || route?.is.has("open") === true

    const sendWith = (token: string | undefined): Promise<Response> => {
      const sent = new Headers(headers)
      if (token !== undefined) sent.set("authorization", `Bearer ${token}`)
      return send(target, { ...request, method, headers: sent, redirect })
    }
    const sendOnce = async (): Promise<Response> => {
      signal?.throwIfAborted()
      if (own) return sendWith(undefined)
      const token = await session.token(signal)
      const answer = await sendWith(token)
      if (answer.status !== 401 || !session.renewable || !isKept(request.body)) return answer
      // Nothing was done for a caller that the gateway does not know.
      const next = await session.replace(token, signal).catch(() => undefined)
      if (next === undefined || next === token) return answer
      await answer.body?.cancel()
      return sendWith(next)
    }
    const again = againOf(method, route, hasKey, request.body)
    return repeated({ send: sendOnce, signal, again, hasKey }, { ...options.retry, ...retry }, time)
  }
  return { url, time, fetch: engineFetch }
}

const partsOf = (request: Request, init: RequestInit): RequestInit => ({
  method: request.method,
  headers: request.headers,
  signal: request.signal,
  redirect: request.redirect,
  ...(request.body === null ? {} : { body: request.body, duplex: "half" }),
  ...init
})
