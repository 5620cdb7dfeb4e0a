import { assert } from "@effect/vitest"
import { tierOf } from "@portico/contract/Access"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { Tap } from "../harness/Tap.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import type { Spelling, Who } from "./Spelling.ts"

/** How a row is sent: the path below /v1/iaas as the client spells it, and how it says who it is. */
export interface Way {
  readonly planes: ReadonlyArray<Plane>
  spelled(path: string): string
  proof(token: string): Readonly<Record<string, string>>
}

/** As every client of the gateway does. */
export const bearer: Way = { planes, spelled: (_) => _, proof: (token) => ({ authorization: `Bearer ${token}` }) }

/** Whoever may send a row: the token, and whether its tier allows the method. */
const senders = Effect.fnUntraced(function* (who: Who, method: string) {
  const { acme, customerAdmin } = yield* Cast
  if (who === "operator") return [{ token: operator, tier: 2 }]
  if (who === "person") return [{ token: customerAdmin, tier: 2 }]
  return acme.tokens.map((token, tier) => ({ token, tier })).filter((_) => _.tier >= tierOf(method))
})

/** Sends a row as everybody who may, and holds its fate to what the row expects. */
export const sent = Effect.fnUntraced(function* (row: Spelling, way: Way) {
  const { call } = yield* TestGateway
  const tap = yield* Tap
  const path = `/v1/iaas${way.spelled(row.path)}${row.query === undefined ? "" : `?${row.query}`}`
  for (const who of row.who) {
    for (const { tier, token } of yield* senders(who, row.method)) {
      // An administrator is one on the operator plane alone.
      for (const plane of way.planes.filter((_) => _ === "operator" || who !== "operator")) {
        yield* tap.forget
        const type = row.body === undefined ? {} : { "content-type": "application/json" }
        const answer = yield* call(plane, row.method, path, {
          headers: { ...type, ...row.headers, ...way.proof(token) },
          body: row.body === undefined ? undefined : JSON.stringify(row.body)
        })
        const forwarded = (yield* tap.seen).filter((_) => _.method === row.method && !/^\/(identity|idp)\//.test(_.url))
        const told = `${row.method} ${path} (${row.what}) of ${who} ${tier} on ${plane}: ${answer.status} ${answer.text}`
        if (row.expect === "allowed") {
          assert.isAbove(forwarded.length, 0, told)
          assert.notInclude(forwarded.at(-1)?.url, "allow_ssh_from_anywhere")
        } else {
          // A rule may have looked something up, but what was asked for did not go on.
          assert.strictEqual(jsonOf(answer).code, row.expect, told)
          assert.deepStrictEqual(
            forwarded.filter((_) => row.method !== "GET" || _.url.endsWith(belowService(row.path))).map((_) => _.url),
            [],
            told
          )
        }
      }
    }
  }
})

/** The path as it ends upstream, where the service is a part of the address. */
const belowService = (path: string): string => path.slice(path.indexOf("/", 1))
