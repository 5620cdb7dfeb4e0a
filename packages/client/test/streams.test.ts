import { assert, describe, it } from "@effect/vitest"
import { createClient, PorticoError } from "@portico/client/createClient"
import type { Time } from "@portico/client/engine/Time"
import { failure, faultyServer, type Reply } from "./FaultyServer.ts"
import { turn } from "@portico/testing/clock"
import { Effect } from "effect"
import { fakeTime, settled } from "./fakeTime.ts"

/** Bytes of a stream, piece by piece, and how it ends. */
const stream =
  (pieces: ReadonlyArray<string>, end: "ends" | "breaks" | "hangs"): Reply =>
  async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const piece of pieces) {
      response.write(piece)
      await Effect.runPromise(turn)
    }
    if (end === "ends") response.end()
    if (end === "breaks") response.socket?.destroy()
  }

const event = (n: number) => `id: c${n}\ndata: {"id":"e${n}"}\n\n`

/** The cursors of the first events, and how the stream failed if it did. */
const followed = async (
  url: string,
  many: number,
  input: { readonly timeout_seconds?: number; readonly cursor?: string } = {}
) => {
  const client = createClient({ url, token: "t", time: fakeTime().time })
  const seen: Array<string> = []
  const read = async () => {
    for await (const { cursor, event } of client.events.tail(input)) {
      seen.push(`${cursor} ${event.id}`)
      if (seen.length === many) return
    }
  }
  const error: unknown = await read().then(
    () => undefined,
    (error: unknown) => error
  )
  return { seen, code: error instanceof PorticoError ? error.code : error }
}

describe("a stream of events", () => {
  it("reconnects with the last id, also one that came without an event", async () => {
    await using server = await faultyServer(
      stream(["id: c0\nretry: 3000\n\n"], "breaks"),
      stream([event(1), event(2)], "ends"),
      stream([": nothing new\n\n", event(3)], "hangs")
    )
    const { seen } = await followed(server.url, 3)
    assert.deepStrictEqual(seen, ["c1 e1", "c2 e2", "c3 e3"])
    const ids = server.calls.map((_) => _.headers["last-event-id"])
    assert.deepStrictEqual(ids, [undefined, "c0", "c2"])
  })

  it("drops an event that was cut off, however the bytes are split", async () => {
    const letters = 'id: c1\r\ndata: {"id":\r\ndata: "e1"}\r\n\r\n'.split("")
    await using server = await faultyServer(
      stream([...letters, 'id: c2\ndata: {"id":"e2"}\n'], "breaks"),
      stream([event(2)], "hangs")
    )
    assert.deepStrictEqual((await followed(server.url, 2)).seen, ["c1 e1", "c2 e2"])
    assert.strictEqual(server.calls[1]?.headers["last-event-id"], "c1")
  })

  it("begins at the given cursor, and reconnects with the last id instead", async () => {
    await using server = await faultyServer(stream([event(1)], "breaks"), stream([event(2)], "hangs"))
    await followed(server.url, 2, { cursor: "start" })
    assert.deepStrictEqual(
      server.calls.map((_) => [_.url, _.headers["last-event-id"]]),
      [
        ["/v1/events/tail", "start"],
        ["/v1/events/tail", "c1"]
      ]
    )
  })

  it("reconnects when a connection stays silent", async () => {
    await using server = await faultyServer(stream([event(1)], "hangs"), stream([event(2)], "hangs"))
    assert.deepStrictEqual((await followed(server.url, 2)).seen, ["c1 e1", "c2 e2"])
  })

  it("fails like every call when it cannot begin", async () => {
    await using server = await faultyServer(failure(503, "event_streams_full"))
    assert.deepStrictEqual(await followed(server.url, 1), { seen: [], code: "event_streams_full" })
    assert.strictEqual(server.calls.length, 5)
  })

  it("survives a long outage of the gateway, and ends with a refusal", async () => {
    const away = Array.from({ length: 12 }, () => failure(503, "stopping"))
    const replies = [
      stream([event(1)], "breaks"),
      ...away,
      stream([event(2)], "ends"),
      failure(401, "credential_revoked")
    ]
    await using server = await faultyServer("reset", ...replies)
    const { code, seen } = await followed(server.url, 9)
    assert.deepStrictEqual([seen, code], [["c1 e1", "c2 e2"], "credential_revoked"])
  })

  it("ends at its time-out, across broken connections", async () => {
    await using server = await faultyServer(stream([event(1)], "breaks"), stream([event(2)], "ends"))
    const { code, seen } = await followed(server.url, 9, { timeout_seconds: 60 })
    assert.deepStrictEqual([seen, code], [["c1 e1", "c2 e2"], undefined])
    assert.deepStrictEqual(
      server.calls.map((_) => _.url),
      // The pause before the second took a second and a half.
      ["/v1/events/tail?timeout_seconds=60", "/v1/events/tail?timeout_seconds=59"]
    )
  })
})

