import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { forwardedHeaders } from "../../src/proxy/headers.ts"
import { patience, runs } from "./compared.ts"
import { claimNames, foldings, meaning, ordinaryHeaders } from "./headers.ts"
import { mostly } from "./spelled.ts"

type Header = readonly [name: string, value: string]

/** A name in capitals, with hyphens for low lines or the other way round, or with what stands for either. */
const respelled = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.nat({ max: 9 }), { minLength: name.length, maxLength: name.length })
    .map((turns) => [...name].map((letter, i) => spelledAs(letter, turns[i] ?? 0)).join(""))

const spelledAs = (letter: string, turn: number): string => {
  if (letter === "-") return turn < 5 ? "-" : turn < 9 ? "_" : "."
  return turn < 3 ? letter.toUpperCase() : letter
}

const claims: fc.Arbitrary<Header> = fc.tuple(
  fc.constantFrom(...claimNames).chain(respelled),
  fc.constantFrom("admin", "true", "00000000000000000000000000000001", "close", "")
)
const ordinary: fc.Arbitrary<Header> = fc
  .tuple(fc.constantFrom(...ordinaryHeaders), fc.boolean())
  .map(([[name, value], capitals]): Header => [
    capitals ? name.replace(/\b[a-z]/g, (_) => _.toUpperCase()) : name,
    value
  ])
const connections: fc.Arbitrary<Header> = fc
  .tuple(
    fc.constantFrom("Connection", "connection"),
    fc.array(
      fc.constantFrom("keep-alive", "close", "Upgrade", "x-customer-trace", "X-CUSTOMER-TRACE ", "te", "Accept", ""),
      { minLength: 1, maxLength: 3 }
    )
  )
  .map(([name, named]): Header => [name, named.join(", ")])

const requests = fc.array(mostly(fc.oneof(claims, ordinary), connections), { maxLength: 12 })

const isType = (name: string): boolean => name.toLowerCase() === "content-type"

/** As the server hands it over: several ones as a list. */
const connectionOf = (headers: ReadonlyArray<Header>): string | undefined => {
  const values = headers.filter(([name]) => name.toLowerCase() === "connection").map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(", ")
}

const forwarded = (headers: ReadonlyArray<Header>): ReadonlyArray<Header> => {
  const raw = forwardedHeaders(headers.flat(), connectionOf(headers))
  return raw.flatMap((_, i): ReadonlyArray<Header> => (i % 2 === 0 ? [[_, raw[i + 1] ?? ""]] : []))
}

describe("forwarded headers", () => {
  for (const [name, folding] of foldings) {
    it(`carry no claims or connection headers, with names matched ${name}`, patience, () => {
      const counts = { claims: 0, ordinary: 0 }
      const parameters = runs(3_000)
      fc.assert(
        fc.property(requests, (headers) => {
          for (const [sent] of headers) counts[meaning(folding(sent)) === undefined ? "ordinary" : "claims"]++
          for (const [sent] of forwarded(headers)) {
            assert.isUndefined(meaning(folding(sent)), `${sent} is read as ${folding(sent)}`)
          }
        }),
        parameters
      )
      assert.isAbove(counts.claims, parameters.numRuns)
      assert.isAbove(counts.ordinary, parameters.numRuns)
    })
  }

  it("contain no administrator's switch of the dns service", () => {
    for (const name of ["OpenStack-DNS-Hide-Counts", "openstack_dns_hide_counts"]) {
      assert.deepStrictEqual(forwarded([[name, "true"]]), [])
    }
  })

  for (const [name, folding] of foldings) {
    it(`have one content type, the one the rules read, with names matched ${name}`, patience, () => {
      const types = fc.tuple(
        fc.constantFrom("Content-Type", "content-type", "Content_Type", "content.type", "CONTENT-TYPE"),
        fc.constantFrom("application/json", "application/x-www-form-urlencoded", "text/plain")
      )
      const naming = fc.constant<Header>(["Connection", "close, Content-Type"])
      fc.assert(
        fc.property(fc.array(mostly(types, fc.oneof(ordinary, naming), 2), { maxLength: 6 }), (headers) => {
          // Node shows the first of them.
          const shown = headers.find(([name]) => isType(name))?.[1]
          const read = forwarded(headers).filter(([name]) => isType(folding(name)))
          assert.deepStrictEqual(
            read.map(([, value]) => value),
            shown === undefined ? [] : [shown]
          )
        }),
        runs(2_000)
      )
    })
  }

  it("exclude those that the connection names", patience, () => {
    fc.assert(
      fc.property(requests, (headers) => {
        const named = (connectionOf(headers) ?? "").split(",").map((_) => _.trim().toLowerCase())
        for (const [sent] of forwarded(headers)) assert.notInclude(named, sent.toLowerCase())
      }),
      runs(2_000)
    )
  })

  it("include all ordinary ones, unchanged and in order", patience, () => {
    fc.assert(
      fc.property(requests, (headers) => {
        const named = (connectionOf(headers) ?? "").split(",").map((_) => _.trim().toLowerCase())
        const kept = headers
          .filter(
            ([name]) =>
              ordinaryHeaders.some(([ordinary]) => ordinary === name.toLowerCase()) &&
              !named.includes(name.toLowerCase())
          )
          .filter(([name], i, all) => !isType(name) || all.findIndex(([_]) => isType(_)) === i)
        const onward = forwarded(headers).filter(([name]) =>
          ordinaryHeaders.some(([ordinary]) => ordinary === name.toLowerCase())
        )
        assert.deepStrictEqual(onward, kept)
      }),
      runs(2_000)
    )
  })
})
