import { assert, describe, it } from "@effect/vitest"
import { SharedTable } from "@portico/domain/limits/SharedTable"

describe("a table in shared memory", () => {
  it("has one row for each key, which every thread finds", () => {
    const memory = SharedTable.memory(100, 3)
    const [one, other] = [new SharedTable(memory, 3), new SharedTable(memory, 3)]
    const keys = Array.from({ length: 50 }, (_, index) => `key-${index}`)
    const places = keys.map((_) => one.find(_) ?? assert.fail(`${_} has no row`))
    assert.strictEqual(new Set(places).size, keys.length)
    assert.deepStrictEqual(
      keys.map((_) => other.find(_)),
      places
    )
    for (const place of places) assert.strictEqual(place % 2, 0)
    for (const [index, place] of places.entries()) one.cells.set([index, index, index], place)
    assert.deepStrictEqual(
      keys.map((_) => other.find(_)),
      places
    )
    for (const [index, place] of places.entries()) {
      assert.deepStrictEqual([...other.cells.subarray(place, place + 3)], [index, index, index])
    }
  })

  it("clears one number of every key, and no other", () => {
    const table = new SharedTable(SharedTable.memory(10, 3), 3)
    const places = ["a", "b"].map((_) => table.find(_) ?? assert.fail(`${_} has no row`))
    for (const place of places) table.cells.set([1, 2, 3], place)
    table.clear(1)
    for (const place of places) assert.deepStrictEqual([...table.cells.subarray(place, place + 3)], [1, 0, 3])
    assert.deepStrictEqual([table.find("a"), table.find("b")], places)
  })

  it("keeps its rows and takes no new key when it is full", () => {
    const memory = SharedTable.memory(4, 1)
    const table = new SharedTable(memory, 1)
    const places = ["a", "b", "c", "d"].map((_) => table.find(_))
    assert.notInclude(places, undefined)
    assert.isUndefined(table.find("e"))
    assert.deepStrictEqual(
      ["a", "b", "c", "d"].map((_) => new SharedTable(memory, 1).find(_)),
      places
    )
  })

  it("takes over the lock of a thread that ended while holding it", () => {
    const memory = SharedTable.memory(4, 1)
    const [ended, table] = [new SharedTable(memory, 1), new SharedTable(memory, 1)]
    const place = ended.find("a") ?? assert.fail("no row")
    const seen = ended.exclusively(place, () => table.exclusively(place, () => "changed"))
    assert.strictEqual(seen, "changed")
    assert.strictEqual(
      table.exclusively(place, () => "again"),
      "again"
    )
  })
})
