import { referencePaths } from "@portico/gateway/requests/referencePaths"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { sharedPage } from "@portico/gateway/middleware/sharedPage"
import { assert, it as plain, layer } from "@effect/vitest"
import { settle } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { Cast, operator } from "../harness/Cast.ts"
import { exchanged } from "./exchanged.ts"
import { routes } from "../routes/routes.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const filled = (path: string): string => path.replaceAll(/:[a-z_]+/g, "some-id").replace(/\*$/, "compute/servers")

layer(Everything, { excludeTestServices: true })("the methods of a path", (it) => {
  for (const plane of planes) {
    for (const path of new Set(routes.filter((_) => _.planes.has(plane) && !_.proxied).map((_) => _.path))) {
      it.effect(`${plane}: OPTIONS ${path}`, () =>
        Effect.gen(function* () {
          const { call } = yield* TestGateway
          const { acme } = yield* Cast
          const here = routes.filter((_) => _.planes.has(plane) && _.path === path)
          const wanted = new Set(here.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])))
          const answer = yield* call(plane, "OPTIONS", filled(path), { token: acme.tokens[0] })
          assert.strictEqual(answer.status, 204)
          assert.deepStrictEqual(answer.headers["allow"], [...wanted, "OPTIONS"].toSorted().join(", "))
          assert.strictEqual(answer.text, "")
          const stranger = yield* call(plane, "OPTIONS", filled(path))
          assert.strictEqual(stranger.status, here.some((_) => _.authenticated) ? 401 : 204)
        })
      )
    }

    it.effect(`${plane}: OPTIONS of an unknown path is a 404, and of pages needs no token`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { acme } = yield* Cast
        for (const token of [undefined, acme.tokens[0]]) {
          assert.strictEqual((yield* call(plane, "OPTIONS", "/v1/nowhere", { token })).status, 404)
          assert.strictEqual((yield* call(plane, "OPTIONS", "/docs", { token })).headers["allow"], "GET, HEAD, OPTIONS")
          const metrics = yield* call(plane, "OPTIONS", "/metrics", { token })
          assert.strictEqual(metrics.status, plane === "operator" ? 204 : 404)
        }
      })
    )
  }

  it.effect("OPTIONS of a proxied path is answered by the upstream", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      const { headers } = yield* call("customer", "OPTIONS", "/v1/iaas/network/networks", { token: acme.tokens[0] })
      assert.isDefined(headers["x-request-id"])
      const seen = (yield* cloud.calls).filter((_) => _.method === "OPTIONS")
      assert.deepStrictEqual(
        seen.map((_) => _.service),
        ["neutron"]
      )
      assert.strictEqual((yield* call("customer", "OPTIONS", "/v1/iaas/network/networks")).status, 401)
    })
  )
})

