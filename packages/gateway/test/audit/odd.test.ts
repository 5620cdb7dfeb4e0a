import { assert, layer } from "@effect/vitest"
import { iaasServices } from "@portico/contract/IaasServices"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Layer } from "effect"
import { connect } from "node:net"
import { newestRecords, recordOf, recordWith } from "./records.ts"
import { Cast } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { type Plane, planes, TestGateway } from "../harness/TestGateway.ts"

const live = { excludeTestServices: true }
const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const recorded = Effect.fnUntraced(function* (plane: Plane, method: string, path: string, asked: Asked) {
  const answer = yield* (yield* TestGateway).call(plane, method, path, asked)
  const event = yield* recordOf(answer)
  assert.strictEqual(event.data.status, answer.status)
  return { answer, ...event }
})

/** Bytes on a connection of their own, and what comes back until it closes. */
const raw = Effect.fnUntraced(function* (plane: Plane, bytes: string) {
  const { hostname, port } = new URL((yield* TestGateway).url[plane])
  return yield* Effect.callback<string>((resume) => {
    let text = ""
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const done = () => {
      socket.destroy()
      resume(Effect.succeed(text))
    }
    socket.on("data", (_) => (text += _.toString()))
    socket.on("error", done)
    socket.on("close", done)
  })
})

