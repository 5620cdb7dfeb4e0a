import { assert } from "@effect/vitest"
import type { FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Ask, asked, calls, cold, leaked } from "../harness/Acme.ts"
import type { Answer } from "../harness/http.ts"
import { Logs } from "../harness/Logs.ts"
import { settle, until } from "@portico/testing/clock"

/** A tenant's call goes to the identity provider, then to Keystone, then to the service. */
export const introspection = { service: "zitadel", method: "POST", path: "/oauth/v2/introspect" } as const
export const login = { service: "keystone", method: "POST", path: "/v3/auth/tokens" } as const
export const service = ({ method, upstream }: Ask) => ({ ...upstream, method })

type Leg = typeof introspection | typeof login | ReturnType<typeof service>
export const spelled = ({ method, path, service }: Leg): string => `${service} ${method} ${path}`
export const introspected = spelled(introspection)
export const loggedIn = spelled(login)

/** Status and bytes; a pattern where the system picks between two words. */
export type Expected = readonly [status: number, text: string | RegExp]

export const failure = (status: number, detail: string, code: string, more: object = {}): Expected => [
  status,
  JSON.stringify({ detail, code, ...more })
]
export const badGateway = (detail: string, transient: boolean) => failure(502, detail, "upstream_failed", { transient })

export const unusable = failure(401, "Token introspection failed", "introspection_failed")
export const unreachable = failure(503, "The identity provider cannot be reached", "identity_provider_unreachable")
const nameOf = ({ upstream }: Ask): string => (upstream.service === "glance" ? "image" : "key-manager")
export const notAccepted = (ask: Ask) =>
  badGateway(`${nameOf(ask)}: the platform did not accept the gateway's token`, true)

/** What a fault makes of the call that it hits. */
interface Kind {
  readonly name: string
  readonly as: FaultKind
  readonly introspection: Expected
  readonly login: Expected
  /** Undefined where that is not told in one line, or takes time that no test clock knows. */
  readonly service?: (ask: Ask) => Expected
}

const transient = (status: number): boolean => status === 429 || status >= 500

export const kinds: ReadonlyArray<Kind> = [
  ...[400, 401, 403, 404, 409, 429, 500, 502, 503, 504].map((status) => ({
    name: `a ${status}`,
    as: { status },
    introspection: unusable,
    login: badGateway(`keystone login: simulated ${status}`, transient(status)),
    ...(status === 401 ? {} : { service: (): Expected => [status, `{"message":"simulated ${status}"}`] })
  })),
  {
    name: "JSON that ends too early",
    as: "garbage",
    introspection: unusable,
    login: badGateway("keystone login: answered 200 with a body that is not understood", false),
    service: () => [200, '{"garbage": tru']
  },
  {
    name: "a good status without what belongs to it",
    as: { status: 201, body: '{"token": {"catalog": [{"url": "http://identity.internal:5000"}]}, "message": "no' },
    introspection: unusable,
    login: badGateway("keystone login: answered 201 with a body that is not understood", false)
  },
  {
    name: "a broken connection",
    as: "reset",
    introspection: unreachable,
    login: badGateway("keystone login: no answer", true),
    service: (ask) => [
      502,
      new RegExp(
        String.raw`^\{"detail":"${nameOf(ask)}: no answer: the connection failed \((ECONNRESET|UND_ERR_SOCKET)\)",` +
          '"code":"upstream_failed","transient":true\\}$'
      )
    ]
  },
  {
    name: "silence",
    as: "hang",
    introspection: unreachable,
    login: badGateway("keystone login: no answer within 10s", true)
  }
]

/** A call of the tenant, how it is answered, and whom that took. */
export interface Step {
  readonly answer: Expected | "good"
  readonly calls: ReadonlyArray<string>
}

export const matches = (answer: Answer, ask: Ask, [status, text]: Expected | readonly [number], note: string) => {
  assert.strictEqual(answer.status, status, `${note}: ${answer.text}`)
  if (typeof text === "string") assert.strictEqual(answer.text, text, note)
  else if (text !== undefined) assert.match(answer.text, text, note)
  // Our own challenge, and never a service's.
  const challenge = answer.status === 401 ? 'Bearer realm="portico"' : undefined
  assert.strictEqual(answer.headers["www-authenticate"], challenge, `${note}: ${ask.name}`)
}

/** Lets the call happen. One that hangs is given up after ten seconds of the test clock, and not before. */
export const step = Effect.fnUntraced(function* (ask: Ask, expected: Step, hangs: boolean, note: string) {
  const cloud = yield* SimulatedCloud
  yield* cloud.clearCalls
  const fiber = yield* Effect.forkChild(asked(ask))
  if (hangs) {
    yield* until(Effect.map(cloud.calls, (_) => _.length >= expected.calls.length))
    yield* TestClock.adjust("9999 millis")
    yield* settle
    assert.isUndefined(fiber.pollUnsafe(), note)
    yield* TestClock.adjust("1 millis")
  }
  const answer = yield* Fiber.join(fiber)
  matches(answer, ask, expected.answer === "good" ? [ask.status] : expected.answer, note)
  assert.deepStrictEqual(yield* calls, expected.calls, note)
  return expected.answer === "good" ? [] : [answer]
})

/**
 * A fault hits one call of the way, once or until it is over. The calls of the
 * tenant meanwhile fail as they should, and the first one after it is answered.
 */
export const story = Effect.fnUntraced(function* (story: {
  readonly ask: Ask
  readonly leg: Leg
  readonly as: FaultKind
  readonly when: "before" | "after"
  readonly times: 1 | "always"
  readonly during: ReadonlyArray<Step>
  readonly after: ReadonlyArray<string>
  /** How long the failure is remembered, which is said where it is. */
  readonly rest?: "10 seconds" | undefined
}) {
  const { after, as, ask, during, leg, rest, times, when } = story
  const note = `${ask.name}: ${spelled(leg)} ${JSON.stringify(as)} ${when} its effect, ${times}`
  const cloud = yield* SimulatedCloud
  yield* cold
  yield* (yield* Logs).forget
  yield* cloud.fault({ ...leg, times, when, as })
  const failed: Array<Answer> = []
  for (const expected of during) failed.push(...(yield* step(ask, expected, as === "hang", note)))
  yield* cloud.clearFaults
  assert.deepStrictEqual(yield* leaked(failed), [], note)
  if (rest !== undefined) yield* TestClock.adjust(rest)
  yield* step(ask, { answer: "good", calls: after }, false, note)
})

/** Every token that Keystone gave out is dead, as after a change of its keys. */
export const forgetTokens = Effect.map(SimulatedCloud, ({ world: { keystone } }) => {
  for (const id of Object.keys(keystone.tokens)) delete keystone.tokens[id]
})