layer(Everything, { excludeTestServices: true })("headers", (it) => {
  for (const plane of planes) {
    it.effect(`${plane}: every 401 says how to authenticate`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const open = routes.filter((_) => _.planes.has(plane) && _.authenticated)
        for (const { method, path } of open) {
          for (const token of [undefined, "garbage"]) {
            const answer = yield* call(plane, method, filled(path), { token })
            assert.strictEqual(answer.status, 401, `${method} ${path}`)
            assert.strictEqual(answer.headers["www-authenticate"], 'Bearer realm="portico"', `${method} ${path}`)
          }
        }
        const registry = yield* call(plane, "GET", "/v1/registry/token")
        assert.strictEqual(registry.headers["www-authenticate"], 'Basic realm="portico", charset="UTF-8"')
      })
    )
  }

  it.effect("a transfer coding other than chunked: 501 everywhere", () =>
    Effect.gen(function* () {
      for (const plane of planes) {
        for (const path of places) {
          for (const coding of ["gzip, chunked", "GZIP,chunked", "identity, chunked"]) {
            const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\nConnection: close\r\n`
            const said = yield* exchanged(plane, `${head}\r\n0\r\n\r\n`)
            assert.match(said, /^HTTP\/1.1 501 /, `${plane} ${path} ${coding}`)
            assert.include(said, "transfer_coding")
          }
        }
      }
    })
  )

  const places = ["/v1/whoami", "/v1/nowhere", "/health", "/docs", "/v1/iaas/compute/servers", "/v1/kubernetes/api"]
  const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
  const doubtful: Readonly<Record<string, readonly [headers: string, code: string]>> = {
    "two Hosts": ["Host: a.example\r\nhost: b.example\r\n", "header_repeated"],
    "the same Host twice": ["Host: a.example\r\nHost: a.example\r\n", "header_repeated"],
    "two Authorizations": [
      `Host: a\r\nAuthorization: Bearer ${operator}\r\nAuthorization: Bearer x\r\n`,
      "header_repeated"
    ],
    "no Host": ["", "host_invalid"],
    "a Host with a path": ["Host: a.example/b\r\n", "host_invalid"],
    "a Host with a user": ["Host: user@a.example\r\n", "host_invalid"],
    "a Host with a blank": ["Host: a b\r\n", "host_invalid"],
    "a Host with a port that does not exist": ["Host: a.example:65536\r\n", "host_invalid"]
  }
  for (const [what, [headers, code]] of Object.entries(doubtful)) {
    it.effect(`${what}: 400 everywhere`, () =>
      Effect.gen(function* () {
        for (const plane of planes) {
          for (const path of places) {
            for (const more of path.includes("kubernetes") ? ["", upgrade] : [""]) {
              const connection = more === "" ? "Connection: close\r\n" : ""
              const said = yield* exchanged(plane, `GET ${path} HTTP/1.1\r\n${headers}${more}${connection}\r\n`)
              assert.match(said, /^HTTP\/1.1 400 /, `${plane} ${path}`)
              assert.include(said, code, `${plane} ${path}`)
              assert.match(said, /\r\nx-request-id: [0-9a-f]{32}\r\n/i)
            }
          }
        }
      })
    )
  }

  it.effect("one Host in any form is accepted, and HTTP/1.0 needs none", () =>
    Effect.gen(function* () {
      for (const host of [
        "a.example",
        "a.example:8080",
        "127.0.0.1:1",
        "[::1]:80",
        "[2001:db8::1]",
        "a_b.example",
        ""
      ]) {
        const said = yield* exchanged("customer", `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
        assert.match(said, /^HTTP\/1.1 200 /, host)
      }
      assert.match(yield* exchanged("customer", "GET /health HTTP/1.0\r\n\r\n"), /^HTTP\/1.1 200 /)
    })
  )
})

layer(Everything, { excludeTestServices: true })("pages", (it) => {
  for (const plane of planes) {
    for (const path of referencePaths) {
      it.effect(`${plane}: ${path} is compressed if accepted, and a 304 when cached`, () =>
        Effect.gen(function* () {
          const { call } = yield* TestGateway
          const plain = yield* call(plane, "GET", path)
          const br = yield* call(plane, "GET", path, { headers: { "accept-encoding": "gzip, deflate, br" } })
          const gzip = yield* call(plane, "GET", path, { headers: { "accept-encoding": "br;q=0, gzip;q=0.5" } })
          assert.deepStrictEqual(
            [plain, br, gzip].map((_) => _.headers["content-encoding"]),
            [undefined, "br", "gzip"]
          )
          assert.isTrue(brotliDecompressSync(br.bytes).equals(plain.bytes))
          assert.isTrue(gunzipSync(gzip.bytes).equals(plain.bytes))
          for (const { bytes, headers } of [plain, br, gzip]) {
            assert.strictEqual(headers["content-length"], String(bytes.length))
            assert.strictEqual(headers["vary"], "Accept-Encoding")
            const accepted = headers["content-encoding"]
            const known = yield* call(plane, "GET", path, {
              headers: {
                "if-none-match": headers["etag"] ?? "",
                ...(accepted === undefined ? {} : { "accept-encoding": accepted })
              }
            })
            assert.deepStrictEqual([known.status, known.text], [304, ""])
          }
          const head = yield* call(plane, "HEAD", path)
          assert.deepStrictEqual([head.status, head.text], [200, ""])
        })
      )
    }
  }
})

plain.effect("a page is rendered once, for any number of reads", () =>
  Effect.gen(function* () {
    let made = 0
    const page = Effect.andThen(
      settle,
      Effect.sync(() => HttpServerResponse.text(`page ${(made += 1)}`))
    )
    const routes = HttpRouter.add("GET", "/page", page).pipe(Layer.provide(Layer.fresh(sharedPage.layer)))
    const { dispose, handler } = HttpRouter.toWebHandler(routes.pipe(Layer.provide(HttpServer.layerServices)), {
      disableLogger: true
    })
    const read = Effect.promise(async () => (await handler(new Request("http://localhost/page"))).text())
    // Many who come first at once, and one after them.
    const texts = [...(yield* Effect.replicateEffect(read, 20, { concurrency: "unbounded" })), yield* read]
    yield* Effect.promise(dispose)
    assert.deepStrictEqual([texts, made], [Array(21).fill("page 1"), 1])
  })
)

