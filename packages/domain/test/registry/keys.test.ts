import { assert, describe, it } from "@effect/vitest"
import { sealWith } from "@portico/domain/seal"
import { SigningKeys } from "@portico/domain/registry/SigningKeys"
import { Memory } from "@portico/testing/store/Memory"
import { RegistryKeys } from "@portico/store/RegistryKeys"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { Config, ConfigProvider, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

const keysWith = (secret: string, accepted = "", days = "90") => {
  const settings = {
    TENANT_PASSWORD_KEY: secret,
    ACCEPTED_TENANT_PASSWORD_KEY: accepted,
    REGISTRY_KEY_DAYS: days
  }
  return SigningKeys.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))))
}

const Process = keysWith("one secret")
const Everything = Layer.provideMerge(Process, MemoryStore.layer)

/** The keys in the published set, by the letter under which a story knows them. */
const published = Effect.gen(function* () {
  return (yield* (yield* SigningKeys).published).keys.map((_) => _.kid)
})

const signing = Effect.gen(function* () {
  return (yield* (yield* SigningKeys).current).kid
})

const rotated = Effect.gen(function* () {
  yield* (yield* SigningKeys).rotate
  // What a replica has in mind of them is this old at most.
  yield* TestClock.adjust("30 seconds")
})

describe("the keys of registry tokens", () => {
  it.effect("the first one is created on the first request, by one of concurrent ones", () =>
    Effect.gen(function* () {
      const keys = yield* SigningKeys
      const other = yield* Layer.build(Layer.fresh(Process))
      yield* keys.rotate
      assert.deepStrictEqual(yield* (yield* RegistryKeys).list, [])
      const asked = [signing, Effect.provide(signing, other), signing, Effect.provide(signing, other)]
      const kids = yield* Effect.all(asked, { concurrency: "unbounded" })
      assert.strictEqual(new Set(kids).size, 1)
      assert.deepStrictEqual(yield* published, [kids[0]])
      assert.deepStrictEqual(yield* Effect.provide(published, other), [kids[0]])
    }).pipe(Effect.provide(Everything))
  )

  it.effect("the next one is published a week before its use, and the last one for an hour after", () =>
    Effect.gen(function* () {
      const first = yield* signing
      yield* TestClock.adjust("82 days")
      yield* rotated
      assert.deepStrictEqual(yield* published, [first])
      yield* TestClock.adjust("1 day")
      yield* rotated
      yield* rotated
      const [, second] = yield* published
      assert.isDefined(second)
      assert.deepStrictEqual(yield* published, [first, second])
      yield* TestClock.adjust("6 days")
      yield* TestClock.adjust("23 hours")
      assert.strictEqual(yield* signing, first)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* signing, second)
      yield* rotated
      assert.deepStrictEqual(yield* published, [first, second])
      yield* TestClock.adjust("1 hour")
      yield* rotated
      assert.deepStrictEqual(yield* published, [second])
      yield* TestClock.adjust("82 days")
      yield* rotated
      assert.deepStrictEqual(yield* published, [second])
      yield* TestClock.adjust("2 days")
      yield* rotated
      assert.lengthOf(yield* published, 2)
    }).pipe(Effect.provide(Everything))
  )

  it.effect("a gateway that slept past the change still publishes the next one for a week", () =>
    Effect.gen(function* () {
      const first = yield* signing
      yield* TestClock.adjust("400 days")
      assert.strictEqual(yield* signing, first)
      yield* rotated
      assert.lengthOf(yield* published, 2)
      yield* TestClock.adjust("6 days")
      assert.strictEqual(yield* signing, first)
      yield* TestClock.adjust("1 day")
      assert.notStrictEqual(yield* signing, first)
    }).pipe(Effect.provide(Everything))
  )

  it.effect("of two replicas that rotate at once, one makes the next key", () =>
    Effect.gen(function* () {
      yield* signing
      const other = yield* Layer.build(Layer.fresh(Process))
      yield* TestClock.adjust("83 days")
      const rotate = Effect.flatMap(SigningKeys, (_) => _.rotate)
      yield* Effect.all([rotate, Effect.provide(rotate, other)], { concurrency: "unbounded" })
      yield* Effect.all([rotate, Effect.provide(rotate, other)], { concurrency: "unbounded" })
      assert.lengthOf(yield* (yield* RegistryKeys).list, 2)
    }).pipe(Effect.provide(Everything))
  )

  it.effect("with another secret a new one signs at once, and the old one still verifies", () =>
    Effect.gen(function* () {
      const first = yield* signing
      const other = yield* Layer.build(Layer.fresh(keysWith("another secret")))
      const second = yield* Effect.provide(signing, other)
      assert.notStrictEqual(second, first)
      assert.sameMembers(yield* Effect.provide(published, other), [first, second])
      yield* TestClock.adjust("1 hour")
      yield* Effect.provide(rotated, other)
      assert.deepStrictEqual(yield* Effect.provide(published, other), [second])
    }).pipe(Effect.provide(Everything))
  )

  it.effect("while the platform's keys rotate the same one signs, and is sealed anew", () =>
    Effect.gen(function* () {
      const first = yield* signing
      const both = yield* Layer.build(Layer.fresh(keysWith("another secret", "one secret")))
      assert.strictEqual(yield* Effect.provide(signing, both), first)
      const reseal = Effect.flatMap(SigningKeys, (_) => _.reseal)
      assert.strictEqual(yield* reseal, 0)
      assert.strictEqual(yield* Effect.provide(reseal, both), 1)
      assert.strictEqual(yield* Effect.provide(reseal, both), 0)
      const alone = yield* Layer.build(Layer.fresh(keysWith("another secret")))
      assert.strictEqual(yield* Effect.provide(signing, alone), first)
      assert.deepStrictEqual(yield* Effect.provide(published, alone), [first])
    }).pipe(Effect.provide(Everything))
  )

  it.effect("REGISTRY_KEY_DAYS=1 replaces a key within a day, and the next one is published for half of it", () =>
    Effect.gen(function* () {
      const first = yield* signing
      yield* TestClock.adjust("10 days")
      const hasty = yield* Layer.build(Layer.fresh(keysWith("one secret", "", "1")))
      yield* Effect.provide(rotated, hasty)
      const [, second] = yield* published
      assert.isDefined(second)
      assert.strictEqual(yield* signing, first)
      yield* TestClock.adjust("12 hours")
      assert.strictEqual(yield* signing, second)
      // With its former setting the next start waits for three months again.
      yield* TestClock.adjust("1 hour")
      yield* rotated
      assert.deepStrictEqual(yield* published, [second])
    }).pipe(Effect.provide(Everything))
  )

  it.effect("stored and published forms do not contain the private key", () =>
    Effect.gen(function* () {
      const { key } = yield* (yield* SigningKeys).current
      const { d = "", dp = "", dq = "", p = "", q = "", qi = "" } = key.export({ format: "jwk" })
      const texts = JSON.stringify([[...(yield* Memory).registryKeys.values()], yield* (yield* SigningKeys).published])
      for (const secret of [d, dp, dq, p, q, qi]) assert.notInclude(texts, secret)
      assert.notInclude(texts, key.export({ format: "der", type: "pkcs8" }).toString("base64url").slice(40))
      const [shown] = (yield* (yield* SigningKeys).published).keys
      assert.deepStrictEqual(Object.keys(shown ?? {}).toSorted(), ["alg", "e", "kid", "kty", "n", "use", "x5c"])
    }).pipe(Effect.provide(Everything))
  )

  for (const [name, value] of [
    ["REGISTRY_KEY_DAYS", "0"],
    ["REGISTRY_KEY_DAYS", "soon"],
    ["REGISTRY_KEY_AHEAD_DAYS", "-1"]
  ] as const) {
    it.effect(`${name}=${value} stops the start`, () =>
      Effect.gen(function* () {
        const settings = { TENANT_PASSWORD_KEY: "secret", [name]: value }
        const failure = yield* SigningKeys.layer.pipe(
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))),
          Layer.provide(MemoryStore.layer),
          Layer.build,
          Effect.flip
        )
        assert.instanceOf(failure, Config.ConfigError)
      })
    )
  }
})

