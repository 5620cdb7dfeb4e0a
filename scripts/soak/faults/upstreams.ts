import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { Effect } from "effect"
import { request } from "undici"
import type { Evidence } from "../evidence.ts"
import type { SeededRandom } from "../random.ts"

/** By how often the gateway calls them. */
const services: ReadonlyArray<Fault["service"]> = [
  "keystone",
  "keystone",
  "nova",
  "nova",
  "neutron",
  "neutron",
  "neutron",
  "cinder",
  "cinder",
  "glance",
  "octavia",
  "designate",
  "barbican",
  "rgw",
  "rgw",
  "zitadel",
  "zitadel",
  "zitadel",
  "kubernetes",
  "kubernetes",
  "billing",
  "prometheus",
  "resolver"
]

/**
 * How a call fails. 500 is left out: a forwarded one would look like the gateway's own. A 409 is left out, because it
 * says something about the request, which no fault of the moment does.
 */
const kinds: ReadonlyArray<FaultKind> = [
  { status: 503 },
  { status: 503 },
  { status: 502 },
  { status: 504 },
  { status: 429 },
  { delay_ms: 300 },
  { delay_ms: 3_000 },
  "reset",
  "reset",
  "hang",
  "garbage"
]

const ask = (method: "POST" | "DELETE" | "GET", url: string, body?: unknown) =>
  Effect.tryPromise(async () => {
    const headers = { "content-type": "application/json" }
    const answer = await request(url, {
      method,
      ...(body === undefined ? {} : { headers, body: JSON.stringify(body) })
    })
    return await answer.body.text()
  }).pipe(Effect.orDie)

/** Rules for single calls, one every second or two, and now and then a service that is away or slow for seconds. */
export const upstreamFaults = (cloud: string, evidence: Evidence, random: SeededRandom) => {
  const faults = `${cloud}/cloud/faults`
  const single = Effect.suspend(() => {
    const rule: Fault = {
      service: random.pick(services),
      method: random.pick(["GET", "GET", "POST", "POST", "PUT", "PATCH", "DELETE"]),
      path: "**",
      nth: random.int(1, 3),
      times: random.int(1, 3),
      when: random.chance(0.5) ? "before" : "after",
      as: random.pick(kinds)
    }
    return ask("POST", faults, rule)
  })
  const outage = Effect.gen(function* () {
    const service = random.pick(services)
    const as = random.pick<FaultKind>([{ status: 503 }, "reset", { delay_ms: 2_000 }])
    const done = evidence.disturb("upstream", `${service} ${JSON.stringify(as)}`)
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      yield* ask("POST", faults, { service, method, path: "**", times: "always", when: "before", as })
    }
    yield* Effect.sleep(random.int(2_000, 8_000))
    yield* ask("DELETE", faults)
    done()
  })
  return Effect.forever(
    Effect.gen(function* () {
      for (let count = random.int(8, 20); count > 0; count--) {
        yield* single
        yield* Effect.sleep(random.int(300, 2_000))
      }
      yield* outage
    })
  ).pipe(Effect.ensuring(ask("DELETE", faults)))
}

/** How many calls were hit so far by the rules that are set. */
export const clearCalls = (cloud: string) => Effect.asVoid(ask("DELETE", `${cloud}/cloud/calls`))