layer(Everything, { excludeTestServices: true })("excessive bodies", (it) => {
  const deep = (around: string) => around.replace("…", "[".repeat(300_000) + "]".repeat(300_000))

  it.effect("a request with many errors gets a hundred of them", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const body = Object.fromEntries(Array.from({ length: 3900 }, (_, i) => [`f${i}`, 1]))
      for (const path of ["/v1/signup", "/v1/credentials"]) {
        const answer = yield* call("customer", "POST", path, { token: acme.tokens[2], body })
        assert.strictEqual(answer.status, 422)
        const { detail } = jsonOf(answer)
        assert.strictEqual(detail.length, 100)
        assert.match(detail[99].msg, /^\d{4} more errors are not listed$/)
        assert.isBelow(answer.bytes.length, 20_000)
      }
      const query = Array.from({ length: 1000 }, (_, i) => `f${i}`).join("&")
      const answer = yield* call("customer", "GET", `/v1/whoami?${query}`, { token: acme.tokens[2] })
      assert.deepStrictEqual([answer.status, jsonOf(answer).detail.length], [422, 100])
    })
  )

  const containers = "/v1/iaas/key-manager/v1/containers"
  const bodies: Readonly<Record<string, string>> = {
    "POST /v1/iaas/key-manager/containers": `{"secret_refs": [{"secret_ref": "http://127.0.0.1/v1/iaas/key-manager/v1/secrets/x", "x": …}]}`,
    "POST /v1/iaas/key-manager/secrets": `{"payload": …}`,
    "POST /v1/iaas/network/security-group-rules": `{"security_group_rule": …}`,
    "POST /v1/iaas/network/routers": `{"router": {"external_gateway_info": …}}`,
    "PUT /v1/iaas/network/routers/x": `{"router": …}`,
    "POST /v1/iaas/compute/servers": `{"server": {"metadata": …}}`,
    "POST /v1/iaas/compute/servers/x/action": `{"resize": …}`,
    "POST /v1/iaas/volume/volumes": `{"volume": …}`,
    "POST /v1/iaas/image/images": `{"locations": …}`,
    "PATCH /v1/iaas/image/images/x": `[{"op": "add", "path": "/locations", "value": …}]`,
    "POST /v1/iaas/dns/zones": `{"name": …}`,
    "POST /v1/iaas/load-balancer/lbaas/loadbalancers": `{"loadbalancer": …}`,
    "POST /v1/kubernetes/api/v1/namespaces/x/configmaps": `{"data": …}`,
    "POST /v1/credentials": "…",
    "POST /v1/signup": "…",
    "POST /v1/registry/token": "…"
  }
  for (const [what, around] of Object.entries(bodies)) {
    it.effect(`${what}: 300,000 brackets are not an internal error`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { acme } = yield* Cast
        const [method = "", path = ""] = what.split(" ")
        const headers = { "content-type": "application/json" }
        const answer = yield* call("customer", method, path, { token: acme.tokens[2], headers, body: deep(around) })
        // A service may fail by itself at what it is sent.
        assert.notInclude(answer.text, '"code":"internal')
        if (answer.status !== 500) assert.isTrue(answer.status >= 400 && answer.status < 500, answer.text.slice(0, 200))
        assert.strictEqual((yield* call("customer", "GET", "/health")).status, 200)
      })
    )
  }

  it.effect("a container with usual references is created", () =>
    Effect.gen(function* () {
      const { call, url } = yield* TestGateway
      const { acme } = yield* Cast
      const token = acme.tokens[2]
      const secret = yield* call("customer", "POST", "/v1/iaas/key-manager/v1/secrets", { token, body: { name: "s" } })
      assert.strictEqual(secret.status, 201)
      const secret_ref = jsonOf(secret).secret_ref
      assert.include(secret_ref, url.customer)
      const body = { type: "generic", name: "c", secret_refs: [{ name: "s", secret_ref }] }
      assert.strictEqual((yield* call("customer", "POST", containers, { token, body })).status, 201)
    })
  )
})
