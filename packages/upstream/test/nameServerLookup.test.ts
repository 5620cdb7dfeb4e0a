import { assert, describe, it } from "@effect/vitest"
import { nameServerLookup } from "@portico/upstream/dns/nameServerLookup"
import { TenantNameLookup } from "@portico/upstream/guardedLookup"
import { type Answer, decode, encode, type Question, RECURSION_AVAILABLE } from "dns-packet"
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import { lookup, type LookupAddress, type LookupOptions } from "node:dns"

const records: Readonly<Record<string, ReadonlyArray<Answer>>> = {
  "both.example": [
    { name: "both.example", type: "A", data: "192.0.2.1" },
    { name: "both.example", type: "A", data: "192.0.2.2" },
    { name: "both.example", type: "AAAA", data: "2001:db8::1" }
  ],
  "six.example": [{ name: "six.example", type: "AAAA", data: "2001:db8::2" }],
  "text.example": [{ name: "text.example", type: "TXT", data: "no address" }]
}

/** A name server, and how many questions it was asked. It is silent about names below `silent.example`. */
const nameServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const socket = createSocket("udp4")
    const seen = { questions: 0 }
    socket.on("message", (message, from) => {
      seen.questions += 1
      const { id, questions: [question] = [] } = decode(message)
      const response = question === undefined ? undefined : responseTo(question)
      if (response !== undefined) socket.send(encode({ type: "response", id, ...response }), from.port, from.address)
    })
    await new Promise<void>((resolve) => void socket.bind(0, "127.0.0.1", resolve))
    return { socket, seen, find: nameServerLookup([`127.0.0.1:${socket.address().port}`], 600_000) }
  }),
  ({ socket }) => Effect.sync(() => void socket.close())
)

const responseTo = (question: Question) => {
  if (question.name.endsWith("silent.example")) return undefined
  const known = records[question.name]
  return {
    flags: RECURSION_AVAILABLE | (known === undefined ? noSuchName : 0),
    questions: [question],
    answers: known?.filter((_) => _.type === question.type) ?? []
  }
}

const noSuchName = 3

interface Found {
  readonly error: (Error & { readonly code?: unknown }) | null
  readonly addresses: ReadonlyArray<LookupAddress>
}

const found = (find: ReturnType<typeof nameServerLookup>, name: string, options: LookupOptions = {}) =>
  Effect.callback<Found>((resume) =>
    find(name, options, (error, addresses) => resume(Effect.succeed({ error, addresses })))
  )

const four = [
  { address: "192.0.2.1", family: 4 },
  { address: "192.0.2.2", family: 4 }
]
const six = [{ address: "2001:db8::1", family: 6 }]

const names: ReadonlyArray<readonly [name: string, options: LookupOptions, addresses: ReadonlyArray<LookupAddress>]> = [
  ["both.example", {}, [...four, ...six]],
  ["both.example", { family: 0, all: true }, [...four, ...six]],
  ["both.example", { family: 4 }, four],
  ["both.example", { family: "IPv6" }, six],
  ["six.example", {}, [{ address: "2001:db8::2", family: 6 }]]
]

describe("a name of a tenant", () => {
  for (const [name, options, addresses] of names) {
    it.live(`${name} with ${JSON.stringify(options)} has ${addresses.length} addresses`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { find } = yield* nameServer
          assert.deepStrictEqual(yield* found(find, name, options), { error: null, addresses })
        })
      )
    )
  }

  for (const name of ["nowhere.example", "text.example"]) {
    it.live(`${name} has none, and that is an error`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { find } = yield* nameServer
          const { addresses, error } = yield* found(find, name)
          assert.deepStrictEqual(addresses, [])
          assert.include(["ENOTFOUND", "ENODATA"], error?.code)
        })
      )
    )
  }

  it.live("that is an address is itself, and nobody is asked", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { find, seen } = yield* nameServer
        assert.deepStrictEqual((yield* found(find, "192.0.2.7")).addresses, [{ address: "192.0.2.7", family: 4 }])
        assert.deepStrictEqual((yield* found(find, "2001:db8::7")).addresses, [{ address: "2001:db8::7", family: 6 }])
        assert.strictEqual(seen.questions, 0)
      })
    )
  )

  it.live("whose name servers are silent holds up no other name, neither a tenant's nor the platform's", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { find, seen } = yield* nameServer
        let ended = 0
        for (let n = 0; n < 64; n++) find(`${n}.silent.example`, {}, () => (ended += 1))
        yield* Effect.repeat(Effect.yieldNow, { until: () => seen.questions >= 64 })
        assert.strictEqual((yield* found(find, "six.example")).error, null)
        yield* Effect.callback<void>((resume) => lookup("localhost", { all: true }, () => resume(Effect.void)))
        assert.strictEqual(ended, 0)
        assert.notStrictEqual<unknown>(yield* TenantNameLookup, lookup)
      })
    )
  )
})
