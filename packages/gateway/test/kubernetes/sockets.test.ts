import { assert, layer } from "@effect/vitest"
import { turn } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import type { Duplex } from "node:stream"
import { WebSocket } from "ws"
import { Cast, operator } from "../harness/Cast.ts"
import { accepted, calling, dialled, type Dialled, framesIn, frameOf, type Raw } from "./ClusterStream.ts"
import { cluster, Clustered, ClusterTap, eventually, failed, home, runningPod } from "./ClusterTap.ts"
import { Logs } from "../harness/Logs.ts"
import { TestGateway } from "../harness/TestGateway.ts"

const Logged = Clustered.pipe(Layer.provideMerge(Logs.layer))

const protocols = { "Sec-WebSocket-Protocol": "v5.channel.k8s.io, v4.channel.k8s.io" }
const spdy = { method: "POST", protocol: "SPDY/3.1", headers: { "X-Stream-Protocol-Version": "v4.channel.k8s.io" } }

/** The pod is there after the first use. */
const pod = Effect.gen(function* () {
  const there = yield* cluster("GET", `${yield* home}/pods/web`)
  return there.status === 200 ? `${yield* home}/pods/web` : yield* runningPod("web")
})

/** What came on one channel, as text, once the connection is over or as much of it is there as is waited for. */
const said = (raw: Raw, channel: number) =>
  Buffer.concat(
    framesIn(raw.body())
      .filter((_) => _[0] === channel)
      .map((_) => _.subarray(1))
  ).toString()

const isOver = (raw: Raw) => eventually(Effect.sync(() => assert.isDefined(raw.over())))

