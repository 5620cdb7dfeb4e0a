import { assert, describe, it } from "@effect/vitest"
import { type Owner, Pace } from "@portico/gateway/overload/Pace"

const target = 100
const length = 100

/** A process that serves 100 calls in a window, and is late as soon as it has begun more. */
class Process {
  readonly pace = new Pace(target, 0)
  #now = 0
  #backlog = 0

  /** One window, in which the owners call one after the other. Returns how many calls of each owner were admitted. */
  window(asked: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
    const admitted: Record<string, number> = {}
    for (const [owner, calls] of Object.entries(asked)) {
      for (let nth = 0; nth < calls; nth++) {
        if (this.pace.admits(() => owner)) admitted[owner] = (admitted[owner] ?? 0) + 1
      }
    }
    const all = Object.values(admitted).reduce((a, b) => a + b, 0)
    const served = Math.min(100, this.#backlog + all)
    this.#backlog += all - served
    for (let nth = 0; nth < served; nth++) this.pace.ended()
    this.pace.turn((this.#now += length), this.#backlog * 10)
    return admitted
  }

  windows(count: number, asked: Readonly<Record<string, number>>) {
    const sums: Record<string, number> = {}
    for (let nth = 0; nth < count; nth++) {
      for (const [owner, calls] of Object.entries(this.window(asked))) sums[owner] = (sums[owner] ?? 0) + calls
    }
    return sums
  }
}

describe("the pace of a process", () => {
  it("refuses nothing while the event loop is in time, and never asks whose calls they are", () => {
    const pace = new Pace(target, 0)
    const asked: Array<Owner> = []
    for (let turn = 1; turn < 50; turn++) {
      for (let nth = 0; nth < 1_000; nth++) assert.isTrue(pace.admits(() => void asked.push("acme")))
      pace.turn(turn * length, target)
    }
    assert.deepStrictEqual(asked, [])
  })

  it("refuses nothing for a late window or two, as at a start", () => {
    const pace = new Pace(target, 0)
    for (let turn = 1; turn < 50; turn++) {
      pace.turn(turn * length, turn % 3 === 0 ? 0 : 5_000)
      assert.isFalse(pace.isLimiting)
    }
  })

  it("refuses none of a few calls, however late the loop is", () => {
    const pace = new Pace(target, 0)
    for (let turn = 1; turn < 50; turn++) {
      for (let nth = 0; nth < 10; nth++) assert.isTrue(pace.admits(() => "acme"))
      pace.turn(turn * length, 5_000)
    }
  })

  it("at twice what the process can do, serves nearly all that it can", () => {
    const process = new Process()
    process.windows(50, { flood: 200 })
    const { flood = 0 } = process.windows(300, { flood: 200 })
    assert.isAbove(flood, 0.9 * 300 * 100)
    assert.isBelow(flood, 1.1 * 300 * 100)
  })

  it("serves every call of a tenant below its share while another floods", () => {
    const process = new Process()
    process.windows(50, { flood: 180, acme: 20 })
    const { acme = 0, flood = 0 } = process.windows(300, { flood: 180, acme: 20 })
    assert.strictEqual(acme, 300 * 20)
    assert.isAbove(flood, 0.9 * 300 * 80)
  })

  it("divides evenly between two that both ask for too much", () => {
    const process = new Process()
    process.windows(50, { flood: 900, acme: 100 })
    const { acme = 0, flood = 0 } = process.windows(300, { flood: 900, acme: 100 })
    assert.closeTo(acme / flood, 1, 0.1)
  })

  it("goes on serving most of what it can when the loop is late for another reason", () => {
    const pace = new Pace(target, 0)
    let admitted = 0
    for (let turn = 1; turn < 100; turn++) {
      admitted = 0
      for (let nth = 0; nth < 100; nth++) {
        if (!pace.admits(() => "acme")) continue
        admitted += 1
        pace.ended()
      }
      pace.turn(turn * length, turn < 20 ? 0 : 5_000)
    }
    assert.isTrue(pace.isLimiting)
    assert.isAbove(admitted, 25)
  })

  it("admits everything again within seconds after the flood", () => {
    const process = new Process()
    process.windows(50, { flood: 400, acme: 10 })
    assert.isTrue(process.pace.isLimiting)
    // Five seconds.
    process.windows(20, { flood: 40, acme: 10 })
    const { acme, flood } = process.windows(30, { flood: 40, acme: 10 })
    assert.deepStrictEqual([flood, acme], [30 * 40, 30 * 10])
    assert.isFalse(process.pace.isLimiting)
  })

  it("lets every owner make a call in a window, however late the loop is", () => {
    const pace = new Pace(target, 0)
    for (let turn = 1; turn < 200; turn++) {
      for (let nth = 0; nth < 50; nth++) pace.admits(() => `tenant-${nth}`)
      pace.turn(turn * length, Number.POSITIVE_INFINITY)
    }
    for (let nth = 0; nth < 50; nth++) assert.isTrue(pace.admits(() => `tenant-${nth}`))
    for (let nth = 0; nth < 3; nth++) pace.admits(() => "tenant-0")
    assert.isFalse(pace.admits(() => "tenant-0"))
  })
})
