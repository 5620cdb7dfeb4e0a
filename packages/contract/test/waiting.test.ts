import { assert, it } from "@effect/vitest"
import { pauseAfter, type Waiting, workStateOf } from "@portico/contract/waiting"

const waiting: Waiting = { read: "databases.show", field: "status", done: ["ready"], failed: ["failed"], gone: true }
const { gone: _, ...lasting } = waiting

it("a pause is half as long again as the one before, up to 15 seconds", () => {
  assert.deepStrictEqual([1, 2, 3, 7, 8, 5000].map(pauseAfter), [1000, 1500, 2250, 11_390.625, 15_000, 15_000])
})

it("the state of work is read from the status and the body of an answer", () => {
  const states = [
    [200, { status: "ready" }, "done"],
    [200, { status: "failed" }, "failed"],
    [200, { status: "creating" }, "running"],
    [200, {}, "running"],
    [200, [], "unreadable"],
    [200, undefined, "unreadable"],
    [403, { status: "ready" }, "unreadable"],
    [404, {}, "gone"],
    [408, {}, "unread"],
    [429, {}, "unread"],
    [503, { status: "ready" }, "unread"],
    [null, undefined, "unread"]
  ] as const
  for (const [status, body, state] of states) assert.strictEqual(workStateOf({ status, body }, waiting).state, state)
  assert.strictEqual(workStateOf({ status: 404, body: {} }, lasting).state, "unreadable")
})
