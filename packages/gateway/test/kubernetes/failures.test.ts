import { assert, layer } from "@effect/vitest"
import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { Effect, Layer } from "effect"
import { request } from "node:http"
import { Cast, operator } from "../harness/Cast.ts"
import { dialled } from "./ClusterStream.ts"
import { cluster, Clustered, ClusterTap, eventually, failed, home } from "./ClusterTap.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

/** The namespace is there. */
const used = Effect.gen(function* () {
  yield* cluster("POST", `${yield* home}/configmaps`, { body: { metadata: { name: "used" } } })
  return `${yield* home}/configmaps`
})

const upstream = (words: string) => failed(502, undefined, "upstream_failed", words)
const notAccepted = upstream("kubernetes: the API server did not accept the gateway's token")

/** Statuses with which the API server, or an admission webhook, may answer. */
const statuses = [
  200, 201, 202, 204, 304, 307, 400, 402, 403, 404, 405, 406, 409, 410, 413, 415, 418, 422, 429, 500, 501, 503, 504
]

layer(Clustered)("the API server's answer", (it) => {
  for (const status of statuses) {
    it.effect(`${status} is passed on, with its body and headers`, () =>
      Effect.gen(function* () {
        const path = yield* used
        const tap = yield* ClusterTap
        const body = status === 204 || status === 304 ? "" : `{"kind":"Status","code":${status},"odd":"\\u00fc"}`
        const headers = { "Content-Type": "application/json", "Retry-After": "7", Warning: '299 - "soon gone"' }
        yield* tap.script((from, to) => void from.resume().once("end", () => to.writeHead(status, headers).end(body)))
        for (const method of ["GET", "POST", "DELETE"]) {
          const answer = yield* cluster(method, path, method === "POST" ? { body: {} } : {})
          assert.deepStrictEqual([answer.status, answer.text], [status, body])
          const { "content-type": type, "retry-after": retry, warning } = answer.headers
          assert.deepStrictEqual([type, retry, warning], ["application/json", "7", '299 - "soon gone"'])
        }
      })
    )
  }

  it.effect("401 concerns the gateway, not the client: a 502 without its content", () =>
    Effect.gen(function* () {
      const path = yield* used
      const tap = yield* ClusterTap
      yield* tap.script((from, to) => {
        from.resume()
        to.writeHead(401, { "WWW-Authenticate": "Bearer realm=cluster.internal" }).end("cluster.internal")
      })
      for (const method of ["GET", "POST", "PATCH", "DELETE"]) {
        const answer = yield* cluster(method, path, method === "POST" ? { body: {} } : {})
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [502, notAccepted])
        assert.notInclude(JSON.stringify(answer.rawHeaders), "cluster.internal")
      }
    })
  )

  it.effect("401 is passed on from behind a proxy sub-resource", () =>
    Effect.gen(function* () {
      yield* used
      const tap = yield* ClusterTap
      yield* tap.script((_, to) => void to.writeHead(401).end("who are you?"))
      const answer = yield* cluster("GET", `${yield* home}/services/web:80/proxy/login`)
      assert.deepStrictEqual([answer.status, answer.text], [401, "who are you?"])
    })
  )

  const locations: Readonly<Record<string, string | undefined>> = {
    "/kubernetes/api/v1/pods": "/v1/kubernetes/api/v1/pods",
    "BASE/api/v1/pods?a=b": "/v1/kubernetes/api/v1/pods?a=b",
    "below/here": "below/here",
    "/elsewhere": undefined,
    "/kubernetesque/x": undefined,
    "https://node-1.internal:10250/x": undefined,
    "//node-1.internal/x": undefined,
    "BASE.evil.example/x": undefined
  }
  for (const [sent, wanted] of Object.entries(locations)) {
    it.effect(`a redirect to ${sent} gets the location ${wanted ?? "removed"}, and is not followed`, () =>
      Effect.gen(function* () {
        const path = yield* used
        const tap = yield* ClusterTap
        yield* tap.script((_, to) => {
          to.writeHead(302, {
            Location: sent.replace("BASE", tap.url),
            Link: `<${tap.url}/x>`,
            Server: "internal"
          }).end()
        })
        yield* tap.forget
        const answer = yield* cluster("GET", path)
        assert.deepStrictEqual([answer.status, answer.headers["location"]], [302, wanted])
        assert.notProperty(answer.headers, "link")
        assert.notProperty(answer.headers, "server")
        assert.lengthOf(yield* tap.seen, 1)
      })
    )
  }

  const breaks: Readonly<Record<string, string>> = {
    "with a reset": " (ECONNRESET)",
    "without a word": " (UND_ERR_SOCKET)",
    "with no HTTP": ""
  }
  for (const [how, code] of Object.entries(breaks)) {
    it.effect(`a connection closed ${how} is a 502 without an address`, () =>
      Effect.gen(function* () {
        const path = yield* used
        const tap = yield* ClusterTap
        yield* tap.script(({ socket }) => {
          if (how === "with a reset") socket.resetAndDestroy()
          else if (how === "without a word") socket.destroy()
          else socket.end("garbage\r\n\r\n")
        })
        const answer = yield* cluster("GET", path)
        const words = `kubernetes: no answer: the connection failed${code}`
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [502, upstream(words)])
        const write = yield* cluster("POST", path, { body: { metadata: { name: "lost" } } })
        assert.strictEqual(write.status, 502)
      })
    )
  }

  it.effect("a connection closed on an upgrade is a 502 too", () =>
    Effect.gen(function* () {
      yield* used
      const tap = yield* ClusterTap
      yield* tap.scriptUpgrade((_, socket) => void socket.destroy())
      const raw = yield* dialled(`${yield* home}/pods/web/exec?command=id`)
      yield* eventually(Effect.sync(() => assert.isDefined(raw.over())))
      const words = "kubernetes: no answer: the connection failed (ECONNRESET)"
      assert.deepStrictEqual([raw.status, JSON.parse(raw.body().toString())], [502, upstream(words)])
      yield* tap.scriptUpgrade((_, socket) => void socket.end("HTTP/1.1 401 Unauthorized\r\n\r\ncluster.internal"))
      const refused = yield* dialled(`${yield* home}/pods/web/exec?command=id`)
      yield* eventually(Effect.sync(() => assert.isDefined(refused.over())))
      assert.deepStrictEqual([refused.status, JSON.parse(refused.body().toString())], [502, notAccepted])
    })
  )

  it.effect("a body that the client does not complete is never complete upstream", () =>
    Effect.gen(function* () {
      const path = yield* used
      const tap = yield* ClusterTap
      const { url } = yield* TestGateway
      let ends = ""
      yield* tap.script((from) => {
        from.resume().once("end", () => (ends += "whole"))
        from.once("error", () => (ends += "broken"))
      })
      const { acme } = yield* Cast
      const headers = { authorization: `Bearer ${acme.tokens[1]}`, "content-length": "1000" }
      yield* tap.forget
      const outgoing = request(`${url.customer}/v1/kubernetes${path}`, { agent: false, method: "POST", headers })
      outgoing.on("error", () => {})
      outgoing.write("{")
      yield* eventually(Effect.map(tap.seen, (_) => assert.lengthOf(_, 1)))
      outgoing.destroy()
      yield* eventually(Effect.sync(() => assert.strictEqual(ends, "broken")))
    })
  )
})