layer(Everything, live)("the audit of failing calls", (it) => {
  it.effect("a defect during a call leaves a record with 500 and the caller", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { alarms, credentials } = yield* Memory
      const values = alarms.values
      const get = alarms.get
      const broken = () => assert.fail("a bug")
      alarms.get = broken
      alarms.values = broken
      const { answer, data } = yield* Effect.ensuring(
        recorded("customer", "DELETE", "/v1/alarms/some-id", { token: acme.tokens[2] }),
        Effect.sync(() => {
          alarms.get = get
          alarms.values = values
        })
      )
      assert.strictEqual(answer.status, 500)
      assert.deepInclude(data, { route: "/v1/alarms/:alarm_id", credential_id: acme.credentialIds[2], tier: 2 })

      const all = credentials.values
      credentials.values = broken
      const proxied = yield* Effect.ensuring(
        Effect.all([
          recorded("customer", "DELETE", "/v1/iaas/compute/servers/some-id", { token: "nobody-knows-1" }),
          recorded("customer", "DELETE", "/v1/kubernetes/api/v1/namespaces/x/pods/y", { token: "nobody-knows-2" })
        ]),
        Effect.sync(() => (credentials.values = all))
      )
      assert.deepStrictEqual(
        proxied.map((_) => _.answer.status),
        [500, 500]
      )
    })
  )

  for (const service of iaasServices) {
    it.effect(`a write through ${service} leaves a record with any outcome`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
          for (const token of [...acme.tokens, undefined]) {
            const path = `/v1/iaas/${service}/some-thing/some-id?some=where`
            const { data } = yield* recorded("customer", method, path, { token, body: { some: "what" } })
            assert.deepInclude(data, { method, parameters: ["some"] })
            assert.isTrue(data.route?.startsWith(`/v1/iaas/${service}/:id`), data.route ?? "none")
            const at = acme.tokens.indexOf(token ?? "")
            assert.strictEqual(data.credential_id, at < 0 ? null : acme.credentialIds[at])
          }
        }
      })
    )
  }

  it.effect("a body that is too large, of another type, malformed or chunked leaves a record", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const token = acme.tokens[2]
      const rows: ReadonlyArray<readonly [status: number, asked: Asked]> = [
        [413, { token, body: { label: "x".repeat(70_000) } }],
        [413, { token, body: { label: "x".repeat(70_000) }, chunked: true }],
        [415, { token, body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } }],
        [422, { token, body: "{", headers: { "content-type": "application/json" } }],
        [422, { token, body: { kind: 1 }, chunked: true }],
        [422, { token, body: `{"tier":0,"tier":1}`, headers: { "content-type": "application/json" } }]
      ]
      for (const plane of planes) {
        for (const [status, asked] of rows) {
          const { answer, data } = yield* recorded(plane, "POST", "/v1/credentials", asked)
          assert.strictEqual(answer.status, status, answer.text)
          assert.deepInclude(data, { route: "/v1/credentials", credential_id: acme.credentialIds[2] })
        }
      }
    })
  )

  it.effect("an odd spelling of a path leaves a record", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const token = acme.tokens[2]
      const spellings = [
        "/",
        "//",
        "//v1/credentials",
        "/v1//credentials",
        "/v1/credentials/",
        "/V1/credentials",
        "/v1/credentials/%zz",
        "/v1/credentials/%00",
        "/v1/credentials/%2e%2e",
        "/v1/../v1/credentials",
        "/v1/credentials#x",
        "/v1/credentials;x=1",
        "/v1/iaas",
        "/v1/iaas/",
        "/v1/iaas/compute",
        "/v1/iaas/../credentials",
        "/v1/iaas/compute/%2e%2e/servers",
        "/v1/kubernetes/",
        "/v1/kubernetes//api",
        "/docs",
        "/metrics",
        "/openapi.json",
        "http://elsewhere.example/v1/credentials",
        "/v1/%63redentials/some-id",
        "/v1/credentials/%73ome-id",
        "/%76%31/credentials",
        "/v1/credentials/" + "x".repeat(9000),
        "/v1/credentials?" + "x=1&".repeat(2000)
      ]
      for (const plane of planes) {
        for (const method of ["POST", "DELETE"]) {
          for (const path of spellings) {
            const { answer, data } = yield* recorded(plane, method, path, { token })
            assert.isTrue(answer.status >= 400, `${method} ${path}`)
            assert.strictEqual(data.method, method)
          }
        }
      }
    })
  )

  it.effect("other methods make no upstream call, change nothing, and leave no record", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call, trace } = yield* TestGateway
      const cloud = yield* SimulatedCloud
      const paths = [
        "/v1/credentials",
        "/v1/alarms",
        "/v1/iaas/compute/servers/some-id",
        "/v1/iaas/network/routers",
        "/v1/kubernetes/api/v1/namespaces",
        "/nowhere"
      ]
      const methods =
        "PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK QUERY TRACE LINK UNLINK PURGE SEARCH REPORT MERGE".split(" ")
      yield* call("customer", "GET", "/v1/whoami", { token: acme.tokens[2] })
      const before = yield* trace
      const calls = (yield* cloud.calls).length
      const newest = yield* newestRecords
      for (const plane of planes) {
        for (const method of methods) {
          for (const path of paths) {
            const answer = yield* call(plane, method, path, { token: acme.tokens[2] })
            assert.isTrue([404, 405, 501].includes(answer.status), `${method} ${path}: ${answer.status} ${answer.text}`)
            assert.match(answer.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
          }
        }
      }
      assert.deepStrictEqual(yield* trace, before)
      assert.lengthOf(yield* cloud.calls, calls)
      for (const path of paths) {
        yield* call("customer", "HEAD", path, { token: acme.tokens[2] })
        // The platform answers it about its own paths.
        yield* call("customer", "OPTIONS", path, { token: acme.tokens[2] })
      }
      assert.deepStrictEqual(yield* trace, before)
      assert.deepStrictEqual((yield* newestRecords)[0]?.id, newest[0]?.id)
      assert.match(yield* raw("customer", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"), /^(HTTP\/1.1 [45]\d\d|$)/)
      assert.match(yield* raw("customer", "POST\r\n\r\n"), /^HTTP\/1.1 400/)
    })
  )

  it.effect("an unmeetable Expect header is answered normally, with its record", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      for (const path of ["/v1/credentials/some-id", "/v1/iaas/compute/servers/some-id"]) {
        const request =
          `DELETE ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: the-moon\r\n` +
          `Authorization: Bearer ${acme.tokens[2]}\r\n\r\n`
        const text = yield* raw("customer", request)
        const id = /^x-request-id: (\w+)/im.exec(text)?.[1]
        yield* recordWith(id)
      }
    })
  )
})
