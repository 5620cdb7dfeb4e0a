import { assert, describe, it } from "@effect/vitest"
import { type Lookup, nameServerLookup } from "@portico/upstream/dns/nameServerLookup"
import { nameServersFirst } from "@portico/upstream/dns/nameServersFirst"
import { RegisteredNameLookup, TenantNameLookup } from "@portico/upstream/guardedLookup"
import { type Answer, decode, encode, type Question, RECURSION_AVAILABLE } from "dns-packet"
import { Effect, Fiber } from "effect"
import { createSocket } from "node:dgram"
import { lookup, type LookupAddress, type LookupOptions, TIMEOUT } from "node:dns"

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
  const held = records[question.name]
  return {
    flags: RECURSION_AVAILABLE | (held === undefined ? noSuchName : 0),
    questions: [question],
    answers: held?.filter((_) => _.type === question.type) ?? []
  }
}

const noSuchName = 3

interface Found {
  readonly error: (Error & { readonly code?: unknown }) | null
  readonly addresses: ReadonlyArray<LookupAddress>
}

const found = (find: ReturnType<typeof nameServerLookup>, name: string, options: LookupOptions = {}) =>
  Effect.callback<Found>((resume) =>
    find(name, { ...options, all: true }, (error, addresses) => resume(Effect.succeed({ error, addresses })))
  )

const four = [
  { address: "192.0.2.1", family: 4 },
  { address: "192.0.2.2", family: 4 }
]
const six = [{ address: "2001:db8::1", family: 6 }]

const known: ReadonlyArray<readonly [name: string, options: LookupOptions, addresses: ReadonlyArray<LookupAddress>]> = [
  ["both.example", {}, [...four, ...six]],
  ["both.example", { family: 0, all: true }, [...four, ...six]],
  ["both.example", { family: 4 }, four],
  ["both.example", { family: "IPv6" }, six],
  ["six.example", {}, [{ address: "2001:db8::2", family: 6 }]]
]

describe("a name of a tenant", () => {
  for (const [name, options, addresses] of known) {
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
    it.live(`${name} does not resolve, which is an error`, () =>
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

  it.live("resolves to itself without a query when it is an IP address", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { find, seen } = yield* nameServer
        assert.deepStrictEqual((yield* found(find, "192.0.2.7")).addresses, [{ address: "192.0.2.7", family: 4 }])
        assert.deepStrictEqual((yield* found(find, "2001:db8::7")).addresses, [{ address: "2001:db8::7", family: 6 }])
        assert.strictEqual(seen.questions, 0)
      })
    )
  )

  it.live("with silent name servers does not delay other names, of tenants or the platform", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { find, seen } = yield* nameServer
        let ended = 0
        for (let n = 0; n < 64; n++) find(`${n}.silent.example`, { all: true }, () => (ended += 1))
        yield* Effect.repeat(Effect.yieldNow, { until: () => seen.questions >= 64 })
        assert.strictEqual((yield* found(find, "six.example")).error, null)
        yield* Effect.callback<void>((resume) => lookup("localhost", { all: true }, () => resume(Effect.void)))
        assert.strictEqual(ended, 0)
        assert.notStrictEqual<unknown>(yield* TenantNameLookup, lookup)
      })
    )
  )
})

describe("a name that an operator registered", () => {
  const now: Lookup = (_, __, found) => found(null, [{ address: "10.0.0.1", family: 4 }])

  /** A system that answers when it is told to, and what it was asked. */
  const systemOf = () => {
    const asked: Array<{ readonly name: string; readonly answer: () => void }> = []
    const whenTold: Lookup = (name, options, found) =>
      void asked.push({ name, answer: () => now(name, options, found) })
    return { asked, whenTold }
  }

  it.live("is resolved by the system if the name servers do not know it, one name at a time", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { find } = yield* nameServer
        const { asked, whenTold } = systemOf()
        const registered = nameServersFirst(find, whenTold)
        const first = yield* Effect.forkChild(found(registered, "first.local"))
        yield* Effect.repeat(Effect.yieldNow, { until: () => asked.length === 1 })
        const second = yield* Effect.forkChild(found(registered, "second.local"))
        // The name servers do know this one, and are asked after both of the others.
        assert.strictEqual((yield* found(registered, "both.example")).error, null)
        assert.deepStrictEqual(names(asked), ["first.local"])
        asked[0]?.answer()
        assert.deepStrictEqual(addresses(yield* Fiber.join(first)), ["10.0.0.1"])
        yield* Effect.repeat(Effect.yieldNow, { until: () => asked.length === 2 })
        asked[1]?.answer()
        assert.deepStrictEqual(addresses(yield* Fiber.join(second)), ["10.0.0.1"])
        assert.deepStrictEqual(names(asked), ["first.local", "second.local"])
      })
    )
  )

  it.live("is not resolved by the system if its name servers are silent", () =>
    Effect.gen(function* () {
      const silent: Lookup = (_, __, found) => found(Object.assign(new Error(), { code: TIMEOUT }), [])
      const { error } = yield* found(nameServersFirst(silent, now), "silent.example")
      assert.strictEqual(error?.code, "ETIMEOUT")
      assert.notStrictEqual<unknown>(yield* RegisteredNameLookup, lookup)
    })
  )
})

const names = (asked: ReadonlyArray<{ readonly name: string }>) => asked.map((_) => _.name)
const addresses = (found: Found) => found.addresses.map((_) => _.address)
