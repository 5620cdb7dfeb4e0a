import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type IncomingMessage, request, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { gunzipSync, gzipSync } from "node:zlib"
import { Cast } from "../harness/Cast.ts"
import { withoutChance } from "../harness/http.ts"
import { arrived, oddBase, Tapped } from "./odd.ts"
import { Tap } from "../harness/Tap.ts"
import { TestGateway } from "../harness/TestGateway.ts"

layer(Tapped)("headers", (it) => {
  it.effect("forged claims of identity are dropped, in any spelling", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const claims = [
        "X-Tenant-Id",
        "X-Tenant-Name",
        "X-Project-Id",
        "X-Project-Domain-Id",
        "X-Auth-Token",
        "X-Auth-All-Projects",
        "X-Auth-Sudo-Project-Id",
        "X-Subject-Token",
        "X-Service-Token",
        "X-Service-Roles",
        "X-Roles",
        "X-Role",
        "X-User",
        "X-User-Id",
        "X-Domain-Id",
        "X-Identity-Status",
        "X-Is-Admin-Project",
        "X-Designate-Edit-Managed-Records",
        "OpenStack-System-Scope",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-Forwarded-Prefix",
        "X-Real-Ip",
        "X-Remote-User",
        "X-Original-Url",
        "X-Rewrite-Url",
        "X-Http-Method-Override",
        "Forwarded",
        "Cookie",
        "Proxy-Authorization",
        "Te",
        "Upgrade"
      ]
      // WSGI takes a low line for a hyphen.
      const names = [...claims, ...claims.map((_) => _.replaceAll("-", "_")), "X_Auth-Token", "x-AUTH_tOKEN"]
      const headers = Object.fromEntries(names.map((_) => [_, `evil ${_}`]))
      const { answer, seen } = yield* arrived("GET", "/recordsets", { headers })
      assert.strictEqual(answer.status, 200)
      const sent = JSON.stringify(seen?.rawHeaders)
      assert.notInclude(sent, "evil")
      assert.notInclude(sent, acme.tokens[2])
      assert.strictEqual(seen?.rawHeaders.filter((_) => _.toLowerCase() === "x-auth-token").length, 1)
      assert.notProperty(seen?.headers, "authorization")
    })
  )

  it.effect("headers of the connection are dropped", () =>
    Effect.gen(function* () {
      const headers = { connection: "keep-alive, X-Hop", "x-hop": "1", "x-stays": "2" }
      const { seen } = yield* arrived("GET", "/recordsets", { headers })
      assert.notProperty(seen?.headers, "x-hop")
      assert.strictEqual(seen?.headers["x-stays"], "2")
    })
  )

  it.effect("all others are forwarded, repeated ones with all their values", () =>
    Effect.gen(function* () {
      const headers = {
        accept: "application/json",
        "accept-encoding": "gzip",
        "openstack-api-version": "dns 2.1",
        "if-none-match": '"abc"',
        range: "bytes=0-1",
        "x-openstack-request-id": "req-1",
        "x-thing": ["one", "two"]
      }
      const { seen } = yield* arrived("GET", "/recordsets", { headers })
      for (const [name, value] of Object.entries(headers)) {
        assert.strictEqual(seen?.headers[name], typeof value === "string" ? value : value.join(", "))
      }
    })
  )

  it.effect("of the answer's, the upstream's own are dropped and others unchanged", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      yield* tap.script((_, to) => {
        const headers = [
          ["Content-Type", "text/plain; charset=latin1"],
          ["WWW-Authenticate", 'Keystone uri="http://identity.internal:5000"'],
          ["Server", "Werkzeug/2.0 at dns.internal"],
          ["X-Request-Id", "the upstream's"],
          ["Location", "http://dns.internal:9001/v2/zones/1"],
          // A browser takes these for the whole origin, which is the console's too.
          ["Set-Cookie", "a=1; Path=/"],
          ["SET-COOKIE", " __Host-portico-operator=d; Path=/; Secure"],
          ["Clear-Site-Data", '"*"'],
          ["Strict-Transport-Security", "max-age=31536000; includeSubDomains"],
          ["Alt-Svc", 'h2="elsewhere.example:443"'],
          ["NEL", '{"report_to":"them","max_age":60}'],
          ["Report-To", '{"group":"them","max_age":60,"endpoints":[{"url":"https://elsewhere.example"}]}'],
          ["Reporting-Endpoints", 'them="https://elsewhere.example"'],
          ["Service-Worker-Allowed", "/"],
          ["X-Thing", "one"],
          ["X-Thing", "two"],
          ["X-OpenStack-Request-Id", "req-2"],
          ["ETag", '"abc"'],
          ["Cache-Control", "public, max-age=60"]
        ]
        to.writeHead(403, headers.flat())
        to.end("no")
      })
      const { answer } = yield* arrived("GET", "/recordsets")
      const { headers, status, text } = withoutChance(answer)
      assert.deepStrictEqual([status, text], [403, "no"])
      assert.deepStrictEqual(
        headers.filter(([name]) => !["connection", "keep-alive", "transfer-encoding"].includes(name)),
        [
          ["content-type", "text/plain; charset=latin1"],
          ["x-thing", "one"],
          ["x-thing", "two"],
          ["x-openstack-request-id", "req-2"],
          ["etag", '"abc"'],
          ["cache-control", "public, max-age=60"],
          ["ratelimit-limit", "1000000"]
        ]
      )
      assert.match(answer.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
      assert.strictEqual(answer.rawHeaders.filter((_) => _.toLowerCase() === "x-request-id").length, 1)
    })
  )

  it.effect("a service's own address becomes the gateway's", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      yield* tap.script((_, to) => {
        to.writeHead(201, { location: `${tap.url}${oddBase}/zones/1` })
        to.end()
      })
      const { answer } = yield* arrived("POST", "/recordsets")
      assert.strictEqual(answer.headers["location"], "/v1/iaas/dns/zones/1")
    })
  )

  const trace = "0af7651916cd43dd8448eb211c80319c"
  const parents: ReadonlyArray<readonly [traceparent: string, valid: boolean]> = [
    [`00-${trace}-b7ad6b7169203331-01`, true],
    [`00-${trace}-b7ad6b7169203331-00`, true],
    [`00-${"0".repeat(32)}-b7ad6b7169203331-01`, false],
    [`00-${trace}-${"0".repeat(16)}-01`, false],
    [`00-${trace.toUpperCase()}-b7ad6b7169203331-01`, false],
    [`ff-${trace}-b7ad6b7169203331-01`, false],
    [`00-${trace}-b7ad6b7169203331`, false],
    [`00-${trace}-b7ad6b7169203331-01-more`, false],
    ["garbage", false],
    ["", false]
  ]
  for (const [traceparent, valid] of parents) {
    it.effect(`the request id ${valid ? "is that of" : "is fresh for"} traceparent '${traceparent}'`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { answer } = yield* arrived("GET", "/recordsets", { headers: { traceparent } })
        const others = yield* Effect.all([
          call("customer", "GET", "/health", { headers: { traceparent } }),
          call("operator", "GET", "/v1/nowhere", { headers: { traceparent } }),
          call("operator", "GET", "/v1/tenants", { headers: { traceparent } })
        ])
        const ids = [answer, ...others].map((_) => _.headers["x-request-id"] ?? "")
        for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/)
        if (valid) assert.deepStrictEqual(new Set(ids), new Set([trace]))
        else assert.strictEqual(new Set([...ids, trace, "0".repeat(32)]).size, 6)
      })
    )
  }
})