describe("a seal", () => {
  const seal = sealWith([Redacted.make("secret")], "tests")
  const secret = Buffer.from("what nobody may read")

  it("opens its own output, and seals the same value differently each time", () => {
    const [one, two] = [seal.close("name", secret), seal.close("name", secret)]
    assert.notStrictEqual(one, two)
    for (const sealed of [one, two]) {
      assert.deepStrictEqual(seal.open("name", sealed), secret)
      assert.notInclude(Buffer.from(sealed, "base64url").toString("latin1"), "nobody")
    }
  })

  it("under two secrets opens either's output, and seals under the first", () => {
    const [one, other] = [Redacted.make("secret"), Redacted.make("another")]
    const both = sealWith([other, one], "tests")
    const sealed = seal.close("name", secret)
    assert.deepStrictEqual(both.open("name", sealed), secret)
    const renewed = both.renew("name", sealed)
    assert.isDefined(renewed)
    assert.deepStrictEqual(sealWith([other], "tests").open("name", renewed!), secret)
    assert.isUndefined(seal.open("name", renewed!))
    for (const nothing of [renewed!, "AAAA", ""]) assert.isUndefined(both.renew("name", nothing))
    assert.isUndefined(both.renew("another", sealed))
    assert.isUndefined(both.open("another", sealed))
  })

  it("does not open the output of another secret, purpose or name, or a changed one", () => {
    const sealed = seal.close("name", secret)
    assert.isUndefined(sealWith([Redacted.make("another")], "tests").open("name", sealed))
    assert.isUndefined(sealWith([Redacted.make("secret")], "others").open("name", sealed))
    assert.isUndefined(seal.open("another", sealed))
    const bytes = Buffer.from(sealed, "base64url")
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i] = (changed[i] ?? 0) ^ 1
      assert.isUndefined(seal.open("name", changed.toString("base64url")), `byte ${i}`)
    }
    for (const broken of ["", "AAAA", sealed.slice(0, 30)]) assert.isUndefined(seal.open("name", broken))
  })
})
