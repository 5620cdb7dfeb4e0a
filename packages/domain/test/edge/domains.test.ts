import { assert, it } from "@effect/vitest"
import { createExposure } from "@portico/domain/edge/create"
import { showExposure } from "@portico/domain/edge/list"
import { removeExposure } from "@portico/domain/edge/remove"
import { verifyExposure } from "@portico/domain/edge/verify"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { DateTime, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { inTime, pass } from "@portico/testing/clock"
import { acmeAndGlobex, atAddress, exposed, otherIp, publishes, servedNames, withDomain } from "./edge.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { simulatedWith } from "@portico/testing/cloud/Simulated"

const beside = from(await seedOf(acmeAndGlobex))

const domain = "shop.example"
const theirs = { name: "shop", target: { address: otherIp, port: 80 }, domain }

const verified = (projectId: string, exposureId: string) => inTime(verifyExposure(projectId, exposureId))

/** An exposure with the domain, and its challenge published beside the others. */
const proved = Effect.fnUntraced(function* (projectId: string, request: Parameters<typeof exposed>[1]) {
  const made = yield* exposed(projectId, request)
  yield* publishes(domain, made.domain?.challenge.value ?? "")
  yield* verified(projectId, made.exposure_id)
  return made
})

it.effect("a domain is served when its record exists, and not before", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const made = yield* exposed(acme, withDomain)
      const { challenge } = made.domain ?? {}
      assert.match(challenge?.value ?? "", /^ig1-[0-9a-f]{40}$/)
      assert.deepStrictEqual(made.domain, {
        name: domain,
        state: "pending",
        challenge: { name: "_ig1-challenge.shop.example.", type: "TXT", value: challenge?.value ?? "" },
        claimed_at: DateTime.formatIso(now),
        expires_at: DateTime.formatIso(DateTime.addDuration(now, Duration.hours(72)))
      })
      assert.deepStrictEqual(yield* servedNames, [made.hostname])
      yield* pass(20)
      const waiting = yield* showExposure(acme, made.exposure_id)
      assert.deepInclude(waiting, {
        state: "pending",
        reason: `Its domain is not verified: publish the TXT record of domain.challenge, then send POST /v1/edge/exposures/${made.exposure_id}/verify.`,
        url: `https://${made.hostname}`
      })

      const nothing = yield* verified(acme, made.exposure_id)
      const checked_at = DateTime.formatIso(yield* DateTime.now)
      const { check, ...unchanged } = nothing
      assert.deepStrictEqual(unchanged, waiting)
      assert.deepStrictEqual(check, { name: "_ig1-challenge.shop.example.", records: 0, proved: false, checked_at })

      yield* publishes(domain, "something-of-somebody-else", `${challenge?.value}0`)
      const others = yield* verified(acme, made.exposure_id)
      assert.deepInclude(others.check, { records: 2, proved: false })
      assert.notInclude(JSON.stringify(others), "something-of-somebody-else")
      assert.deepStrictEqual(yield* servedNames, [made.hostname])

      yield* publishes(domain, "something-of-somebody-else", challenge?.value ?? "")
      const good = yield* verified(acme, made.exposure_id)
      assert.deepInclude(good, {
        state: "pending",
        reason: "The edge has not taken its route yet.",
        url: "https://shop.example"
      })
      assert.deepInclude(good.check, { records: 2, proved: true })
      assert.deepInclude(good.domain, { state: "verified", expires_at: null })
      assert.deepStrictEqual(yield* servedNames, [domain, made.hostname].toSorted())
      yield* pass(20)
      assert.strictEqual((yield* showExposure(acme, made.exposure_id)).state, "active")

      // Once is enough, whatever becomes of the record.
      yield* publishes(domain)
      const again = yield* verified(acme, made.exposure_id)
      assert.deepInclude(again, { state: "active", check: null })
    })
  )
)

