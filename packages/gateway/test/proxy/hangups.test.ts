import { assert, layer } from "@effect/vitest"
import { lifecycleTopic } from "@portico/contract/Events"
import { Memory } from "@portico/testing/store/Memory"
import { Cause, Effect, Exit, Layer } from "effect"
import { type Arrival, arrivals } from "./arrivals.ts"
import { breaches } from "./breaches.ts"
import { fails } from "./fails.ts"
import { often, times, Warm } from "./leaks.ts"
import { bearer, Loner, projectId } from "../harness/Loner.ts"
import { type RawClient, rawClient } from "../harness/RawClient.ts"
import { RawUpstream, type Received } from "../harness/RawUpstream.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { settle, until } from "@portico/testing/clock"

const live = { excludeTestServices: true }

/** A client that is there and a path that nobody else has. */
const calling = Effect.fnUntraced(function* (index: number) {
  const client = yield* rawClient((yield* TestGateway).url.customer)
  return { client, path: `/held-${index}` }
})

const head = (line: string, ...more: ReadonlyArray<string>) =>
  [`${line} HTTP/1.1`, "Host: gateway", `Authorization: Bearer ${bearer}`, ...more, "", ""].join("\r\n")

const arrivalOf = Effect.fnUntraced(function* (arrived: ReadonlyArray<Arrival>, path: string) {
  const found = () => arrived.find(({ request }) => request.url?.endsWith(path) === true)
  yield* until(Effect.sync(() => found() !== undefined))
  return yield* Effect.fromNullishOr(found())
})

/** One word of many bytes. */
const long = Buffer.alloc(8 * 1024 * 1024, "x")

const gone = (client: RawClient, index: number, call: Received) =>
  Effect.andThen(
    Effect.sync(() => client.hangUp(index)),
    call.gone
  )

/** How much the ledger was told. */
const told = (events: Memory["Service"]["events"]): number =>
  [...events.values()].filter((_) => _.topic === lifecycleTopic).length

