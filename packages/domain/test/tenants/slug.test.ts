import { assert, describe, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { slugOf } from "@portico/domain/tenants/slug"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { inTime } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"

describe("a name becomes its slug", () => {
  it.effect.each([
    ["Acme GmbH", "acme-gmbh"],
    ["  Acme   GmbH & Co. KG ", "acme-gmbh-co-kg"],
    ["Straße 7", "strasse-7"],
    ["STRAẞE", "strasse"],
    ["Ærø Øl", "aero-ol"],
    ["Crème Brûlée", "creme-brulee"],
    ["Cre\u0300me", "creme"],
    ["Łódź", "lodz"],
    ["Þór", "thor"],
    ["İstanbul ısı", "istanbul-isi"],
    ["Ａｃｍｅ", "acme"],
    ["𝐀cme", "acme"],
    ["№ 7", "no-7"],
    ["ﬁne", "fine"],
    ["東京 Lab", "lab"],
    ["a_b.c/d", "a-b-c-d"],
    ["--acme--", "acme"],
    ["42", "42"],
    ["x".repeat(40), "x".repeat(40)],
    ["x".repeat(200), "x".repeat(40)],
    [`${"x".repeat(39)} y`, "x".repeat(39)],
    ["Administration", "administration"]
  ] as const)("%s: %s", ([name, slug]) => Effect.map(slugOf(name), (_) => assert.strictEqual(_, slug)))
})

describe("a name without a slug is refused", () => {
  it.effect.each(["東京", "Ω", "a", "!", "-a-", "🙂🙂"])("%s", (name) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(slugOf(name))
      assert.deepStrictEqual(
        [refused._tag, refused.code, refused.detail],
        [
          "Unprocessable",
          "unusable_name",
          "No slug can be made from this name: at least 2 letters a-z or digits have to remain. " +
            "Set tenant_name to a name that has them."
        ]
      )
    })
  )
})

describe("a reserved name is refused", () => {
  it.effect.each([
    ["Admin", "admin"],
    ["  system ", "system"],
    ["Kube System", "kube-system"],
    ["Défault", "default"],
    ["ＲＯＯＴ", "root"]
  ] as const)("%s", ([name, slug]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(slugOf(name))
      assert.strictEqual(refused.detail, `The name '${slug}' is reserved. Set tenant_name to another one.`)
    })
  )
})

it.effect("two names with one slug conflict, and tenant_name resolves it", () =>
  Effect.gen(function* () {
    yield* inTime(onboard({ name: "Müller & Söhne", tier: "discovery" }))
    const clash = { name: "MULLER SOHNE", tier: "discovery" } as const
    const refused = yield* Effect.flip(onboard(clash))
    assert.deepStrictEqual(
      [refused._tag, refused.detail],
      [
        "Conflict",
        "Organisation name 'MULLER SOHNE' is taken; send the request again with tenant_name set to a free name"
      ]
    )
    const { tenant } = yield* inTime(onboard({ ...clash, tenant_name: "Muller Sohne II" }))
    assert.deepInclude(tenant, { slug: "muller-sohne-ii", project_name: "muller-sohne-ii" })
    const again = yield* Effect.flip(onboard({ ...clash, tenant_name: "Muller Sohne II" }))
    assert.include(again.detail, "'Muller Sohne II'")
  }).pipe(Effect.provide(Simulated))
)

it.effect("a refused name makes no upstream call", () =>
  Effect.gen(function* () {
    yield* Effect.flip(onboard({ name: "東京", tier: "discovery" }))
    assert.deepStrictEqual(yield* (yield* SimulatedCloud).calls, [])
  }).pipe(Effect.provide(Simulated))
)
