import { assert, it } from "@effect/vitest"
import * as System from "@portico/upstream/System"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { inTime } from "@portico/testing/clock"
import { Duration, Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { vi } from "vitest"

const piece = new Uint8Array(1024 * 1024).fill(32)

/** A system that answers with this body; `pulled` counts the pieces that were taken of it. */
const systemOf = (pieces: number) => {
  const taken = { pieces: 0, cancelled: false }
  const body = () =>
    new ReadableStream<Uint8Array>(
      {
        pull: (to) => {
          taken.pieces += 1
          if (taken.pieces < pieces) to.enqueue(piece)
          else {
            to.enqueue(new TextEncoder().encode('{"ok":true}'))
            to.close()
          }
        },
        cancel: () => void (taken.cancelled = true)
      },
      { highWaterMark: 0 }
    )
  const client = HttpClient.make((request) =>
    Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(pieces === 0 ? null : body())))
  )
  const system = System.make(client, {
    upstream: "dns",
    url: "http://dns.test",
    authorize: Effect.succeed
  })
  return { system, taken }
}

const request = HttpClientRequest.get("/zones")

const MiB = 1024 * 1024

for (const [who, limit, provided] of [
  ["of the gateway's own calls", 64 * MiB, undefined],
  ["of a call with a limit of its own", 2 * MiB, 2 * MiB]
] as const) {
  it.effect(`an endless answer ${who} is read up to its limit, and then cancelled`, () =>
    Effect.gen(function* () {
      const { system, taken } = systemOf(Number.POSITIVE_INFINITY)
      const asked = system.write("probe", request, Schema.Unknown)
      const limited = provided === undefined ? asked : Effect.provideService(asked, System.AnswerLimit, provided)
      const error = yield* Effect.flip(limited)
      assert.strictEqual(error.detail, `answered 200 with more than ${limit} bytes`)
      assert.strictEqual(taken.pieces, limit / piece.length + 1)
      assert.isTrue(taken.cancelled)
    })
  )
}

it.effect("an answer of nearly that size is read whole, and an empty body is accepted", () =>
  Effect.gen(function* () {
    const { system } = systemOf((64 * MiB) / piece.length)
    assert.deepStrictEqual(yield* system.write("probe", request, Schema.Unknown), { ok: true })
    yield* systemOf(0).system.send("probe", request)
  })
)

for (const [when, said, provided] of [
  ["by default", "10s", undefined],
  ["with a time limit of a minute", "1m", Duration.minutes(1)]
] as const) {
  it.effect(`a call without an answer times out after ${said} ${when}`, () =>
    Effect.gen(function* () {
      const silent = HttpClient.make(() => Effect.never)
      const system = System.make(silent, { upstream: "dns", url: "http://dns.test", authorize: Effect.succeed })
      const asked = system.send("probe", request)
      const limited = provided === undefined ? asked : Effect.provideService(asked, System.TimeLimit, provided)
      assert.strictEqual((yield* inTime(Effect.flip(limited))).detail, `no answer within ${said}`)
    })
  )
}

/** What a system answers, and what is read of it. */
const texts: ReadonlyArray<readonly [answered: string, read: unknown]> = [
  [String.raw`{"id": "a\ud800"}`, { id: "a\uFFFD" }],
  [String.raw`{"id": "\uDC00b"}`, { id: "\uFFFDb" }],
  [String.raw`{"\udfff": ["\ud83d", "\ud83d\ud83d\ude00"]}`, { "\uFFFD": ["\uFFFD", "\uFFFD\u{1F600}"] }],
  [String.raw`{"id": "a\u0000b"}`, { id: "a\uFFFDb" }],
  // What means something else stays.
  [String.raw`{"id": "\ud83d\ude00 \\ud800 \\\\u0000 \u00e9\n"}`, { id: "\u{1F600} \\ud800 \\\\u0000 é\n" }],
  [
    String.raw`{"id": "\\\ud800\\ud800é\ud83d\n\udE00\uD83D\uDE00\u0000"}`,
    { id: "\\\uFFFD\\ud800é\uFFFD\n\uFFFD\u{1F600}\uFFFD" }
  ],
  [`{"id": "\u{1F600} é"}`, { id: "\u{1F600} é" }]
]

it.effect("lone surrogates and NUL characters of an answer are replaced", () =>
  Effect.gen(function* () {
    for (const [answered, read] of texts) {
      const client = HttpClient.make((request) =>
        Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(answered)))
      )
      const system = System.make(client, { upstream: "dns", url: "http://dns.test", authorize: Effect.succeed })
      assert.deepStrictEqual(yield* system.read("probe", request, Schema.Unknown), read)
    }
    const refusing = HttpClient.make((request) =>
      Effect.sync(() => HttpClientResponse.fromWeb(request, new Response("no\0 \\ud800", { status: 400 })))
    )
    const system = System.make(refusing, { upstream: "dns", url: "http://dns.test", authorize: Effect.succeed })
    assert.strictEqual((yield* Effect.flip(system.send("probe", request))).detail, "no\uFFFD \\ufffd")
  })
)

it.effect("decoding an answer does not call a function for each escape", () =>
  Effect.gen(function* () {
    const tests = yield* Effect.acquireRelease(
      Effect.sync(() => vi.spyOn(RegExp.prototype, "test")),
      (spy) => Effect.sync(() => spy.mockRestore())
    )
    const harmless = String.raw`\u0041\ud83d\ude00\n`.repeat(1000)
    for (const [last, read] of [
      ["", ""],
      [String.raw`\ud800`, "\uFFFD"]
    ]) {
      const client = HttpClient.make((request) =>
        Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(`{"id":"${harmless}${last}"}`)))
      )
      const system = System.make(client, { upstream: "dns", url: "http://dns.test", authorize: Effect.succeed })
      assert.deepStrictEqual(yield* system.read("probe", request, Schema.Unknown), {
        id: "A\u{1F600}\n".repeat(1000) + read
      })
    }
    assert.isBelow(tests.mock.calls.length, 100)
  })
)

it.effect("a failure's summary names its call and system, without the system's message", () =>
  Effect.sync(() => {
    const error = (status: number | null) => new UpstreamError({ upstream: "nova", call: "find", status, detail: "x" })
    assert.deepStrictEqual(
      [error(503), error(null)].map((_) => String(_)),
      ["UpstreamError: nova find: status 503", "UpstreamError: nova find: no answer"]
    )
  })
)