it.effect("failing name servers decide nothing about a domain", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const made = yield* exposed(acme, withDomain)
      yield* publishes(domain, made.domain?.challenge.value ?? "")
      yield* cloud.fault({
        service: "resolver",
        method: "GET",
        path: "**",
        times: "always",
        when: "before",
        as: "reset"
      })
      assert.strictEqual((yield* Effect.flip(verified(acme, made.exposure_id)))._tag, "BadGateway")
      yield* cloud.clearFaults
      assert.strictEqual((yield* verified(acme, made.exposure_id)).check?.proved, true)
    })
  )
)

it.effect("verifying an exposure without a domain is refused", () =>
  beside(({ acme }) =>
    Effect.gen(function* () {
      const made = yield* exposed(acme, atAddress)
      assert.deepInclude(yield* Effect.flip(verified(acme, made.exposure_id)), {
        _tag: "Unprocessable",
        code: "exposure_without_domain"
      })
    })
  )
)

it.effect("a domain is stored in one spelling, and the platform's own names are refused", () =>
  Effect.gen(function* () {
    const { acme } = yield* acmeAndGlobex
    const of = (name: string) => exposed(acme, { ...withDomain, domain: name })
    const inside = "The domain cannot be exposed: it lies within the platform's own names"
    for (const name of [
      "edge.portico.example",
      "x.edge.portico.example",
      "a.b.EDGE.portico.example.",
      "platform.example",
      "www.Platform.example"
    ]) {
      assert.deepInclude(yield* Effect.flip(of(name)), { code: "exposure_domain_refused", detail: inside }, name)
    }
    assert.deepInclude(yield* Effect.flip(of("xn--a.example")), {
      code: "exposure_domain_refused",
      detail: "The domain cannot be exposed: one of its labels is not the xn-- form of any name"
    })
    for (const [name, kept] of [
      ["Shop.EXAMPLE.", "shop.example"],
      ["notedge.portico.example", "notedge.portico.example"],
      ["myplatform.example", "myplatform.example"],
      ["xn--mnchen-3ya.example", "xn--mnchen-3ya.example"]
    ] as const) {
      const made = yield* of(name)
      assert.strictEqual(made.domain?.name, kept)
      yield* inTime(removeExposure(acme, made.exposure_id))
    }
  }).pipe(Effect.provide(simulatedWith({ PLATFORM_DNS_ZONES: "platform.example., Other.example" })))
)

it.effect("the first claim wins without showing its owner, and yields if it is not proved in time", () =>
  beside(({ acme, globex }) =>
    Effect.gen(function* () {
      const first = yield* exposed(acme, withDomain)
      const refused = yield* Effect.flip(exposed(globex, theirs))
      assert.deepStrictEqual(
        [refused._tag, refused.code, refused.detail],
        ["Conflict", "domain_claimed", "The domain is claimed already and cannot be claimed now"]
      )
      assert.deepInclude(yield* Effect.flip(exposed(acme, { ...withDomain, name: "second" })), {
        code: "domain_in_use",
        detail: "The domain 'shop.example' is another exposure's of the tenant"
      })
      yield* TestClock.adjust("73 hours")
      const second = yield* exposed(globex, theirs)
      assert.isNull(second.domain?.expires_at)
      assert.notStrictEqual(second.domain?.challenge.value, first.domain?.challenge.value)

      // Whoever has the name has published one of the two.
      yield* publishes(domain, second.domain?.challenge.value ?? "")
      assert.strictEqual((yield* verified(acme, first.exposure_id)).check?.proved, false)
      assert.strictEqual((yield* verified(globex, second.exposure_id)).check?.proved, true)
      yield* publishes(domain, second.domain?.challenge.value ?? "", first.domain?.challenge.value ?? "")
      assert.strictEqual((yield* Effect.flip(verified(acme, first.exposure_id))).code, "domain_claimed")
      assert.deepStrictEqual(yield* servedNames, [domain, first.hostname, second.hostname].toSorted())
    })
  )
)

it.effect("repeated claims cannot block a name", () =>
  beside(({ acme, globex }) =>
    Effect.gen(function* () {
      const first = yield* exposed(acme, withDomain)
      yield* inTime(removeExposure(acme, first.exposure_id))
      const again = yield* exposed(acme, withDomain)
      assert.isNull(again.domain?.expires_at)
      yield* proved(globex, theirs)
    })
  )
)