layer(Warm.layer.pipe(Layer.provideMerge(Loner())), live)("a client that disconnects", (it) => {
  it.effect("before its head is complete leaves nothing, without an upstream call", () =>
    Effect.gen(function* () {
      const upstream = yield* RawUpstream
      const heads = yield* upstream.heads
      yield* often(
        Effect.fnUntraced(function* (index) {
          const { client, path } = yield* calling(index)
          yield* client.send(head(`GET /v1/iaas/dns${path}`).slice(0, -2))
          client.hangUp(index)
        })
      )
      assert.strictEqual(yield* upstream.heads, heads + 1)
    })
  )

  const bodies: Readonly<Record<string, readonly [header: string, begin: string, service: string]>> = {
    "with a length": ["Content-Length: 1000", "half", "/dns"],
    "in chunks": ["Transfer-Encoding: chunked", "4\r\nhalf\r\n", "/dns"],
    "read by the gateway first": ["Content-Length: 1000", '{"server": ', "/compute/servers"]
  }
  for (const [how, [header, begin, service]] of Object.entries(bodies)) {
    const isRead = service !== "/dns"
    it.effect(`before its body, ${how}, leaves nothing, without an upstream call`, () =>
      Effect.gen(function* () {
        const upstream = yield* RawUpstream
        const arrived = yield* arrivals
        const heads = yield* upstream.heads
        yield* often(
          Effect.fnUntraced(function* (index) {
            const { client, path } = yield* calling(index)
            yield* client.send(head(`POST /v1/iaas${service}${path}`, header))
            yield* arrivalOf(arrived, path)
            client.hangUp(index)
          })
        )
        assert.strictEqual(yield* upstream.heads, heads + 1)
      })
    )

    it.effect(`within its body, ${how}, ends the call, whose body stays incomplete`, () =>
      Effect.gen(function* () {
        const upstream = yield* RawUpstream
        const arrived = yield* arrivals
        const heads = yield* upstream.heads
        yield* often(
          Effect.fnUntraced(function* (index) {
            const { client, path } = yield* calling(index)
            const line = isRead ? `POST /v1/iaas${service}?i=${path}` : `POST /v1/iaas${service}${path}`
            yield* client.send(head(line, header) + begin)
            if (isRead) {
              yield* arrivalOf(arrived, path)
              yield* settle
              return client.hangUp(index)
            }
            const call = yield* upstream.received(service + path)
            yield* call.has("half")
            yield* gone(client, index, call)
            assert.isFalse(call.text().endsWith("0\r\n\r\n"))
          })
        )
        if (isRead) assert.strictEqual(yield* upstream.heads, heads + 1)
      })
    )
  }

  it.effect("after 100-continue leaves nothing", () =>
    often(
      Effect.fnUntraced(function* (index) {
        const { client, path } = yield* calling(index)
        yield* client.send(head(`POST /v1/iaas/dns${path}`, "Content-Length: 1000", "Expect: 100-continue"))
        yield* client.has("100 Continue")
        client.hangUp(index)
      })
    )
  )

  const requests: Readonly<Record<string, (path: string) => string>> = {
    "of a read": (path) => head(`GET /v1/iaas/dns${path}`),
    "of a write": (path) => `${head(`POST /v1/iaas/dns${path}`, "Content-Length: 4")}body`,
    "of a write without a body": (path) => head(`DELETE /v1/iaas/dns${path}`)
  }
  for (const [what, request] of Object.entries(requests)) {
    it.effect(`before the answer ${what} ends the call`, () =>
      often(
        Effect.fnUntraced(function* (index) {
          const { client, path } = yield* calling(index)
          yield* client.send(request(path))
          const call = yield* (yield* RawUpstream).received(`/dns${path}`)
          yield* gone(client, index, call)
        })
      )
    )
  }

  const answers: Readonly<Record<string, string>> = {
    "of bytes": "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 100000000\r\n\r\n",
    "of JSON": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
  }
  for (const [what, answer] of Object.entries(answers)) {
    it.effect(`within an unread answer ${what} ends the call`, () =>
      Effect.gen(function* () {
        const arrived = yield* arrivals
        yield* often(
          Effect.fnUntraced(function* (index) {
            const { client, path } = yield* calling(index)
            yield* client.send(head(`GET /v1/iaas/dns${path}`))
            const call = yield* (yield* RawUpstream).received(`/dns${path}`)
            client.socket.once("data", () => client.socket.pause())
            call.socket.write(answer)
            call.socket.write(long)
            const { response } = yield* arrivalOf(arrived, path)
            yield* until(Effect.sync(() => response.writableNeedDrain))
            yield* gone(client, index % 2, call)
          })
        )
      })
    )
  }

  const nearly: Readonly<Record<string, string>> = {
    "with a length": "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhalf",
    "in chunks": "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    "without either": "Content-Type: text/plain\r\n\r\nhalf",
    "inspected by the gateway": "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
  }
  for (const [how, answer] of Object.entries(nearly)) {
    it.effect(`just before the end of an answer ${how} ends the call`, () =>
      often(
        Effect.fnUntraced(function* (index) {
          const { client, path } = yield* calling(index)
          yield* client.send(head(`GET /v1/iaas/dns${path}`))
          const call = yield* (yield* RawUpstream).received(`/dns${path}`)
          call.socket.write(`HTTP/1.1 200 OK\r\n${answer}`)
          yield* client.has("half")
          yield* gone(client, index, call)
        })
      )
    )
  }

  const billed: Readonly<
    Record<string, (path: string) => readonly [upstream: string, request: string, answer: string]>
  > = {
    "that destroys": (path) => [
      `/compute/servers${path}`,
      head(`DELETE /v1/iaas/compute/servers${path}`),
      "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
    ],
    "that creates": (path) => [
      `/compute/servers?of=${path}`,
      `${head(`POST /v1/iaas/compute/servers?of=${path}`, "Content-Length: 14")}{"server": {}}`,
      "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" +
        `{"server": {"id": "new${path.slice(1)}"}}`
    ]
  }
  for (const [what, callOf] of Object.entries(billed)) {
    it.effect(`during a billed call ${what} does not end it, and its event is recorded`, () =>
      Effect.gen(function* () {
        const arrived = yield* arrivals
        const { events } = yield* Memory
        const before = told(events)
        yield* often(
          Effect.fnUntraced(function* (index) {
            const { client, path } = yield* calling(index)
            const [upstream, request, answer] = callOf(path)
            yield* client.send(request)
            const call = yield* (yield* RawUpstream).received(upstream)
            const { response } = yield* arrivalOf(arrived, path)
            client.hangUp(index)
            yield* until(Effect.sync(() => response.destroyed))
            yield* settle
            assert.isFalse(call.socket.destroyed)
            call.socket.end(answer)
            yield* call.gone
          })
        )
        yield* until(Effect.sync(() => told(events) === before + times))
      })
    )
  }

  it.effect("within the unread answer to a billed call does not delay it", () =>
    Effect.gen(function* () {
      const arrived = yield* arrivals
      const { events } = yield* Memory
      const before = told(events)
      yield* often(
        Effect.fnUntraced(function* (index) {
          const { client, path } = yield* calling(index)
          yield* client.send(head(`DELETE /v1/iaas/volume/volumes${path}`))
          const call = yield* (yield* RawUpstream).received(`/volume/${projectId}/volumes${path}`)
          client.socket.once("data", () => client.socket.pause())
          call.socket.write(`HTTP/1.1 202 Accepted\r\nContent-Length: ${long.length}\r\nConnection: close\r\n\r\n`)
          call.socket.end(long)
          const { response } = yield* arrivalOf(arrived, path)
          yield* until(Effect.sync(() => response.writableNeedDrain))
          client.hangUp(index % 2)
          yield* call.gone
          assert.isTrue(call.socket.writableFinished)
        })
      )
      yield* until(Effect.sync(() => told(events) === before + times))
    })
  )
})