/** A gateway with these settings of the cluster, and no tap. */
const behind = (settings: (cloud: Readonly<Record<string, string>>) => Readonly<Record<string, string>>) =>
  Cast.layer.pipe(
    Layer.provideMerge(TestGateway.layerOf(Effect.map(Server, ({ url }) => settings(gatewaySettings(url))))),
    Layer.provideMerge(TestGateway.cloud)
  )

/** Every way to ask: by a tenant and an administrator, on both planes. */
const everyway = Effect.fnUntraced(function* () {
  const { call } = yield* TestGateway
  const { acme } = yield* Cast
  return yield* Effect.forEach(
    planes.flatMap((plane) =>
      (plane === "operator" ? [...acme.tokens, operator] : acme.tokens).flatMap((token) =>
        ["/api", "/version"].map((_) => [plane, token, _] as const)
      )
    ),
    ([plane, token, path]) => call(plane, "GET", `/v1/kubernetes${path}`, { token })
  )
})

layer(behind(({ KUBERNETES_URL: _, ...rest }) => rest))("a cloud without a cluster", (it) => {
  it.effect("is a 404 for every authenticated caller", () =>
    Effect.gen(function* () {
      const wanted = failed(404, "NotFound", "service_not_found", "No platform service at 'kubernetes'")
      for (const answer of yield* everyway()) assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, wanted])
      const nobody = yield* cluster("GET", "/api", { token: "garbage" })
      assert.strictEqual(nobody.status, 401)
      const raw = yield* dialled(`${yield* home}/pods/web/exec`)
      assert.strictEqual(raw.status, 404)
      raw.socket.destroy()
    })
  )
})

// Port 1 is nobody's.
layer(
  behind((_) => ({ ..._, KUBERNETES_URL: "http://127.0.0.1:1" })),
  { excludeTestServices: true }
)("a cluster that cannot be reached", (it) => {
  it.effect("is a 502 for every authenticated caller", () =>
    Effect.gen(function* () {
      const wanted = upstream("kubernetes: no answer: the connection failed (ECONNREFUSED)")
      for (const answer of yield* everyway()) assert.deepStrictEqual([answer.status, jsonOf(answer)], [502, wanted])
      const read = yield* cluster("GET", `${yield* home}/pods`)
      assert.strictEqual(read.status, 502)
      assert.deepInclude(jsonOf(read), { code: 502, status: "Failure" })
      const raw = yield* dialled("/version", { token: operator })
      assert.strictEqual(raw.status, 502)
      raw.socket.destroy()
    })
  )
})