/** The connection ended with an answer: its body, without the framing. */
const refusalOf = Effect.fnUntraced(function* (raw: Raw) {
  yield* isOver(raw)
  assert.strictEqual(raw.headers["connection"], "close")
  assert.match(raw.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
  return JSON.parse(raw.body().toString())
})

const tiers = "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."

layer(Logged)("a connection to a pod", (it) => {
  for (const tier of [1, 2] as const) {
    it.effect(`runs a command at tier ${tier}, with separate streams and its status`, () =>
      Effect.gen(function* () {
        const token = (yield* Cast).acme.tokens[tier]
        const path = `${yield* pod}/exec?command=echo&command=a&command=b&stdout=1`
        const raw = yield* dialled(path, { token, headers: protocols })
        assert.strictEqual(raw.status, 101)
        assert.strictEqual(raw.headers["sec-websocket-protocol"], "v5.channel.k8s.io")
        assert.strictEqual(raw.headers["sec-websocket-accept"], accepted)
        assert.strictEqual(raw.headers["upgrade"]?.toLowerCase(), "websocket")
        assert.match(raw.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
        yield* eventually(Effect.sync(() => assert.include(said(raw, 3), '"Success"')))
        assert.strictEqual(said(raw, 1), "a b\n")
        raw.socket.destroy()
      })
    )
  }

  it.effect("takes a browser page's token from a subprotocol, which is not passed on", () =>
    Effect.gen(function* () {
      const { acme, revoked } = yield* Cast
      const { url } = yield* TestGateway
      const address = `${url.customer.replace("http", "ws")}/v1/kubernetes${yield* pod}/exec?command=echo&command=a&stdout=1`
      const prefix = "base64url.bearer.authorization.k8s.io."
      const of = (token: string) => `${prefix}${Buffer.from(token).toString("base64url")}`
      /** The agreed subprotocol, or the status of the refusal. */
      const opened = (protocols: ReadonlyArray<string>) =>
        Effect.callback<string>((resume) => {
          const socket = new WebSocket(address, [...protocols])
          socket.once("open", () => resume(Effect.succeed(socket.protocol)))
          socket.once("unexpected-response", (_, { statusCode }) => resume(Effect.succeed(String(statusCode))))
          socket.on("error", () => {})
          return Effect.sync(() => socket.terminate())
        })
      const token = of(acme.tokens[1])
      assert.strictEqual(yield* opened(["v4.channel.k8s.io", token]), "v4.channel.k8s.io")
      assert.strictEqual(yield* opened([token, "v5.channel.k8s.io"]), "v5.channel.k8s.io")
      const refused = {
        "no token": ["v4.channel.k8s.io"],
        "an empty token": ["v4.channel.k8s.io", prefix],
        "an invalid token": ["v4.channel.k8s.io", of("none")],
        "a revoked token": ["v4.channel.k8s.io", of(revoked)],
        "a token as it is": ["v4.channel.k8s.io", `${prefix}${acme.tokens[1]}`],
        "two tokens": ["v4.channel.k8s.io", token, of(acme.tokens[2])],
        "the token alone": [token],
        "another spelling": ["v4.channel.k8s.io", token.replace("base64url", "Base64url")]
      }
      for (const [what, offered] of Object.entries(refused)) assert.strictEqual(yield* opened(offered), "401", what)
      // At tier 0 as with the header.
      assert.strictEqual(yield* opened(["v4.channel.k8s.io", of(acme.tokens[0])]), "403")
      const { seen: requests } = yield* ClusterTap
      const seen = JSON.stringify([yield* requests, yield* (yield* Logs).lines])
      assert.include(seen, "v4.channel.k8s.io")
      for (const secret of [acme.tokens[1], token.slice(prefix.length)]) assert.notInclude(seen, secret)
    })
  )

  it.effect("passes input to the command, and its output back at once", () =>
    Effect.gen(function* () {
      const raw = yield* dialled(`${yield* pod}/exec?command=cat&stdin=1`, { headers: protocols })
      raw.socket.write(frameOf(0, "hello"))
      yield* eventually(Effect.sync(() => assert.strictEqual(said(raw, 1), "hello")))
      raw.socket.write(Buffer.concat([frameOf(0, " again"), frameOf(255, "\0")]))
      yield* eventually(Effect.sync(() => assert.include(said(raw, 3), '"Success"')))
      assert.strictEqual(said(raw, 1), "hello again")
      raw.socket.destroy()
    })
  )

  it.effect("attaches to a container, and forwards a port", () =>
    Effect.gen(function* () {
      const attached = yield* dialled(`${yield* pod}/attach?stdin=1`, { headers: protocols })
      attached.socket.write(frameOf(0, "you there?"))
      yield* eventually(Effect.sync(() => assert.strictEqual(said(attached, 1), "you there?")))
      attached.socket.destroy()
      const headers = { "Sec-WebSocket-Protocol": "portforward.k8s.io" }
      const port = yield* dialled(`${yield* pod}/portforward?ports=8080`, { headers })
      port.socket.write(frameOf(0, "ping"))
      yield* eventually(Effect.sync(() => assert.match(said(port, 0), /ping$/)))
      port.socket.destroy()
    })
  )

  for (const sub of ["exec?command=id", "attach", "portforward?ports=80", "proxy/ws", "log?follow=1"]) {
    for (const options of [{ headers: protocols }, spdy]) {
      const { method = "GET", protocol = "websocket" }: Dialled = options
      it.effect(`is refused at tier 0: ${method} ${sub} by ${protocol}`, () =>
        Effect.gen(function* () {
          const tap = yield* ClusterTap
          const [token] = (yield* Cast).acme.tokens
          const path = yield* pod
          yield* tap.forget
          const raw = yield* dialled(`${path}/${sub}`, { ...options, token })
          const name = method === "POST" ? "POST" : `GET of pods/${sub.split(/[?/]/)[0]}`
          const detail = `Insufficient credential tier: ${name} requires tier 1, the caller's credential is tier 0. ${tiers}`
          assert.deepStrictEqual(yield* refusalOf(raw), failed(403, "Forbidden", "tier_too_low", detail))
          assert.strictEqual(raw.status, 403)
          assert.deepStrictEqual(yield* tap.seen, [])
        })
      )
    }
  }

  const nowhere: Readonly<Record<string, (cast: Cast["Service"]) => string>> = {
    "another tenant's": ({ globex }) => `/api/v1/namespaces/db-${globex.projectId}/pods/web/exec?command=id`,
    "the cluster's own": () => "/api/v1/namespaces/kube-system/pods/web/exec?command=id",
    "a node's": () => "/api/v1/nodes/node-1/proxy/exec",
    "the namespace's": ({ acme }) => `/api/v1/namespaces/db-${acme.projectId}`,
    "the discovery's": () => "/version",
    "a review's": () => "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
  }
  for (const [whose, path] of Object.entries(nowhere)) {
    for (const tier of [0, 2] as const) {
      it.effect(`is 404 into ${whose} at tier ${tier}`, () =>
        Effect.gen(function* () {
          yield* pod
          const tap = yield* ClusterTap
          yield* tap.forget
          const cast = yield* Cast
          const raw = yield* dialled(path(cast), { headers: protocols, token: cast.acme.tokens[tier] })
          assert.deepStrictEqual(yield* refusalOf(raw), failed(404, "NotFound", "not_found", "Not Found"))
          assert.deepStrictEqual(yield* tap.seen, [])
        })
      )
    }
  }

  it.effect("is made under the caller's name alone, despite forged names", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      const { acme } = yield* Cast
      const path = yield* pod
      yield* tap.forget
      const raw = yield* dialled(`${path}/exec?command=true`, {
        headers: {
          "Sec-WebSocket-Protocol":
            "base64url.bearer.authorization.k8s.io.c3lzdGVtOm1hc3RlcnM, v4.channel.k8s.io, BASE64URL.bearer.authorization.k8s.io.c3lzdGVt",
          Connection: "Upgrade, Authorization, Impersonate-User, Impersonate-Group",
          "Impersonate-User": "system:admin",
          "Impersonate-Group": "system:masters",
          impersonate_group: "system:masters",
          "Impersonate-Uid": "system:masters",
          "Impersonate-Extra-Portico-Credential": "system:masters",
          Cookie: "system:masters"
        }
      })
      assert.strictEqual(raw.status, 101)
      assert.strictEqual(raw.headers["sec-websocket-protocol"], "v4.channel.k8s.io")
      raw.socket.destroy()
      const [seen] = yield* tap.seen
      const sent = JSON.stringify(seen?.rawHeaders)
      for (const word of ["system:", "c3lzdGVt", acme.tokens[2]]) assert.notInclude(sent, word)
      const names = (seen?.rawHeaders ?? []).flatMap((_, i) => (i % 2 === 0 ? [_.toLowerCase()] : []))
      assert.deepStrictEqual(
        names.filter((_) => _.startsWith("impersonate") || _ === "authorization" || _ === "connection").toSorted(),
        [
          "authorization",
          "connection",
          "impersonate-extra-portico-credential",
          ...["tenant", "tenant:operate", "tier"].map(() => "impersonate-group"),
          "impersonate-user"
        ]
      )
      assert.strictEqual(seen?.headers.authorization, "Bearer kubernetes-token-of-the-gateway")
      assert.strictEqual(seen?.headers.connection, "Upgrade")
    })
  )

  it.effect("is open to a platform administrator, in every namespace", () =>
    Effect.gen(function* () {
      const raw = yield* dialled(`${yield* pod}/exec?command=echo&command=hi`, { token: operator, headers: protocols })
      yield* eventually(Effect.sync(() => assert.strictEqual(said(raw, 1), "hi\n")))
      raw.socket.destroy()
    })
  )

  it.effect("is refused without a caller, before an upstream call", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      const path = yield* pod
      yield* tap.forget
      const raw = yield* dialled(`${path}/exec?command=id`, { token: "garbage", headers: protocols })
      assert.strictEqual(raw.status, 401)
      const wanted = failed(401, "Unauthorized", "token_inactive", "Token is not active")
      assert.deepStrictEqual(yield* refusalOf(raw), wanted)
      assert.deepStrictEqual(yield* tap.seen, [])
    })
  )

  it.effect("may be refused by the API server, whose message is passed on", () =>
    Effect.gen(function* () {
      yield* (yield* Logs).forget
      const none = yield* dialled(`${yield* home}/pods/none/exec?command=id`, { headers: protocols })
      assert.strictEqual(none.status, 404)
      assert.deepInclude(yield* refusalOf(none), { message: 'pods "none" not found', reason: "NotFound", code: 404 })
      const odd = yield* dialled(`${yield* pod}/exec?command=id`, { headers: { "Sec-WebSocket-Protocol": "chat" } })
      assert.include((yield* refusalOf(odd)).message, "unable to negotiate protocol: client supports [chat]")
      // This API server speaks no SPDY.
      const old = yield* dialled(`${yield* pod}/exec?command=id`, spdy)
      assert.deepStrictEqual([old.status, (yield* refusalOf(old)).message], [400, "Upgrade request required"])
      const logged = (yield* (yield* Logs).lines).filter((_) => _.includes("level=ERROR"))
      assert.deepStrictEqual(logged, [])
    })
  )

  it.effect("is not opened by a plain GET or POST", () =>
    Effect.gen(function* () {
      for (const method of ["GET", "POST"]) {
        const answer = yield* cluster(method, `${yield* pod}/exec?command=id`)
        assert.deepStrictEqual([answer.status, JSON.parse(answer.text).message], [400, "Upgrade request required"])
      }
    })
  )

  it.effect("is not upgraded with a body, or to an unknown protocol", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      const path = `${yield* pod}/exec?command=id`
      for (const options of [
        { protocol: "h2c" },
        { protocol: "TLS/1.0" },
        { ...spdy, headers: { "Content-Length": "3" }, early: Buffer.from("abc") },
        { ...spdy, headers: { "Transfer-Encoding": "chunked" }, early: Buffer.from("0\r\n\r\n") }
      ]) {
        yield* tap.forget
        const raw = yield* dialled(path, options)
        assert.strictEqual(raw.status, 400)
        const [seen] = yield* tap.seen
        assert.notProperty(seen?.headers, "upgrade")
        raw.socket.destroy()
      }
    })
  )
})

