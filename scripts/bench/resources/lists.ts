import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, Schema } from "effect"
import { summaryOf } from "../numbers.ts"
import { database, gateway, simulatedCloud } from "../processes.ts"
import { millis, onboarded, send, unlimited } from "../requests.ts"
import { cell, type Part, ratio } from "../results.ts"
import { seed, type Size, type Tenant } from "./seed.ts"

const small: Size = { buckets: 10, zones: 10, databases: 2 }
const large: Size = { buckets: 1_000, zones: 1_000, databases: 200 }
const warmUps = 3
const rounds = 7

interface Kind {
  readonly what: keyof Size
  readonly path: string
}

const kinds: ReadonlyArray<Kind> = [
  { what: "buckets", path: "/v1/object-storage/buckets" },
  { what: "zones", path: "/v1/dns/zones?limit=1000" },
  { what: "databases", path: "/v1/databases" }
]

const Calls = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ service: Schema.String, method: Schema.String, path: Schema.String }))
)

const Counted = Schema.fromJsonString(Schema.Struct({ count: Schema.Int }))

/** A tenant that has so much. */
const tenantOf = Effect.fnUntraced(function* (
  size: Size,
  cloud: string,
  { customer, operator }: { readonly customer: string; readonly operator: string }
) {
  const tenant: Tenant = { customer, cloud, ...(yield* onboarded(cloud, operator, `Bench with ${size.buckets}`)) }
  yield* seed(tenant, size)
  return tenant
})

/** Lists once; anything but as many rows as there are is a defect. */
const list = Effect.fnUntraced(function* ({ customer, headers }: Tenant, { path, what }: Kind, size: Size) {
  const answer = yield* send("GET", `${customer}${path}`, 200, { headers })
  const { count } = yield* Schema.decodeUnknownEffect(Counted)(answer)
  if (count !== size[what]) return yield* Effect.die(new Error(`${path} has ${count} rows, and not ${size[what]}`))
})

/** The upstream calls of one list, by service. */
const callsOf = Effect.fnUntraced(function* (tenant: Tenant, kind: Kind, size: Size) {
  yield* send("DELETE", `${tenant.cloud}/cloud/calls`, 204)
  yield* list(tenant, kind, size)
  return yield* Effect.flatMap(send("GET", `${tenant.cloud}/cloud/calls`, 200), Schema.decodeUnknownEffect(Calls))
})

/** What a tenant with much of everything asks of the upstreams for its lists, and one with little. */
export const lists = Effect.gen(function* () {
  const cloud = yield* simulatedCloud
  const planes = yield* gateway({ ...gatewaySettings(cloud), ...unlimited, DATABASE_URL: yield* database })
  const few = yield* tenantOf(small, cloud, planes)
  const many = yield* tenantOf(large, cloud, planes)

  const measured = yield* Effect.forEach(
    kinds,
    Effect.fnUntraced(function* (kind) {
      const pair = Effect.all([millis(list(few, kind, small)), millis(list(many, kind, large))])
      yield* Effect.replicateEffect(pair, warmUps, { discard: true })
      const pairs = yield* Effect.replicateEffect(pair, rounds)
      const calls = { few: yield* callsOf(few, kind, small), many: yield* callsOf(many, kind, large) }
      return {
        kind,
        calls,
        few: pairs.map(([one]) => one),
        many: pairs.map(([, other]) => other)
      }
    })
  )

  const row = (values: ReadonlyArray<number>) => cell(summaryOf(values), 1)
  return {
    title: `Lists of ${large.buckets} buckets, ${large.zones} zones and ${large.databases} databases, and of ${small.buckets}, ${small.zones} and ${small.databases}`,
    rows: [
      ["", "calls, few", "calls, many", "ms, few", "ms, many"],
      ...measured.map(({ calls, few, kind, many }) => [
        kind.what,
        String(calls.few.length),
        String(calls.many.length),
        row(few),
        row(many)
      ])
    ],
    notes: measured.map(
      ({ calls, kind }) => `${kind.what}: ${calls.many.map((_) => `${_.service} ${_.method} ${_.path}`).join(", ")}`
    ),
    goals: measured.map(({ calls, kind }) => ({
      what: `upstream calls for many ${kind.what} by those for few`,
      measured: summaryOf(ratio([calls.many.length], [calls.few.length])),
      wanted: { atMost: 1 }
    })),
    numbers: Object.fromEntries(
      measured.map(({ calls, few, kind, many }) => [
        kind.what,
        {
          calls_few: calls.few.length,
          calls_many: calls.many.length,
          few_ms: summaryOf(few),
          many_ms: summaryOf(many)
        }
      ])
    )
  } satisfies Part
})
