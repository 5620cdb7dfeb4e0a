import { databaseLimits } from "@portico/contract/Databases"
import { assert, describe, test } from "vitest"
import { ceilings, checksOf, wholeOf } from "../../src/databases/arithmetic.ts"
import { momentAt, momentOf, localOf, slotOf, slots } from "../../src/databases/moments.ts"

const rooms = { gigabytes: { used: 80, limit: 100 }, claims: { used: 6, limit: 8 } }

describe("the arithmetic of a new database", () => {
  test("has the ceilings of the contract", () => {
    assert.deepStrictEqual(ceilings, { instance: databaseLimits.size_gb, database: databaseLimits.total_gb })
  })

  test("fits up to the limit itself, and not one GiB or one volume beyond", () => {
    const fitting = (size_gb: number, replicas: number) =>
      checksOf({ size_gb, replicas }, rooms)
        .filter((_) => !_.fits)
        .map((_) => _.limitOf)
    assert.deepStrictEqual(fitting(10, 2), [])
    assert.deepStrictEqual(fitting(21, 1), ["storage"])
    assert.deepStrictEqual(fitting(1, 3), ["volumes"])
    assert.deepStrictEqual(fitting(251, 3), ["instance", "database", "storage", "volumes"])
  })

  test("counts only what a change adds, and passes what does not grow in a full project", () => {
    const full = { gigabytes: { used: 100, limit: 100 }, claims: { used: 8, limit: 8 } }
    const checks = checksOf({ size_gb: 10, replicas: 1 }, full, { size_gb: 10, replicas: 2 })
    assert.isTrue(checks.every((_) => _.fits))
    assert.deepInclude(checks[2], { adds: -10, after: 90 })
  })

  test("does not refuse a use that could not be counted", () => {
    const [, , storage] = checksOf({ size_gb: 10, replicas: 1 }, { ...rooms, gigabytes: { used: null, limit: 100 } })
    assert.deepInclude(storage, { after: undefined, fits: true })
  })

  test("takes whole numbers alone", () => {
    assert.deepStrictEqual(["12", " 7 ", "1.5", "-3", "x", ""].map(wholeOf), [12, 7, 0, 0, 0, 0])
  })
})

describe("the recovery window", () => {
  const window = { earliest: "2026-01-01T00:00:00.500Z", latest: "2026-01-02T00:00:00.500Z" }

  test("has its own ends at the ends of the slider, and whole seconds between", () => {
    assert.strictEqual(momentAt(window, 0), window.earliest)
    assert.strictEqual(momentAt(window, slots), window.latest)
    assert.strictEqual(momentAt(window, slots / 2), "2026-01-01T12:00:00.000Z")
  })

  test("is never left by a moment of the slider", () => {
    const short = { earliest: "2026-01-01T00:00:00.500Z", latest: "2026-01-01T00:00:00.900Z" }
    assert.strictEqual(momentAt(short, 3), short.earliest)
  })

  test("finds the place of a moment again, and the nearest end for what is outside", () => {
    assert.strictEqual(slotOf(window, momentAt(window, 250)), 250)
    assert.strictEqual(slotOf(window, "2020-01-01T00:00:00Z"), 0)
    assert.strictEqual(slotOf(window, "2030-01-01T00:00:00Z"), slots)
  })

  test("has the same second in the field of the person's time zone", () => {
    assert.strictEqual(momentOf(localOf("2026-07-01T10:20:30.000Z")), "2026-07-01T10:20:30.000Z")
    assert.isUndefined(momentOf(""))
    assert.strictEqual(localOf("nonsense"), "")
    // While somebody types the first digit of a year.
    assert.match(localOf("0002-06-01T12:00:00.000Z"), /^0002-06-01T/)
  })
})