/** What an API server that speaks a protocol of its own says first. */
const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n"

const answering = (script: (socket: Duplex, head: Buffer) => void) =>
  Effect.flatMap(ClusterTap, (_) => _.scriptUpgrade((__, socket, head) => script(socket, head)))

layer(Logged)("two connections that are joined", (it) => {
  it.effect("carry SPDY too, with any bytes, from the first one on", () =>
    Effect.gen(function* () {
      const path = yield* pod
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
      // It speaks first, behind its head, and then says back what it hears.
      yield* answering((socket, head) => {
        socket.write(Buffer.concat([Buffer.from(switching), Buffer.from("first "), head]))
        socket.pipe(socket)
      })
      const raw = yield* dialled(`${path}/exec?command=id`, { ...spdy, early: Buffer.from("early ") })
      assert.deepStrictEqual([raw.status, raw.headers["upgrade"]], [101, "SPDY/3.1"])
      raw.socket.write(bytes)
      const all = Buffer.concat([Buffer.from("first early "), bytes])
      yield* eventually(Effect.sync(() => assert.deepStrictEqual(raw.body(), all)))
      raw.socket.destroy()
    })
  )

  it.effect("are not joined by an endless answer, which is broken off before the limit of an answer", () =>
    Effect.gen(function* () {
      const path = yield* pod
      const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      for (const piece of ["1\r\na\r\n", `1000\r\n${"a".repeat(4096)}\r\n`]) {
        let isOver = false
        yield* answering((socket) => {
          socket.once("close", () => (isOver = true))
          socket.write(head)
          const more = () => {
            if (!isOver && socket.write(piece.repeat(100))) setImmediate(more)
            else socket.once("drain", more)
          }
          more()
        })
        const raw = yield* dialled(`${path}/exec?command=id`)
        assert.strictEqual(raw.status, 200)
        yield* Effect.repeat(turn, { until: () => raw.over() !== undefined && isOver })
        assert.isAtMost(raw.body().length, 65_536)
      }
      yield* (yield* ClusterTap).scriptUpgrade()
    })
  )

  it.effect("carry the client's bytes from before the API server's answer", () =>
    Effect.gen(function* () {
      const path = yield* pod
      const tap = yield* ClusterTap
      let agree = () => {}
      yield* answering((socket, head) => {
        agree = () => {
          socket.write(Buffer.concat([Buffer.from(switching), head]))
          socket.pipe(socket)
        }
      })
      yield* tap.forget
      const client = yield* calling(`${path}/exec?command=id`, spdy)
      let heard = ""
      client.on("data", (_: Buffer) => (heard += _.toString()))
      yield* eventually(Effect.map(tap.seen, (_) => assert.lengthOf(_, 1)))
      client.write("early")
      // By the time that another call is through, so is that.
      yield* cluster("GET", path)
      agree()
      client.write(" and late")
      yield* eventually(Effect.sync(() => assert.match(heard, /\r\n\r\nearly and late$/)))
      client.destroy()
    })
  )

  it.effect("deliver all bytes up to the end, to a slow client too", () =>
    Effect.gen(function* () {
      const path = yield* pod
      const much = 8 * 1024 * 1024 + 60 * 1024
      yield* answering((socket) => {
        socket.write(switching)
        socket.resume().once("end", () => socket.end(Buffer.alloc(much)))
      })
      const client = yield* calling(`${path}/exec?command=id`, spdy)
      yield* Effect.promise(() => once(client, "readable"))
      client.end()
      const taken = yield* Effect.callback<number>((resume) => {
        let bytes = 0
        let closed = false
        const sip = () => {
          const piece: unknown = client.read()
          if (Buffer.isBuffer(piece)) bytes += piece.length
          if (!closed) setImmediate(sip)
        }
        client.once("close", () => {
          closed = true
          resume(Effect.succeed(bytes))
        })
        sip()
      })
      assert.isAbove(taken, much)
    })
  )

  it.effect("carry much in both directions, at the pace of the slower side", () =>
    Effect.gen(function* () {
      const path = yield* pod
      yield* answering((socket, head) => {
        socket.write(Buffer.concat([Buffer.from(switching), head]))
        socket.pipe(socket)
      })
      const raw = yield* dialled(`${path}/portforward`, spdy)
      const piece = Buffer.alloc(1024 * 1024, "portico ")
      for (let i = 0; i < 8; i += 1) raw.socket.write(piece)
      yield* eventually(Effect.sync(() => assert.strictEqual(raw.body().length, 8 * piece.length)))
      raw.socket.destroy()
    })
  )

  it.effect("end together: the API server's bytes are delivered, then the client's side is closed", () =>
    Effect.gen(function* () {
      const path = yield* pod
      yield* answering((socket) => socket.end(`${switching}bye`))
      const raw = yield* dialled(`${path}/exec?command=id`, spdy)
      yield* isOver(raw)
      assert.deepStrictEqual([raw.body().toString(), raw.over()], ["bye", "ended"])
      raw.socket.destroy()
    })
  )

  it.effect("break together: a client whose API server breaks off gets no close frame", () =>
    Effect.gen(function* () {
      const path = yield* pod
      const tap = yield* ClusterTap
      yield* tap.scriptUpgrade()
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const socket = new WebSocket(
        `${url.customer.replace("http", "ws")}/v1/kubernetes${path}/exec?command=cat&stdin=1`,
        ["v5.channel.k8s.io"],
        { headers: { authorization: `Bearer ${acme.tokens[1]}` } }
      )
      yield* Effect.promise(() => once(socket, "open"))
      yield* tap.breakOff
      const [code] = yield* Effect.promise(() => once(socket, "close"))
      // RFC 6455, section 7.1.5: the connection ended, and no close frame came.
      assert.strictEqual(code, 1006)
    })
  )

  it.effect("pass on the client's end, and the client still gets the answer", () =>
    Effect.gen(function* () {
      const path = yield* pod
      yield* answering((socket) => {
        socket.write(switching)
        let heard = ""
        socket.on("data", (_: Buffer) => (heard += _.toString()))
        socket.once("end", () => socket.end(`heard ${heard}`))
      })
      const raw = yield* dialled(`${path}/exec?command=id`, spdy)
      raw.socket.end("all of it")
      yield* isOver(raw)
      assert.deepStrictEqual([raw.body().toString(), raw.over()], ["heard all of it", "ended"])
    })
  )

  it.effect("cancel the upstream request when the client leaves before its answer", () =>
    Effect.gen(function* () {
      const path = yield* pod
      const tap = yield* ClusterTap
      let gone = 0
      yield* answering(
        (socket) =>
          void socket
            .resume()
            .once("end", () => socket.destroy())
            .once("close", () => (gone += 1))
      )
      yield* tap.forget
      const clients = yield* Effect.forEach([undefined, Buffer.from("early")], (early) =>
        calling(`${path}/exec?command=id`, { ...spdy, ...(early === undefined ? {} : { early }) })
      )
      yield* eventually(Effect.map(tap.seen, (_) => assert.lengthOf(_, 2)))
      for (const client of clients) client.end()
      yield* eventually(Effect.sync(() => assert.strictEqual(gone, 2)))
    })
  )
})
