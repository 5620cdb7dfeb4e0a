import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { forwardedQuery } from "../../src/proxy/query.ts"
import { patience, runs } from "./compared.ts"
import { namesMethod, namesOddly, queryReaders, reachesBeyond } from "./query.ts"
import { mostly } from "./spelled.ts"

const own = "0123456789abcdef0123456789abcdef"
const foreign = "fedcba9876543210fedcba9876543210"

/** A key, some letters of it encoded or in capitals. */
const respelled = (key: string): fc.Arbitrary<string> =>
  mostly(
    fc.constant(key),
    fc
      .array(fc.nat({ max: 9 }), { minLength: key.length, maxLength: key.length })
      .map((turns) => [...key].map((letter, i) => spelledAs(letter, turns[i] ?? 0)).join("")),
    1
  )

const spelledAs = (letter: string, turn: number): string => {
  if (turn < 2) return `%${letter.charCodeAt(0).toString(16)}`
  if (turn === 2) return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
  return turn === 3 ? letter.toUpperCase() : letter
}

const special = fc.constantFrom("all_tenants", "all_projects", "edit_managed_records", "allow_ssh_from_anywhere")
const methodPair = fc
  .tuple(respelled("_method"), fc.constantFrom("=DELETE", "=put", "=POST", "=delete_one", "=%50UT", "", "="))
  .map((_) => _.join(""))
const naming = fc.constantFrom("project_id", "tenant_id")
const beside = fc.constantFrom("", "", "", "%20", "+", "%09", "%2520", "[]", "x", "?")
const projects = fc.constantFrom(
  own,
  own,
  foreign,
  "",
  own.toUpperCase(),
  `${own}%20`,
  `%30${own.slice(1)}`,
  `${own};x`
)

const specialPair = fc
  .tuple(beside, special.chain(respelled), beside, fc.constantFrom("", "=", "=1", "=true", "=0", "=false", "=%31"))
  .map((_) => _.join(""))
const namingPair = fc.tuple(naming.chain(respelled), projects).map(([key, value]) => `${key}=${value}`)
const ordinaryPair = fc.constantFrom(
  "limit=10",
  "marker=abc",
  "name=a%20b",
  "name=my+server",
  "fields=id",
  "fields=name",
  "tags=a,b",
  "q=%C3%A9",
  "sort_key=name",
  "router:external=true",
  "status",
  "name=",
  "",
  "changes-since=2022-01-01T00:00:00Z",
  "name=all_tenants",
  "name=100%25"
)

const pairs = fc.array(
  mostly(
    fc.oneof(
      { weight: 8, arbitrary: ordinaryPair },
      { weight: 2, arbitrary: specialPair },
      { weight: 2, arbitrary: namingPair },
      { weight: 1, arbitrary: methodPair }
    ),
    specialPair,
    19
  ),
  { maxLength: 5 }
)
const queries = fc
  .tuple(
    pairs,
    fc.array(mostly(fc.constant("&"), fc.constantFrom(";", "&&", "#", "&amp;", "%26"), 14), {
      minLength: 5,
      maxLength: 5
    })
  )
  .map(([pairs, separators]) => pairs.map((_, i) => (i === 0 ? _ : `${separators[i]}${_}`)).join(""))

const services = fc.constantFrom("compute", "network", "volume", "image", "dns", "load-balancer", "key-manager")
const call = (service: string, projectId: string | null) => ({
  method: "GET",
  service,
  segments: ["things"],
  projectId
})

const overrides: ReadonlySet<string> = new Set(["compute", "network"])

/** What any reader would take for more than a filter. */
const wanting = (query: string, service: string): ReadonlyArray<string> =>
  queryReaders.flatMap(({ name, read }) =>
    read(query)
      .filter(
        (_) => namesMethod(_) || reachesBeyond(own)(_) || (overrides.has(service) && _[0] === "allow_ssh_from_anywhere")
      )
      .map(([key, value]) => `${name} reads ${key}=${value}`)
  )

describe("a customer's query", () => {
  it("stays within the own project, for any reader", patience, () => {
    const counts = { refused: 0, changed: 0, same: 0 }
    const parameters = runs(4_000)
    fc.assert(
      fc.property(queries, services, (query, service) => {
        const onward = forwardedQuery(query, call(service, own))
        if (Result.isFailure(onward)) {
          counts.refused++
          assert.isAbove(onward.failure.detail.length, 10)
          return
        }
        counts[onward.success === query ? "same" : "changed"]++
        assert.deepStrictEqual(wanting(onward.success ?? "", service), [], `${query} went on as ${onward.success}`)
      }),
      parameters
    )
    for (const count of Object.values(counts)) assert.isAbove(count, parameters.numRuns / 20, JSON.stringify(counts))
  })

  it("is forwarded unchanged when it has no such parameter", patience, () => {
    let ordinary = 0
    const parameters = runs(4_000)
    fc.assert(
      fc.property(queries, services, (query, service) => {
        if (wanting(query, service).length > 0 || query.includes("#")) return
        if (queryReaders.some(({ read }) => read(query).some(namesOddly(own)))) return
        ordinary++
        assert.deepStrictEqual(forwardedQuery(query, call(service, own)), Result.succeed(query))
      }),
      parameters
    )
    assert.isAbove(ordinary, parameters.numRuns / 5)
  })

  it("keeps all other parameters when one is removed", patience, () => {
    fc.assert(
      fc.property(queries, services, (query, service) => {
        const onward = forwardedQuery(query, call(service, own))
        if (Result.isFailure(onward)) return
        const unwanted = (pair: string) => wanting(pair, service).length > 0
        const kept = query.split("&").filter((_) => !unwanted(_))
        assert.strictEqual(onward.success ?? "", kept.join("&"))
      }),
      runs(2_000)
    )
  })
})

describe("a query that names a method", () => {
  it("is refused as soon as any reader finds it, for any caller", patience, () => {
    let naming = 0
    const parameters = runs(4_000)
    fc.assert(
      fc.property(queries, services, fc.constantFrom(own, null), (query, service, projectId) => {
        if (!queryReaders.some(({ read }) => read(query).some(namesMethod))) return
        naming++
        assert.isTrue(Result.isFailure(forwardedQuery(query, call(service, projectId))), query)
      }),
      parameters
    )
    assert.isAbove(naming, parameters.numRuns / 20)
  })
})

describe("an administrator's query", () => {
  it("is forwarded unchanged, except parameters for the gateway", patience, () => {
    fc.assert(
      fc.property(queries, services, (query, service) => {
        const onward = forwardedQuery(query, call(service, null))
        if (Result.isFailure(onward)) return
        const said = (query: string | undefined) =>
          queryReaders.some(({ read }) => read(query ?? "").some(([key]) => key === "allow_ssh_from_anywhere"))
        if (overrides.has(service)) assert.isFalse(said(onward.success))
        if (!overrides.has(service) || !said(query)) assert.strictEqual(onward.success, query)
      }),
      runs(2_000)
    )
  })
})
