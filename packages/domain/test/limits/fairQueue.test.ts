import { assert, describe, it } from "@effect/vitest"
import { FairQueue } from "@portico/domain/limits/FairQueue"

/** A queue for eight places, with room for four that wait, on a clock of its own. */
const stage = (queues = { waiting: 4, waitingOfOne: 4 }) => {
  let now = 0
  let timers: Array<{ readonly at: number; readonly run: () => void }> = []
  const queue = new FairQueue({ calls: 8, ...queues, wait: 2_000 }, (run, milliseconds) => {
    const timer = { at: now + milliseconds, run }
    timers.push(timer)
    return () => void (timers = timers.filter((_) => _ !== timer))
  })
  const told: Array<string> = []
  return {
    queue,
    /** Who got a place, and who was refused, since the last question. */
    told: () => told.splice(0),
    enter: (owner: string, kind?: string) =>
      queue.enter(
        owner,
        () => void told.push(owner),
        () => void told.push(`${owner} refused`),
        kind
      ),
    timers: () => timers.length,
    pass: (milliseconds: number) => {
      now += milliseconds
      for (const { at, run } of timers) if (at <= now) run()
    }
  }
}

const times = (count: number, run: () => () => void) => Array.from({ length: count }, run)

describe("the slots at an upstream", () => {
  it("are taken at once while any are free", () => {
    const { enter, queue, timers, told } = stage()
    const leave = times(3, () => enter("acme"))
    assert.deepStrictEqual(told(), ["acme", "acme", "acme"])
    for (const one of leave) {
      one()
      one()
    }
    assert.deepStrictEqual([queue.calls, queue.waiting, timers()], [0, 0, 0])
  })

  it("are left for others by a flooding tenant", () => {
    const { enter, told } = stage()
    times(50, () => enter("flood"))
    told()
    times(2, () => enter("acme"))
    assert.deepStrictEqual(told(), ["acme", "acme"])
  })

  it("are left for other calls by one kind of call, of any tenant", () => {
    const { enter, told } = stage()
    const leave = Array.from({ length: 8 }, (_, nth) => enter(`tenant ${nth}`, "lists"))
    assert.strictEqual(told().length, 6)
    const mint = enter("tenant 7", "mints")
    enter("acme", "lists")
    assert.deepStrictEqual(told(), ["tenant 7"])
    // The place of another kind is no place for this one.
    mint()
    assert.deepStrictEqual(told(), [])
    leave[0]?.()
    assert.deepStrictEqual(told(), ["tenant 6"])
  })

  it("are left for a tenant's other calls by its calls of one kind", () => {
    const { enter, told } = stage()
    const [first] = times(6, () => enter("flood", "rotations"))
    assert.strictEqual(told().length, 4)
    times(2, () => enter("flood", "lists"))
    assert.deepStrictEqual(told(), ["flood", "flood"])
    // Other tenants' calls of the same kind have what the others leave.
    enter("acme", "rotations")
    assert.deepStrictEqual(told(), ["acme"])
    first?.()
    assert.deepStrictEqual(told(), ["flood"])
  })

  it("go to a tenant's other call when its first one's kind is at its limit", () => {
    const { enter, told } = stage()
    for (let nth = 0; nth < 6; nth++) enter(`tenant ${nth}`, "lists")
    const others = [enter("globex"), enter("globex")]
    enter("acme", "lists")
    enter("acme", "mints")
    told()
    others[0]?.()
    assert.deepStrictEqual(told(), ["acme"])
  })

  it("go to tenants in turns", () => {
    const { enter, told } = stage()
    const [first, ...others] = [...times(6, () => enter("flood")), ...times(2, () => enter("acme"))]
    times(2, () => enter("flood"))
    times(2, () => enter("globex"))
    told()
    first?.()
    assert.deepStrictEqual(told(), ["flood"])
    for (const leave of others.slice(0, 3)) leave()
    assert.deepStrictEqual(told(), ["globex", "flood", "globex"])
  })

  it("are not awaited longer than the limit", () => {
    const { enter, pass, queue, timers, told } = stage()
    times(7, () => enter("flood"))
    assert.strictEqual(queue.waiting, 1)
    told()
    pass(1_999)
    assert.deepStrictEqual(told(), [])
    pass(1)
    assert.deepStrictEqual(told(), ["flood refused"])
    assert.deepStrictEqual([queue.waiting, timers()], [0, 0])
  })

  it("have a short queue: the tenant with the most waiting calls loses its last", () => {
    const { enter, queue, told } = stage()
    times(6, () => enter("flood"))
    times(2, () => enter("acme"))
    times(4, () => enter("flood"))
    told()
    enter("flood")
    assert.deepStrictEqual(told(), ["flood refused"])
    enter("globex")
    assert.deepStrictEqual(told(), ["flood refused"])
    assert.strictEqual(queue.waiting, 4)
  })

  it("have a short queue per tenant, which is refused at once", () => {
    const { enter, queue, told } = stage({ waiting: 100, waitingOfOne: 2 })
    times(8, () => enter("flood"))
    told()
    enter("flood")
    assert.deepStrictEqual(told(), ["flood refused"])
    times(2, () => enter("acme"))
    times(2, () => enter("acme"))
    assert.deepStrictEqual(told(), ["acme", "acme"])
    assert.strictEqual(queue.waiting, 4)
  })

  it("are released by a disconnected client's waiting call", () => {
    const { enter, queue, timers, told } = stage()
    const leave = times(8, () => enter("flood"))
    told()
    leave[7]?.()
    leave[7]?.()
    assert.deepStrictEqual([queue.calls, queue.waiting, timers()], [6, 1, 1])
    leave[0]?.()
    assert.deepStrictEqual(told(), ["flood"])
    assert.deepStrictEqual([queue.calls, queue.waiting, timers()], [6, 0, 0])
  })
})