describe("a stream with a time limit", () => {
  it("reconnects with the time that is left, never less than zero", async () => {
    await using server = await faultyServer(
      stream([event(1)], "breaks"),
      stream([event(2)], "breaks"),
      stream([event(3)], "ends")
    )
    const { time, pass } = fakeTime()
    // It goes by while the connection is looked for again.
    const sleep: typeof time.sleep = (millis, signal) => time.sleep(millis, signal).then(() => void pass(39_000))
    const client = createClient({ url: server.url, token: "t", time: { ...time, sleep } })
    for await (const { event } of client.events.tail({ timeout_seconds: 60 })) assert.isDefined(event)
    assert.deepStrictEqual(
      server.calls.map((_) => _.url.split("=").at(-1)),
      ["60", "20", "0"]
    )
  })
})

describe("an export", () => {
  const record = (n: number) => `{"id":"r${n}","cursor":"c${n}"}\n`
  const end = (complete: boolean, cursor: string) => `${JSON.stringify({ end: true, complete, count: 1, cursor })}\n`

  const exported = async (url: string) => {
    const lines: Array<unknown> = []
    const client = createClient({ url, token: "t", time: fakeTime().time })
    for await (const line of client.audit.export({ method: "POST" })) lines.push("id" in line ? line.id : line.complete)
    return lines
  }

  it("resumes after its last whole line when it was cut off or ended early", async () => {
    await using server = await faultyServer(
      stream([record(1), '{"id":"r2","cur'], "breaks"),
      stream([record(2)], "ends"),
      stream([end(false, "c9")], "ends"),
      stream([record(3), end(true, "c3")], "ends")
    )
    assert.deepStrictEqual(await exported(server.url), ["r1", "r2", "r3", true])
    assert.deepStrictEqual(
      server.calls.map((_) => _.url),
      ["", "&cursor=c1", "&cursor=c2", "&cursor=c9"].map((_) => `/v1/audit/export?method=POST${_}`)
    )
  })

  it("drops a last line without its newline", async () => {
    await using server = await faultyServer(
      stream([record(1), record(2).trimEnd()], "breaks"),
      stream([record(2), end(true, "c2")], "ends")
    )
    assert.deepStrictEqual(await exported(server.url), ["r1", "r2", true])
    assert.strictEqual(server.calls[1]?.url, "/v1/audit/export?method=POST&cursor=c1")
  })

  it("is unreachable when several connections bring no new record", async () => {
    await using server = await faultyServer(stream([record(1)], "ends"), stream([], "ends"))
    const error: unknown = await exported(server.url).catch((error: unknown) => error)
    assert.isTrue(error instanceof PorticoError && error.code === "unreachable")
    assert.strictEqual(server.calls.length, 5)
  })
})

