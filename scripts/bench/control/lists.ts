import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, Schema } from "effect"
import { summaryOf } from "../numbers.ts"
import { gateway, simulatedCloud } from "../processes.ts"
import { databases } from "../proxy/database.ts"
import { bearer, millis, onboarded, send, unlimited } from "../requests.ts"
import { cell, type Part, ratio } from "../results.ts"
import { seed, type Size } from "./seed.ts"

const small: Size = { tenants: 10, rows: 100 }
const large: Size = { tenants: 1_000, rows: 10_000 }
const page = 100
const warmUps = 100
const rounds = 7
/** Requests a round, of each kind to each store. */
const requests = 60
const goal = 1.5

const idOf = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ userId: Schema.String })))

/** People whom the identity provider knows: those of the first page, in either store. */
const peopleOf = (cloud: string) =>
  Effect.forEach(
    Array.from({ length: page }, (_, n) => n),
    Effect.fnUntraced(function* (n) {
      const email = `p${n}@bench.example`
      const made = yield* send("POST", `${cloud}/idp/management/v1/users/human/_import`, 200, {
        headers: bearer(fixtures.idp.serviceToken),
        body: { userName: email, profile: { firstName: "Person", lastName: String(n) }, email: { email } }
      })
      return (yield* idOf(made)).userId
    })
  )

/** What is asked, and whether an operator asks it of the tenant, or the tenant itself. */
interface Kind {
  readonly what: string
  readonly by: "operator" | "tenant"
  readonly path: (projectId: string, size: Size) => string
}

const kinds: ReadonlyArray<Kind> = [
  // It is for people, and a machine is none.
  {
    what: "the organisation list",
    by: "operator",
    path: (projectId) => `/v1/org/users?project_id=${projectId}&limit=${page}`
  },
  { what: "the credential list", by: "tenant", path: () => `/v1/credentials?limit=${page}` },
  { what: "the effective policy", by: "tenant", path: (_, { rows }) => `/v1/org/effective?ou=top.u${rows / 100 - 1}` }
]

/** A gateway with a store of this size, and what to ask it. */
const askedOf = Effect.fnUntraced(function* (size: Size, cloud: string, url: string, people: ReadonlyArray<string>) {
  const { customer, operator } = yield* gateway({ ...gatewaySettings(cloud), ...unlimited, DATABASE_URL: url })
  const { headers, projectId } = yield* onboarded(cloud, operator, `Bench with ${size.rows}`)
  yield* seed(url, projectId, people, size)
  return ({ by, path }: Kind) =>
    send("GET", `${by === "tenant" ? customer : operator}${path(projectId, size)}`, 200, {
      headers: by === "tenant" ? headers : bearer(fixtures.idp.operatorToken)
    })
})

/** The first page of each list in either store, one after the other, in turn. */
export const lists = Effect.gen(function* () {
  const cloud = yield* simulatedCloud
  const database = yield* databases
  const people = yield* peopleOf(cloud)
  const few = yield* askedOf(small, cloud, yield* database("bench_small"), people)
  const many = yield* askedOf(large, cloud, yield* database("bench_large"), people)

  const round = Effect.fnUntraced(function* (kind: Kind, requests: number) {
    const pairs = yield* Effect.replicateEffect(Effect.all([millis(few(kind)), millis(many(kind))]), requests)
    return {
      few: summaryOf(pairs.map(([one]) => one)).median,
      many: summaryOf(pairs.map(([, other]) => other)).median
    }
  })

  const measured = yield* Effect.forEach(
    kinds,
    Effect.fnUntraced(function* (kind) {
      yield* round(kind, warmUps)
      const medians = yield* Effect.replicateEffect(round(kind, requests), rounds)
      const [ones, others] = [medians.map((_) => _.few), medians.map((_) => _.many)]
      return {
        what: kind.what,
        few_ms: summaryOf(ones),
        many_ms: summaryOf(others),
        many_by_few: summaryOf(ratio(others, ones))
      }
    })
  )

  const store = ({ rows, tenants }: Size) => `${rows} rows of ${tenants} tenants, ms`
  return {
    title: `The first page of ${page}, medians of ${requests}, ${rounds} rounds`,
    rows: [
      ["", store(small), store(large)],
      ...measured.map(({ few_ms, many_ms, what }) => [what, cell(few_ms, 2), cell(many_ms, 2)])
    ],
    notes: [],
    goals: measured.map(({ many_by_few, what }) => ({ what, measured: many_by_few, wanted: { atMost: goal } })),
    numbers: Object.fromEntries(measured.map(({ what, ...numbers }) => [what, numbers]))
  } satisfies Part
})
