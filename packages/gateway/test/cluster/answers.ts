import { Effect, Predicate } from "effect"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { type Step, steps } from "./steps.ts"

/** What no two clusters have in common: such values are compared by their types. */
const own: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "lastTransitionTime",
  "lastUpdateTime",
  "time",
  "continue",
  "clusterIP",
  "clusterIPs",
  "ca.crt",
  "serverAddressByClientCIDRs"
])

const keyOf = (entry: unknown): string =>
  Predicate.isObject(entry)
    ? JSON.stringify(["operation", "manager", "subresource"].map((_) => Reflect.get(entry, _)))
    : ""

/** Managers in the order of their names: upstream they go by the seconds of their writes. */
const inOrder = (entries: unknown): unknown =>
  Array.isArray(entries) ? entries.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).map(plain) : entries

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [
        key,
        key === "managedFields" ? inOrder(inner) : own.has(key) ? `(${typeof inner})` : plain(inner)
      ])
  )
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export interface Answered {
  readonly step: string
  readonly status: number
  readonly body: unknown
}

/** What was answered to each step, without what no two clusters have in common. */
export const answers = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  const named = (_: string) => _.replaceAll("{ns}", `db-${acme.projectId}`)
  const anonymous = (_: string) =>
    _.replaceAll(acme.projectId, "{project}")
      .replaceAll(/cred-[0-9a-f]{12}/g, "{credential}")
      .replaceAll(uuid, "{uuid}")
  const answer = Effect.fnUntraced(function* ({ body, call: line, headers, tier = 2 }: Step) {
    const [method = "", path = ""] = line.split(" ")
    const sent = Predicate.isString(body) || body === undefined ? body : JSON.parse(named(JSON.stringify(body)))
    const { status, text } = yield* call("customer", method, `/v1/kubernetes${named(path)}`, {
      token: acme.tokens[tier],
      headers,
      body: sent
    })
    const parsed: unknown = /^[[{]/.test(text) ? JSON.parse(anonymous(text)) : anonymous(text)
    const told: Answered = { step: line, status, body: plain(parsed) }
    return told
  })
  const all: Record<string, ReadonlyArray<Answered>> = {}
  for (const [name, chapter] of Object.entries(steps)) all[name] = yield* Effect.forEach(chapter, answer)
  return all
})