it.effect("a verified domain is its tenant's until its exposure is removed, and then free at once", () =>
  beside(({ acme, globex }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const first = yield* proved(acme, withDomain)
      yield* TestClock.adjust("100 days")
      assert.strictEqual((yield* Effect.flip(exposed(globex, theirs))).code, "domain_claimed")
      // As long as its route may be there it is not.
      yield* cloud.fault({
        service: "kubernetes",
        method: "DELETE",
        path: "**",
        times: "always",
        when: "before",
        as: { status: 503 }
      })
      assert.strictEqual((yield* Effect.flip(inTime(removeExposure(acme, first.exposure_id))))._tag, "BadGateway")
      assert.strictEqual((yield* Effect.flip(exposed(globex, theirs))).code, "domain_claimed")
      assert.strictEqual((yield* Effect.flip(exposed(acme, withDomain))).code, "concurrent_change")
      yield* cloud.clearFaults
      yield* inTime(removeExposure(acme, first.exposure_id))
      yield* proved(globex, theirs)
    })
  )
)

it.effect("a domain whose holder removed its record passes to its prover, and is never served twice", () =>
  beside(({ acme, globex }) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const first = yield* proved(acme, withDomain)
      const [mine = ""] = [first.domain?.challenge.value]
      assert.strictEqual((yield* Effect.flip(exposed(globex, theirs))).code, "domain_claimed")
      // Who cannot tell whether the record is there says no.
      yield* cloud.fault({
        service: "resolver",
        method: "GET",
        path: "**",
        times: "always",
        when: "before",
        as: "reset"
      })
      assert.strictEqual((yield* Effect.flip(exposed(globex, theirs))).code, "domain_claimed")
      yield* cloud.clearFaults

      yield* publishes(domain)
      const bought = yield* exposed(globex, theirs)
      assert.isNull(bought.domain?.expires_at)
      // A claim alone takes nothing away.
      assert.include(yield* servedNames, domain)
      yield* publishes(domain, mine, bought.domain?.challenge.value ?? "")
      assert.strictEqual((yield* Effect.flip(verified(globex, bought.exposure_id))).code, "domain_claimed")
      yield* publishes(domain, bought.domain?.challenge.value ?? "")
      assert.strictEqual((yield* verified(globex, bought.exposure_id)).domain?.state, "verified")
      assert.deepStrictEqual(yield* servedNames, [domain, first.hostname, bought.hostname].toSorted())
      const before = yield* showExposure(acme, first.exposure_id)
      assert.deepInclude(before.domain, { state: "pending" })
      assert.strictEqual(before.url, `https://${first.hostname}`)
    })
  )
)

it.effect("of two concurrent claims of a name one succeeds, and of two proofs too", () =>
  beside(({ acme, globex }) =>
    Effect.gen(function* () {
      const both = [createExposure(acme, withDomain), createExposure(globex, theirs)].map(Effect.exit)
      const claims = yield* inTime(Effect.all(both, { concurrency: 2 }))
      assert.lengthOf(
        claims.filter((_) => _._tag === "Success"),
        1
      )
      yield* TestClock.adjust("73 hours")
      const { exposures } = yield* Memory
      const loser = [...exposures.values()].some((_) => _.project_id === acme)
        ? { projectId: globex, request: theirs }
        : { projectId: acme, request: withDomain }
      yield* exposed(loser.projectId, loser.request)
      const { edgeClaims } = yield* Memory
      yield* publishes(domain, ...[...edgeClaims.values()].map((_) => _.challenge))
      const proofs = yield* inTime(
        Effect.all(
          [...exposures.values()].map((_) => Effect.exit(verifyExposure(_.project_id, _.exposure_id))),
          { concurrency: 2 }
        )
      )
      assert.lengthOf(
        proofs.filter((_) => _._tag === "Success"),
        1
      )
      assert.lengthOf(
        (yield* servedNames).filter((_) => _ === domain),
        1
      )
    })
  )
)