layer(Tapped)("bytes", (it) => {
  const five = randomBytes(5 * 1024 * 1024)

  it.effect("5 MiB up and down again, with a length and without", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      yield* tap.script((from, to) => void from.pipe(to))
      for (const chunked of [false, true]) {
        const { answer, seen } = yield* arrived("POST", "/recordsets", { body: five, chunked })
        assert.isTrue(answer.bytes.equals(five))
        assert.strictEqual(seen?.headers["content-length"], chunked ? undefined : String(five.length))
      }
    })
  )

  it.effect("a compressed body stays compressed", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      const packed = gzipSync('{"zones": []}')
      yield* tap.script((_, to) => {
        to.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        to.end(packed)
      })
      const { answer } = yield* arrived("GET", "/recordsets", { headers: { "accept-encoding": "gzip" } })
      assert.isTrue(answer.bytes.equals(packed))
      assert.strictEqual(gunzipSync(answer.bytes).toString(), '{"zones": []}')
      assert.strictEqual(answer.headers["content-encoding"], "gzip")
    })
  )

  it.effect("an answer's head does not wait for its body, nor a piece for the next", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { url } = yield* TestGateway
      const tap = yield* Tap
      for (const type of ["text/plain", "application/json", "application/octet-stream"]) {
        const upstream: Array<ServerResponse> = []
        yield* tap.script((_, to) => {
          upstream.push(to)
          to.writeHead(200, { "content-type": type })
          to.flushHeaders()
        })
        const answer = yield* Effect.promise(() =>
          fetch(`${url.customer}/v1/iaas/dns/recordsets`, { headers: { authorization: `Bearer ${acme.tokens[0]}` } })
        )
        assert.strictEqual(answer.status, 200)
        const reader = answer.body!.getReader()
        for (const piece of ["first", "second"]) {
          upstream[0]?.write(piece)
          const { value } = yield* Effect.promise(() => reader.read())
          assert.strictEqual(Buffer.from(value!).toString(), piece)
        }
        upstream[0]?.end()
        assert.isTrue((yield* Effect.promise(() => reader.read())).done)
      }
    })
  )

  it.effect("Expect: 100-continue is answered only when the body is wanted", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { url } = yield* TestGateway
      yield* (yield* Tap).script((from, to) => void from.pipe(to))
      const asked = (token: string) =>
        Effect.callback<{
          readonly invited: boolean
          readonly status: number
          readonly connection: string | undefined
        }>((resume) => {
          let invited = false
          const outgoing = request(`${url.customer}/v1/iaas/dns/recordsets`, {
            method: "POST",
            headers: { authorization: `Bearer ${token}`, expect: "100-continue", "content-length": "4" }
          })
          outgoing.once("continue", () => {
            invited = true
            outgoing.end("body")
          })
          outgoing.once("response", (answer) => {
            const { headers, statusCode = 0 } = answer.resume()
            if (!invited) outgoing.destroy()
            resume(Effect.succeed({ invited, status: statusCode, connection: headers.connection }))
          })
          outgoing.on("error", () => {})
          outgoing.flushHeaders()
        })
      assert.deepInclude(yield* asked(acme.tokens[1]), { invited: true, status: 200 })
      assert.deepStrictEqual(yield* asked(acme.tokens[0]), { invited: false, status: 403, connection: "close" })
      assert.deepInclude(yield* asked("nobody"), { invited: false, status: 401 })
    })
  )

  const long = 3 * 1024 * 1024
  /** More than is read of a body before it is refused. */
  const begun = 1024 * 1024 + 1
  const early: ReadonlyArray<{
    readonly of: string
    readonly status: number
    readonly path: string
    readonly script?: (from: IncomingMessage, to: ServerResponse) => void
    readonly stranger?: boolean
    readonly chunked?: boolean
  }> = [
    { of: "the gateway about the caller", status: 401, path: "/v1/iaas/dns/recordsets", stranger: true },
    { of: "the gateway about the length", status: 413, path: "/v1/iaas/network/security-group-rules" },
    { of: "the gateway about the body", status: 413, path: "/v1/iaas/network/security-group-rules", chunked: true },
    {
      of: "the upstream",
      status: 409,
      path: "/v1/iaas/dns/recordsets",
      script: (_, to) => void to.writeHead(409).end("no")
    },
    {
      of: "the upstream about the gateway",
      status: 502,
      path: "/v1/iaas/dns/recordsets",
      script: (_, to) => void to.writeHead(401).end("no")
    }
  ]
  for (const { chunked = false, of, path, script, status, stranger = false } of early) {
    it.effect(`an early answer of ${of} is passed on, and the connection is reused`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { url } = yield* TestGateway
        const tap = yield* Tap
        yield* tap.script(script ?? ((_, to) => void to.end("unexpected")))
        const { hostname, port } = new URL(url.customer)
        const socket = connect(Number(port), hostname)
        const head = (line: string, token: string) =>
          `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
        const size = chunked
          ? `Transfer-Encoding: chunked\r\n\r\n${long.toString(16)}\r\n`
          : `Content-Length: ${long}\r\n\r\n`
        socket.write(`${head(`POST ${path}`, stranger ? "nobody" : acme.tokens[1])}${size}`)
        socket.write(Buffer.alloc(begun))
        const first = yield* Effect.promise(() => once(socket, "data"))
        assert.match(String(first[0]), new RegExp(`^HTTP/1.1 ${status} `))

        yield* tap.script((_, to) => void to.end("the next one"))
        socket.write(Buffer.alloc(long - begun))
        if (chunked) socket.write("\r\n0\r\n\r\n")
        socket.write(`${head("GET /v1/iaas/dns/recordsets", acme.tokens[1])}Connection: close\r\n\r\n`)
        const rest = yield* Effect.promise(async () => Buffer.concat(await socket.toArray()).toString())
        assert.include(rest, "HTTP/1.1 200 OK")
        assert.include(rest, "the next one")
      })
    )
  }

  it.effect("trailers stay on their connection", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { url } = yield* TestGateway
      const tap = yield* Tap
      const trailers: Array<unknown> = []
      yield* tap.script((from, to) => {
        from.resume().once("end", () => {
          trailers.push(from.trailers)
          to.writeHead(200, { trailer: "x-sum" })
          to.write("fine")
          to.addTrailers({ "x-sum": "1" })
          to.end()
        })
      })
      const { hostname, port } = new URL(url.customer)
      const socket = connect(Number(port), hostname)
      socket.write(
        `POST /v1/iaas/dns/recordsets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.tokens[1]}\r\n` +
          "Connection: close\r\nTransfer-Encoding: chunked\r\nTrailer: X-Project-Id\r\n\r\n" +
          "4\r\nbody\r\n0\r\nX-Project-Id: other\r\n\r\n"
      )
      const text = yield* Effect.promise(async () => Buffer.concat(await socket.toArray()).toString())
      assert.include(text, "200 OK")
      assert.include(text, "fine")
      assert.notInclude(text.toLowerCase(), "x-sum")
      assert.deepStrictEqual(trailers, [{}])
    })
  )

  const statuses = [200, 201, 202, 204, 206, 300, 302, 304, 400, 403, 404, 405, 409, 413, 422, 429, 500, 501, 503, 504]
  it.effect("every status is passed on with its body and headers", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      for (const status of statuses) {
        const empty = status === 204 || status === 304
        yield* tap.script((_, to) => {
          to.writeHead(status, { "content-type": "application/json", etag: '"v1"', "retry-after": "7" })
          to.end(empty ? undefined : `{"status": ${status}}`)
        })
        for (const method of ["GET", "DELETE", "POST"]) {
          const { answer } = yield* arrived(method, "/recordsets")
          assert.strictEqual(answer.status, status)
          assert.strictEqual(answer.text, empty ? "" : `{"status": ${status}}`)
          assert.deepInclude(answer.headers, { "content-type": "application/json", etag: '"v1"', "retry-after": "7" })
        }
      }
    })
  )

  it.effect("HEAD has the length and no body; a missing content type is not invented", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      yield* tap.script((_, to) => {
        to.writeHead(200, { "content-length": "1234" })
        to.end()
      })
      const { answer, seen } = yield* arrived("HEAD", "/recordsets")
      assert.deepStrictEqual([answer.status, answer.text, seen?.method], [200, "", "HEAD"])
      assert.strictEqual(answer.headers["content-length"], "1234")
      assert.notProperty(answer.headers, "content-type")
    })
  )

  it.effect("a request without a body has none upstream", () =>
    Effect.gen(function* () {
      yield* (yield* Tap).script((_, to) => void to.end())
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        const { seen } = yield* arrived(method, "/recordsets")
        assert.strictEqual(seen?.method, method)
        assert.notProperty(seen?.headers, "transfer-encoding")
        assert.include([undefined, "0"], seen?.headers["content-length"])
      }
    })
  )
})
