import { mounts } from "@portico/simulator/Wire"
import { Duration, Effect } from "effect"
import { Agent, request } from "undici"

/** Keeps its connections open, as the clients of the gateway do. */
const dispatcher = new Agent({ keepAliveTimeout: 60_000 })

export interface Sent {
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly form?: Record<string, string>
}

/** Sends a request and reads the answer whole; any other status than this one is a defect. Answers the text. */
export const send = Effect.fnUntraced(function* (
  method: "GET" | "POST" | "PUT",
  url: string,
  expected: number,
  { body, form, headers = {} }: Sent = {}
) {
  const answer = yield* Effect.promise(async () => {
    const { body: answered, statusCode } = await request(url, {
      dispatcher,
      method,
      headers: { ...headers, ...typeOf(body, form) },
      body: form === undefined ? (body === undefined ? null : JSON.stringify(body)) : String(new URLSearchParams(form))
    })
    return { status: statusCode, text: await answered.text() }
  })
  if (answer.status === expected) return answer.text
  return yield* Effect.die(new Error(`${method} ${url} answered ${answer.status}: ${answer.text}`))
})

const typeOf = (body: unknown, form: unknown): Record<string, string> =>
  form !== undefined
    ? { "content-type": "application/x-www-form-urlencoded" }
    : body === undefined
      ? {}
      : { "content-type": "application/json" }

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** From now on every upstream answers after so many milliseconds. */
export const slowDown = Effect.fnUntraced(function* (cloud: string, delay: number) {
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
  for (const service of Object.values(mounts)) {
    for (const method of methods) {
      const body = { service, method, path: "**", times: "always", when: "before", as: { delay_ms: delay } }
      yield* send("POST", `${cloud}/cloud/faults`, 201, { body })
    }
  }
})

export const millis = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([duration]) => Duration.toMillis(duration))

/** A platform that never runs out. */
export const unlimited = {
  SELLABLE_CORES: "100000000",
  SELLABLE_RAM_GIB: "100000000",
  SELLABLE_BLOCK_GIB: "100000000",
  SELLABLE_OBJECT_GIB: "100000000",
  SELLABLE_FLOATING_IPS: "100000000"
}
