import { replayedHeader } from "@portico/contract/Idempotency"
import { Effect, Schema } from "effect"
import { Agent, type Dispatcher, request } from "undici"
import type { Evidence } from "./evidence.ts"
import type { SeededRandom } from "./random.ts"
import type { Replica } from "./stage/replica.ts"

export interface Answer {
  /** Null without an answer. */
  readonly status: number | null
  readonly json: unknown
}

export interface Sent {
  readonly area: string
  readonly plane?: "customer" | "operator"
  readonly token?: string | undefined
  readonly tenant?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Repeated under this key until there is an answer that stands. */
  readonly key?: string
}

const isJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const parsed = (text: string): unknown => {
  const value = isJson(text)
  return value._tag === "Some" ? value.value : undefined
}

/** The string at a path of an answer's body; empty where there is none. */
export const textAt = (json: unknown, ...path: ReadonlyArray<string>): string => {
  let value: unknown = json
  for (const name of path) value = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : ""
}

/** The list at a name of an answer's body. */
export const listAt = (json: unknown, name: string): ReadonlyArray<unknown> => {
  const value: unknown = typeof json === "object" && json !== null ? Reflect.get(json, name) : undefined
  return Array.isArray(value) ? value : []
}

export const succeeded = ({ status }: Answer): boolean => status !== null && status >= 200 && status < 300

/** Whether it is not known if the call had its effect. */
export const isUncertain = ({ status }: Answer): boolean => status === null || status >= 500 || status === 409

/** Calls the gateway as clients do: at any replica, over TLS, and notes what came of each call. */
export class Client {
  readonly #replicas: ReadonlyArray<Replica>
  readonly #evidence: Evidence
  readonly #random: SeededRandom
  #dispatcher: Dispatcher
  readonly #trusted: ReadonlyArray<string>
  #known: number

  constructor(
    replicas: ReadonlyArray<Replica>,
    evidence: Evidence,
    random: SeededRandom,
    trusted: ReadonlyArray<string>
  ) {
    this.#replicas = replicas
    this.#evidence = evidence
    this.#random = random
    this.#trusted = trusted
    this.#known = trusted.length
    this.#dispatcher = this.#fresh()
  }

  #fresh(): Dispatcher {
    return new Agent({
      connect: { ca: [...this.#trusted], timeout: 5_000 },
      keepAliveTimeout: 4_000,
      headersTimeout: 120_000,
      bodyTimeout: 60_000
    })
  }

  /** A replica that a load balancer would choose: one that is ready, where there is one. */
  replica(): Replica {
    const ready = this.#replicas.filter((_) => _.isReady())
    return this.#random.pick(ready.length > 0 ? ready : this.#replicas)
  }

  get dispatcher(): Dispatcher {
    if (this.#known !== this.#trusted.length) {
      this.#known = this.#trusted.length
      this.#dispatcher = this.#fresh()
    }
    return this.#dispatcher
  }

  readonly #once = (method: string, path: string, sent: Sent, replica: Replica): Effect.Effect<Answer & Noted> => {
    const { area, body, headers = {}, key, plane = "customer", tenant, token } = sent
    const process = replica.process()
    const sentAt = this.#evidence.now()
    const note = (
      status: number | null,
      json: unknown,
      requestId?: string,
      retryAfter?: number,
      replayed = false
    ): Answer & Noted => {
      const code = textAt(json, "code") || undefined
      const endedAt = this.#evidence.now()
      const call = {
        sentAt,
        endedAt,
        method,
        area,
        path,
        status,
        code,
        requestId,
        process,
        tenant,
        replayed,
        retryAfter
      }
      this.#evidence.calls.push(call)
      return { status, json, code }
    }
    return Effect.promise((signal) =>
      request(`${replica[plane]}${path}`, {
        dispatcher: this.dispatcher,
        method: method as Dispatcher.HttpMethod,
        signal,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { "idempotency-key": key }),
          ...headers
        },
        body: body === undefined ? null : JSON.stringify(body)
      }).then(
        async ({ body, headers, statusCode }) => {
          const text = await body.text().catch(() => undefined)
          const requestId = typeof headers["x-request-id"] === "string" ? headers["x-request-id"] : undefined
          const retryAfter = Number(headers["retry-after"])
          const json = text === undefined ? undefined : parsed(text)
          // A service that fails in the middle of an answer says nothing about what it did.
          const isBroken = text !== "" && json === undefined && String(headers["content-type"]).includes("json")
          return note(
            text === undefined || isBroken ? null : statusCode,
            json,
            requestId,
            Number.isFinite(retryAfter) ? retryAfter : undefined,
            replayedHeader in headers
          )
        },
        () => note(null, undefined)
      )
    )
  }

  /** Sends a request; a call with a key is sent again while it is not known what came of it. */
  call(method: string, path: string, sent: Sent): Effect.Effect<Answer> {
    const attempt = (left: number): Effect.Effect<Answer> =>
      Effect.suspend(() => this.#once(method, path, sent, this.replica())).pipe(
        Effect.flatMap((answer) => {
          const again =
            sent.key !== undefined &&
            left > 0 &&
            (answer.status === null || answer.status >= 500 || answer.code === "idempotency_in_flight")
          return again
            ? Effect.andThen(Effect.sleep(this.#random.int(300, 1500)), attempt(left - 1))
            : Effect.succeed(answer)
        })
      )
    return attempt(5)
  }

  /** To the replica that is named. */
  callAt(replica: Replica, method: string, path: string, sent: Sent): Effect.Effect<Answer> {
    return this.#once(method, path, sent, replica)
  }
}

interface Noted {
  readonly code: string | undefined
}
