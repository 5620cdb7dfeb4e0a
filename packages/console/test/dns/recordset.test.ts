import { assert, test } from "vitest"
import { differenceOf, isSame, recordsIn, shortName, ttlIn } from "../../src/dns/recordset.ts"

test("the order of records makes no difference, their lifetime does", () => {
  assert.isTrue(isSame({ records: ["a", "b"], ttl: null }, { records: ["b", "a"], ttl: null }))
  assert.isFalse(isSame({ records: ["a"], ttl: null }, { records: ["a"], ttl: 60 }))
  assert.isFalse(isSame({ records: ["a"], ttl: null }, { records: ["a", "b"], ttl: null }))
})

test("a difference has what came, what went and the lifetimes", () => {
  assert.deepStrictEqual(differenceOf({ records: ["a", "b"], ttl: null }, { records: ["b", "c"], ttl: 60 }), {
    added: ["c"],
    removed: ["a"],
    ttl: [null, 60]
  })
})

test("a person enters one record a line, and an empty lifetime means the zone's", () => {
  assert.deepStrictEqual(recordsIn(" 192.0.2.1 \n\n192.0.2.2"), ["192.0.2.1", "192.0.2.2"])
  assert.strictEqual(ttlIn(" "), null)
  assert.strictEqual(ttlIn("60"), 60)
})

test("names are short inside their zone", () => {
  assert.strictEqual(shortName("www.example.org.", "example.org."), "www")
  assert.strictEqual(shortName("example.org.", "example.org."), "@")
  assert.strictEqual(shortName("notexample.org.", "example.org."), "notexample.org.")
})