describe("a wait", () => {
  const database = (status: string, more: object = {}) => ({ status: 200, body: { name: "orders", status, ...more } })
  const orders = { engine: "postgres", name: "orders" }

  it("polls with growing pauses, and reports each state", async () => {
    const pending = Array.from({ length: 9 }, () => database("provisioning"))
    await using server = await faultyServer(
      database("pending"),
      ...pending,
      failure(500, "internal_error"),
      database("ready")
    )
    const { pauses, time } = fakeTime()
    const seen: Array<string> = []
    const client = createClient({ url: server.url, token: "t", time })
    const done = await client.databases.create.wait(orders, { onProgress: (_) => void seen.push(_.status) })
    assert.strictEqual(done.status, "ready")
    assert.deepStrictEqual([seen.length, seen[0], seen[1], seen.at(-1)], [11, "pending", "provisioning", "ready"])
    assert.deepStrictEqual(pauses.slice(0, 4), [1000, 1500, 2250, 3375])
    assert.strictEqual(Math.max(...pauses), 15_000)
    assert.strictEqual(server.calls[0]?.url, "/v1/databases/postgres/orders")
  })

  it("fails with the reason when the work fails", async () => {
    await using server = await faultyServer(database("pending"), database("failing", { reason: "no room" }))
    const { time } = fakeTime()
    const client = createClient({ url: server.url, token: "t", time })
    const error: unknown = await client.databases.create.wait(orders).catch((error: unknown) => error)
    assert.isTrue(error instanceof PorticoError)
    assert.strictEqual(error instanceof PorticoError ? error.message : "", "work_failed: status is 'failing': no room")
  })

  it("of a removal ends at 404; any other wait fails at 404", async () => {
    await using server = await faultyServer(database("deleting"), failure(404, "database_not_found"))
    const { time } = fakeTime()
    const client = createClient({ url: server.url, token: "t", time })
    assert.isUndefined(await client.databases.remove.wait(orders))
    const error: unknown = await client.databases.create.wait(orders).catch((error: unknown) => error)
    assert.strictEqual(error instanceof PorticoError ? error.code : error, "database_not_found")
  })

  it("gives up at its time-out, also when the gateway hangs or asks for a long pause", async () => {
    for (const reply of ["hang", failure(503, "stopping", {}, { "retry-after": "50" })] as const) {
      await using server = await faultyServer(database("pending"), reply)
      const { time } = fakeTime()
      const client = createClient({ url: server.url, token: "t", time })
      const began = time.now()
      const error: unknown = await client.databases.create
        .wait(orders, { timeout: 100 })
        .catch((error: unknown) => error)
      assert.strictEqual(error instanceof PorticoError ? error.code : error, "gave_up")
      assert.deepInclude(error instanceof PorticoError ? error.body : error, { status: "pending" })
      assert.isAtMost(time.now() - began, 5_100)
    }
  })

  it("polls at once when an event reports a change", async () => {
    let state = "scaling"
    await using server = await faultyServer((response, { url }) => {
      if (!url.startsWith("/v1/events/tail")) {
        response.writeHead(200, { "content-type": "application/json" })
        return void response.end(JSON.stringify({ group_id: "g", state }))
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      const told = (key: string) => `id: ${key}\ndata: {"id":"e","key":"${key}"}\n\n`
      response.write(told("another"))
      return void settled().then(() => {
        state = "active"
        response.write(told("g"))
      })
    })
    // Without the event, the next look is never.
    const never: Time["sleep"] = () => new Promise(() => {})
    const client = createClient({ url: server.url, token: "t", time: { ...fakeTime().time, sleep: never } })
    assert.strictEqual((await client.autoscaling.create.wait({ group_id: "g" })).state, "active")
    const looks = server.calls.filter((_) => _.url === "/v1/autoscaling/groups/g").length
    assert.strictEqual(looks, 2)
    assert.include(
      server.calls.map((_) => _.url),
      "/v1/events/tail?topic=asg.lifecycle"
    )
  })
})