layer(Warm.layer.pipe(Layer.provideMerge(Loner())), live)("a service that", (it) => {
  for (const { how, outcome, reply } of breaches) {
    it.effect(`${how} ${outcome === "broken" ? "breaks the client's answer" : "is a 502 with a message"}`, () =>
      Effect.gen(function* () {
        yield* (yield* RawUpstream).script("/dns/odd", reply)
        yield* often((index) => fails("dns/odd", index, outcome))
      })
    )
  }

  it.effect("refuses the connection is a 502 with a message", () =>
    often((index) =>
      fails("key-manager/odd", index, /^key-manager: no answer: the connection failed \(ECONNREFUSED\)$/)
    )
  )
})

layer(Warm.layer.pipe(Layer.provideMerge(Loner())), live)("a service that answers early and closes", (it) => {
  const body = Buffer.alloc(512 * 1024, "x")
  const early = (name: string, chunked: boolean) =>
    Effect.flatMap(TestGateway, ({ call }) => {
      const headers = { connection: "close" }
      return call("customer", "PUT", `/v1/iaas/image/images/${name}/file`, { token: bearer, headers, body, chunked })
    })

  for (const name of ["with-a-length", "without-notice", "in-chunks"]) {
    it.effect(`is passed on, although the rest of the request was unread: ${name}`, () =>
      often(
        Effect.fnUntraced(function* (index) {
          const { status, text } = yield* early(name, index % 2 === 0)
          assert.deepStrictEqual([status, text], [413, '{"message": "too much"}'])
        })
      )
    )
  }

  for (const name of ["half", "endless", "nothing"]) {
    it.effect(`is not passed on incomplete: ${name}`, () =>
      often(
        Effect.fnUntraced(function* (index) {
          const exit = yield* Effect.exit(early(name, index % 2 === 0))
          if (Exit.isFailure(exit)) return assert.include(Cause.pretty(exit.cause), "broke off")
          const { code, detail } = jsonOf(exit.value)
          assert.deepStrictEqual([exit.value.status, code], [502, "upstream_failed"])
          assert.match(detail, /^image: no answer: the connection failed \((ECONNRESET|EPIPE|UND_ERR_SOCKET)\)$/)
        })
      )
    )
  }
})
