import { AnswersSecret } from "@portico/contract/Access"
import { Context, Effect, Predicate } from "effect"
import { createHash } from "node:crypto"
import { Api, type ApiRequest } from "../Api.ts"
import type { Agent } from "../CurrentAgent.ts"
import { at, numberAt, parsed } from "./json.ts"
import { needsOf, type Quotas, readOf } from "./needs.ts"
import { type Price, priceOf } from "./prices.ts"
import { isProxied, pathOf, routeOf } from "./routes.ts"

/** Stands in place of a number that cannot be calculated. */
export const notKnown = "not known"

/** Stands in place of the price of a call that is not billed. */
export const notBilled = "not billed"

/** A quota before and after a call. */
export interface QuotaChange {
  /** Its path in the answer of `/v1/quotas`: `compute.cores`. */
  readonly quota: string
  readonly limit: number | typeof notKnown
  readonly used: number | typeof notKnown
  readonly asked: number
  readonly after: number | typeof notKnown
}

/** What a person is shown before a call, with fingerprints that show a later change of it. */
export interface Preview {
  readonly because: ReadonlyArray<string>
  readonly quota: ReadonlyArray<QuotaChange> | typeof notKnown
  readonly price: Price | typeof notKnown | typeof notBilled
  /** Fingerprints of the fields of the resource that the call changes; empty for a creation. */
  readonly state: Readonly<Record<string, string>>
}

/** Makes a preview from what the API answers now. Two previews of one request show what changed between them. */
export const previewOf = Effect.fnUntraced(function* (
  agent: Agent,
  request: ApiRequest,
  { because, isBilled }: { readonly because: ReadonlyArray<string>; readonly isBilled: boolean }
) {
  const { billable, quotas } = yield* needsOf(agent, request, isBilled)
  const [quota, price, state] = yield* Effect.all(
    [quotaOf(agent, quotas), priceOf(agent, billable), stateOf(agent, request)],
    { concurrency: 3 }
  )
  return { because, quota, price: isBilled ? (price ?? notKnown) : notBilled, state } satisfies Preview
})

/** The arguments of {@link previewOf} for another preview of the same call. */
export const againOf = ({ because, price }: Preview) => ({ because, isBilled: price !== notBilled })

const quotaOf = Effect.fnUntraced(function* (agent: Agent, asked: Quotas | undefined) {
  if (asked === undefined) return notKnown
  const wanted = Object.entries(asked)
  if (wanted.length === 0) return []
  const quotas = yield* readOf(agent, "/v1/quotas")
  if (quotas === undefined) return notKnown
  return wanted.map(([quota, asked]): QuotaChange => {
    const row = at(quotas, ...quota.split("."))
    const used = numberAt(row, "used")
    return {
      quota,
      limit: numberAt(row, "limit") ?? notKnown,
      used: used ?? notKnown,
      asked,
      after: used === undefined ? notKnown : used + asked
    }
  })
})

/** The path of the resource that a call changes: the path of the call, or for `POST …/{id}/rotate` its parent. */
const subjectOf = (request: ApiRequest): string | undefined => {
  const path = pathOf(request)
  const subject = request.method === "POST" ? path.slice(0, path.lastIndexOf("/")) : path
  const route = routeOf({ method: "GET", path: subject })
  if (route === undefined || Context.get(route.endpoint.annotations, AnswersSecret) === "stored") return undefined
  // The parent of a collection of a service is the service itself, which has no state to read.
  return isProxied(request) && subject.split("/").length < 6 ? undefined : subject
}

/** Fields, at any depth, that say how a resource is used or looked after: they change without a change of it. */
const incidental: ReadonlySet<string> = new Set([
  "call_count",
  "links",
  // The recovery window of a database moves on with every second.
  "earliest_recovery_point",
  "latest_recovery_point",
  "last_successful_at",
  // When an alarm or a group was last looked at.
  "evaluated_at",
  "observed_at",
  // How the deliveries of a webhook or an integration go: its address may be changed because they fail.
  "failures_in_a_row",
  "failing_since",
  "rests_until"
])

const isIncidental = (name: string): boolean => name.startsWith("last_used") || incidental.has(name)

const stateOf = Effect.fnUntraced(function* (agent: Agent, request: ApiRequest) {
  const subject = subjectOf(request)
  if (subject === undefined) return {}
  const { body, status } = yield* (yield* Api).call(agent, { method: "GET", path: subject })
  const found = parsed(body)
  const fields = Predicate.isReadonlyObject(found) ? unwrapped(found) : {}
  const kept = Object.entries(fields).filter(([name]) => !isIncidental(name))
  return Object.fromEntries([
    ["status", String(status)],
    ...(status === 200 ? kept.map(([name, value]) => [name, fingerprint(value)] as const) : [])
  ])
})

/** OpenStack wraps a resource in an object with one field: `{"server": {...}}`. */
const unwrapped = (found: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const [only, ...others] = Object.values(found)
  return others.length === 0 && Predicate.isReadonlyObject(only) ? only : found
}

/** Everything that has changed since the person saw the preview, in words. Empty when nothing has. */
export const changesOf = (shown: Preview, now: Preview): ReadonlyArray<string> => [
  ...quotaChanges(shown.quota, now.quota),
  ...(isSame(shown.price, now.price) ? [] : [`price an hour: ${priceText(shown)}, now ${priceText(now)}`]),
  ...[...new Set([...Object.keys(shown.state), ...Object.keys(now.state)])]
    .filter((_) => shown.state[_] !== now.state[_])
    .map((_) => `the present state: '${_}' has changed`)
]

const quotaChanges = (shown: Preview["quota"], now: Preview["quota"]): ReadonlyArray<string> => {
  if (shown === notKnown || now === notKnown) return shown === now ? [] : ["the quotas"]
  return shown.flatMap((before) => {
    const after = now.find((_) => _.quota === before.quota)
    return after !== undefined && isSame(before, after)
      ? []
      : [`quota ${before.quota}: ${quotaText(before)}, now ${after === undefined ? notKnown : quotaText(after)}`]
  })
}

export const quotaText = ({ after, limit, used }: QuotaChange): string => `${used} before, ${after} after, of ${limit}`

export const priceText = ({ price }: Preview): string =>
  typeof price === "string" ? price : `${price.eur_per_hour} EUR`

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const fingerprint = (value: unknown): string =>
  createHash("sha256")
    .update(String(JSON.stringify(value, (name, inner: unknown) => (isIncidental(name) ? undefined : inner))))
    .digest("base64url")
    .slice(0, 22)
