import { Sha256 } from "@aws-crypto/sha256-js"
import { NodeFileSystem } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import * as Persistence from "@portico/simulator/Persistence"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { SignatureV4 } from "@smithy/signature-v4"
import { inTime, repeatInTime, settle, until } from "@portico/testing/clock"
import { Clock, Effect, Exit, Fiber, FileSystem, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const { idp } = fixtures
const InMemory = Server.layer({ port: 0 }).pipe(Layer.provide(SimulatedCloud.layerMemory))

/** Plain fetch, and nothing of ours in between. A broken connection is the answer `null`. */
const http = Effect.fnUntraced(function* (method: string, path: string, json?: unknown, headers = {}) {
  const { url } = yield* Server
  return yield* Effect.promise((signal) =>
    fetch(url + path, {
      method,
      signal,
      headers,
      ...(json === undefined ? {} : { body: typeof json === "string" ? json : JSON.stringify(json) })
    }).then(
      async (response) => ({ status: response.status, headers: response.headers, text: await response.text() }),
      () => null
    )
  )
})

const asked = (method: string, path: string, json?: unknown) =>
  Effect.map(http(method, path, json), (_) => JSON.parse(_?.text || "null"))

const createUser = (userName: string) =>
  http(
    "POST",
    "/idp/management/v1/users/machine",
    { userName, name: "n" },
    { authorization: `Bearer ${idp.serviceToken}` }
  )

const userNames = Effect.map(asked("GET", "/cloud/state"), (state): ReadonlyArray<string> =>
  state["zitadel.users"].map((_: { userName: string }) => _.userName).slice(2)
)

/** The call is made, and not answered. */
const underWay = until(
  Effect.map(asked("GET", "/cloud/calls"), (calls) => calls.some((_: { status: unknown }) => _.status === null))
)

const rule = { service: "zitadel", method: "POST", path: "/management/v1/users/*" }

it.live("state shows resources, calls lists requests, and calls can be cleared", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* userNames, [])
    assert.strictEqual((yield* createUser("acme"))?.status, 200)
    assert.deepStrictEqual(yield* userNames, ["acme"])
    yield* http("GET", "/identity/v3/projects?name=a%20b")
    const calls = yield* asked("GET", "/cloud/calls")
    assert.deepStrictEqual(
      calls.map(({ at: _, ...call }: { at: number }) => call),
      [
        {
          service: "zitadel",
          method: "POST",
          path: "/management/v1/users/machine",
          route: "/management/v1/users/machine",
          query: "",
          status: 200
        },
        {
          service: "keystone",
          method: "GET",
          path: "/v3/projects",
          route: "/v3/projects",
          query: "name=a+b",
          status: 401
        }
      ]
    )
    assert.strictEqual((yield* http("DELETE", "/cloud/calls"))?.status, 204)
    assert.deepStrictEqual(yield* asked("GET", "/cloud/calls"), [])
  }).pipe(Effect.provide(InMemory))
)

it.effect.each([
  { as: { status: 503 }, answer: [503, '{"message":"simulated 503"}'] },
  { as: { status: 409, body: { code: 6 } }, answer: [409, '{"code":6}'] },
  { as: { status: 502, body: "<html>bad gateway" }, answer: [502, "<html>bad gateway"] },
  { as: "garbage", answer: [200, '{"garbage": tru'] },
  { as: "reset", answer: null },
  { as: "hang", answer: "none" }
] as const)("fault $as, before and after the effect", ({ answer, as }) =>
  Effect.gen(function* () {
    for (const when of ["before", "after"] as const) {
      const set = yield* http("POST", "/cloud/faults", { ...rule, when, as })
      assert.strictEqual(set?.status, 201)
      const none = { duration: "1 minute", orElse: () => Effect.succeed("none" as const) } as const
      const call = createUser(when)
      const got = yield* as === "hang" ? inTime(Effect.timeoutOrElse(call, none), "10 seconds") : call
      assert.deepStrictEqual(got === null || got === "none" ? got : [got.status, got.text], answer as unknown)
    }
    assert.deepStrictEqual(yield* userNames, ["after"])
    // Each was for one call: it is over.
    assert.strictEqual((yield* createUser("last"))?.status, 200)
  }).pipe(Effect.provide(InMemory))
)

it.effect.each(["before", "after"] as const)("a delay %s the effect holds the answer back", (when) =>
  Effect.gen(function* () {
    yield* http("POST", "/cloud/faults", { ...rule, when, as: { delay_ms: 200 } })
    const call = yield* Effect.forkChild(createUser("acme"))
    yield* underWay
    yield* settle
    yield* TestClock.adjust("199 millis")
    yield* settle
    assert.isUndefined(call.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* Fiber.join(call))?.status, 200)
  }).pipe(Effect.provide(InMemory))
)

it.effect("a disconnecting client does not stop its call", () =>
  Effect.gen(function* () {
    yield* http("POST", "/cloud/faults", { ...rule, when: "before", as: { delay_ms: 150 } })
    const call = yield* Effect.forkChild(createUser("acme"))
    yield* underWay
    yield* Fiber.interrupt(call)
    yield* settle
    assert.deepStrictEqual(yield* userNames, [])
    yield* repeatInTime(userNames, (_) => _.length > 0, "150 millis")
    assert.deepStrictEqual(yield* userNames, ["acme"])
  }).pipe(Effect.provide(InMemory))
)

it.live("nth and times count matching calls, and faults can be removed", () =>
  Effect.gen(function* () {
    const statuses = Effect.forEach(["a", "b", "c", "d"], (_) => Effect.map(createUser(_), (_) => _?.status))
    yield* http("POST", "/cloud/faults", { ...rule, nth: 2, times: 2, when: "before", as: { status: 503 } })
    assert.deepStrictEqual(yield* statuses, [200, 503, 503, 200])
    yield* http("POST", "/cloud/faults", { ...rule, times: "always", when: "before", as: { status: 500 } })
    assert.deepStrictEqual(yield* statuses, [500, 500, 500, 500])
    assert.strictEqual((yield* http("DELETE", "/cloud/faults"))?.status, 204)
    assert.deepStrictEqual(yield* statuses, [409, 200, 200, 409])
  }).pipe(Effect.provide(InMemory))
)

it.live("each fault has an id and a count of its calls, and can be removed alone", () =>
  Effect.gen(function* () {
    const fault = { ...rule, times: "always", when: "before", as: { status: 503 } }
    const first = JSON.parse((yield* http("POST", "/cloud/faults", fault))?.text ?? "")
    const second = JSON.parse((yield* http("POST", "/cloud/faults", { ...fault, nth: 2, as: "reset" }))?.text ?? "")
    assert.deepStrictEqual(first, { id: first.id, ...fault, hits: 0 })
    assert.notStrictEqual(first.id, second.id)
    assert.strictEqual((yield* createUser("acme"))?.status, 503)
    assert.strictEqual((yield* createUser("acme"))?.status, 503)
    const hits = Effect.map(asked("GET", "/cloud/faults"), (rules: ReadonlyArray<{ id: string; hits: number }>) =>
      rules.map((_) => [_.id, _.hits])
    )
    assert.deepStrictEqual(yield* hits, [
      [first.id, 2],
      [second.id, 1]
    ])
    assert.strictEqual((yield* http("DELETE", `/cloud/faults/${first.id}`))?.status, 204)
    assert.strictEqual((yield* http("DELETE", `/cloud/faults/${first.id}`))?.status, 404)
    assert.deepStrictEqual(yield* hits, [[second.id, 1]])
    assert.isNull(yield* createUser("acme"))
    yield* http("DELETE", "/cloud/faults")
    assert.strictEqual((yield* createUser("acme"))?.status, 200)
  }).pipe(Effect.provide(InMemory))
)

it.live("the state can be reset to that before the first tenant", () =>
  Effect.gen(function* () {
    const before = yield* asked("GET", "/cloud/state")
    yield* createUser("acme")
    yield* http("POST", "/cloud/faults", { ...rule, when: "before", as: "reset" })
    assert.strictEqual((yield* http("DELETE", "/cloud/state"))?.status, 204)
    assert.deepStrictEqual(yield* asked("GET", "/cloud/state"), before)
    assert.isNull(yield* createUser("acme"), "faults stay")
    assert.strictEqual((yield* createUser("acme"))?.status, 200)
  }).pipe(Effect.provide(InMemory))
)

it.live("a snapshot is taken and loaded again; a malformed one changes nothing", () =>
  Effect.gen(function* () {
    yield* createUser("acme")
    const before = yield* asked("GET", "/cloud/state")
    const snapshot = yield* asked("GET", "/cloud/snapshot")
    yield* createUser("globex")
    yield* http("POST", "/cloud/faults", { ...rule, when: "before", as: "reset" })
    for (const [wrong, why] of [
      ["{", "Expected a valid JSON string"],
      ["[]", "it holds no object"],
      ['{"zitadel": {"users": 1}}', "zitadel.users is not what it should be"]
    ] as const) {
      const refused = yield* http("PUT", "/cloud/snapshot", wrong)
      assert.strictEqual(refused?.status, 400)
      assert.strictEqual(JSON.parse(refused?.text ?? "").message, `This is not a snapshot: ${why}.`)
    }
    assert.deepStrictEqual(yield* userNames, ["acme", "globex"])
    assert.strictEqual((yield* http("PUT", "/cloud/snapshot", snapshot))?.status, 204)
    assert.deepStrictEqual(yield* asked("GET", "/cloud/state"), before)
    assert.isNull(yield* createUser("globex"), "faults stay")
    assert.strictEqual((yield* createUser("globex"))?.status, 200)
    assert.deepStrictEqual(yield* userNames, ["acme", "globex"])
  }).pipe(Effect.provide(InMemory))
)

const good = { ...rule, when: "before", as: "reset" }

it.live.each([
  {
    what: "an unknown system",
    wrong: { ...good, service: "zitadle" },
    message: /^Expected "keystone" \| .* \| "company"\n {2}at \["service"\]$/
  },
  {
    what: "a method in lower case",
    wrong: { ...good, method: "post" },
    message: /^Expected a method in capitals\n {2}at \["method"\]$/
  },
  {
    what: "a malformed path",
    wrong: { ...good, path: "v3" },
    message: /^Expected a path below the mount, or \*\*\n {2}at \["path"\]$/
  },
  { what: "an nth of 0", wrong: { ...good, nth: 0 }, message: /at \["nth"\]$/ },
  { what: "a times that is not a count", wrong: { ...good, times: "ever" }, message: /at \["times"\]$/ },
  {
    what: "another when",
    wrong: { ...good, when: "during" },
    message: /^Expected "before" \| "after"\n {2}at \["when"\]$/
  },
  {
    what: "another kind",
    wrong: { ...good, as: "explode" },
    message: /^Expected "hang" \| "reset" \| "garbage"\n {2}at \["as"\]$/
  },
  { what: "an invalid status", wrong: { ...good, as: { status: 42 } }, message: /at \["as"\]\["status"\]/ },
  {
    what: "an unknown key",
    wrong: { ...good, tiems: 2 },
    message: /^Expected no excess property\n {2}at \["tiems"\]$/
  },
  {
    what: "nothing",
    wrong: {},
    message: /^Missing key\n {2}at \["service"\]\nMissing key\n {2}at \["method"\]\nMissing key/
  },
  { what: "no JSON", wrong: "{", message: /^Expected a valid JSON string$/ }
])("a wrong fault rule ($what) is refused with the expected value", ({ message, wrong }) =>
  Effect.gen(function* () {
    const answer = yield* http("POST", "/cloud/faults", wrong)
    assert.strictEqual(answer?.status, 400)
    const json = JSON.parse(answer?.text ?? "")
    assert.match(json.message, message)
    assert.deepStrictEqual(Object.keys(json.expected), ["service", "method", "path", "nth", "times", "when", "as"])
    assert.strictEqual((yield* createUser("acme"))?.status, 200)
  }).pipe(Effect.provide(InMemory))
)

it.live("404 at an unknown path, no body for HEAD, and 413 beyond 64 MiB", () =>
  Effect.gen(function* () {
    for (const path of ["/", "/nope/v3", "/cloud", "/cloud/nope", "/cloudy/state"]) {
      const answer = yield* http("GET", path)
      assert.deepStrictEqual([path, answer?.status], [path, 404])
      assert.isString(JSON.parse(answer?.text ?? "").message)
    }
    const get = yield* http("GET", "/cloud/calls")
    const head = yield* http("HEAD", "/cloud/calls")
    assert.deepStrictEqual([head?.status, head?.text, head?.headers.get("content-length")], [200, "", "2"])
    assert.strictEqual(get?.headers.get("content-length"), "2")
    const large = yield* http("POST", "/rgw/bucket/key", "x".repeat(64 * 1024 * 1024 + 1))
    assert.strictEqual(large?.status, 413)
    assert.deepStrictEqual(yield* asked("GET", "/cloud/calls"), [])
  }).pipe(Effect.provide(InMemory))
)

it.effect("closing the scope ends open connections and frees the port", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(InMemory, scope)
    yield* Effect.provide(http("POST", "/cloud/faults", { ...rule, when: "before", as: "hang" }), context)
    const hanging = yield* Effect.forkChild(Effect.provide(createUser("acme"), context))
    yield* Effect.provide(underWay, context)
    // The clock stands still: the library would wait for them.
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(yield* Fiber.join(hanging), null)
    assert.strictEqual(yield* Effect.provide(http("GET", "/cloud/state"), context), null)
  })
)

const withFile = <A, E, R>(test: (file: string) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    return yield* test(`${yield* files.makeTempDirectoryScoped()}/data/cloud.json`)
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

const saved = (file: string) => Server.layer({ port: 0 }).pipe(Layer.provide(Persistence.layer(file)))
const write = (file: string, world: unknown) =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    Effect.andThen(
      files.makeDirectory(file.slice(0, file.lastIndexOf("/")), { recursive: true }),
      files.writeFileString(file, typeof world === "string" ? world : JSON.stringify(world))
    )
  )
const read = (file: string) => Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file))

it.live("a saved cloud resumes with its state", () =>
  withFile((file) =>
    Effect.gen(function* () {
      const before = yield* Effect.provide(
        Effect.andThen(createUser("acme"), asked("GET", "/cloud/state")),
        saved(file)
      )
      const after = yield* Effect.provide(asked("GET", "/cloud/state"), saved(file))
      assert.deepStrictEqual(after, before)
      const names = yield* Effect.provide(Effect.andThen(createUser("acme"), userNames), saved(file))
      assert.deepStrictEqual(names, ["acme"])
    })
  )
)

/** The file has the user once some time has passed, long before the cloud ends. */
const savedSoon = (file: string, userName: string) =>
  repeatInTime(
    Effect.orElseSucceed(
      Effect.map(read(file), (_) => _.includes(`"userName":"${userName}"`)),
      () => false
    ),
    (_) => _,
    "100 millis"
  )

it.effect("a change is soon in the file, also one that is late or without an answer", () =>
  withFile((file) =>
    Effect.gen(function* () {
      yield* createUser("acme")
      yield* savedSoon(file, "acme")
      yield* http("POST", "/cloud/faults", { ...rule, when: "before", as: { delay_ms: 250 } })
      yield* Effect.forkChild(createUser("late"))
      yield* savedSoon(file, "late")
      yield* http("POST", "/cloud/faults", { ...rule, when: "after", as: "hang" })
      yield* Effect.forkChild(createUser("lost"))
      yield* savedSoon(file, "lost")
    }).pipe(Effect.provide(saved(file)))
  )
)

it.effect("a loaded snapshot is soon in the file", () =>
  withFile((file) =>
    Effect.gen(function* () {
      yield* createUser("acme")
      const snapshot = yield* asked("GET", "/cloud/snapshot")
      yield* http("DELETE", "/cloud/state")
      yield* http("PUT", "/cloud/snapshot", snapshot)
      yield* savedSoon(file, "acme")
    }).pipe(Effect.provide(saved(file)))
  )
)

it.live("a file of an older version gets its missing kinds", () =>
  withFile((file) =>
    Effect.gen(function* () {
      yield* write(file, { keystone: { projects: {}, users: {} } })
      const state = yield* Effect.provide(asked("GET", "/cloud/state"), saved(file))
      assert.deepStrictEqual(state["keystone.projects"], [])
      assert.strictEqual(state["zitadel.users"].length, 2)
      assert.isAbove(state["keystone.roles"].length, 0)
    })
  )
)

it.live.each([
  { content: '{"keystone":', reason: "Expected a valid JSON string" },
  { content: "[]", reason: "it holds no object" },
  { content: '{"keystone": []}', reason: "keystone is not what it should be" },
  {
    content: '{"keystone": {"users": []}, "zitadel": {"grants": 1}}',
    reason: "keystone.users, zitadel.grants is not what it should be"
  }
])("a file that is not a saved cloud stops the start and stays: $reason", ({ content, reason }) =>
  withFile((file) =>
    Effect.gen(function* () {
      yield* write(file, content)
      const failure = yield* Effect.flip(Layer.build(saved(file)))
      assert.strictEqual(
        failure.message,
        `${file} is not a saved cloud: ${reason}. Mend it, or move it away to begin with a new cloud.`
      )
      assert.strictEqual(yield* read(file), content)
    })
  )
)

it.live("a taken port is a failure that names it", () =>
  Effect.gen(function* () {
    const { port } = yield* Server
    const again = Server.layer({ port }).pipe(Layer.provide(SimulatedCloud.layerMemory))
    const failure = yield* Effect.flip(Effect.scoped(Layer.build(again)))
    assert.include(failure.message, `The simulated cloud cannot listen on 127.0.0.1:${port}: `)
  }).pipe(Effect.provide(InMemory))
)

it.live("the object gateway is also at an address without a path, as clients sign the path they send", () =>
  Effect.gen(function* () {
    const { s3Url, url } = yield* Server
    const { accessKey, secretKey } = fixtures.rgw
    const now = new Date(yield* Clock.currentTimeMillis)
    const signer = new SignatureV4({
      service: "s3",
      region: "us-east-1",
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
      sha256: Sha256,
      uriEscapePath: false
    })
    // As s3cmd does: the path alone, without that of the address, and the hash of the body.
    const sent = Effect.fnUntraced(function* (base: string, method: string, path: string, body = "") {
      const { host, hostname, port } = new URL(base)
      const payload = createHash("sha256").update(body).digest("hex")
      const headers = { host, "x-amz-content-sha256": payload }
      const unsigned = { method, protocol: "http:", hostname, port: Number(port), path, query: {}, headers }
      const signed = yield* Effect.promise(() => signer.sign(unsigned, { signingDate: now }))
      const request: RequestInit = { method, headers: signed.headers, ...(body === "" ? {} : { body }) }
      const answer = yield* Effect.promise(() => fetch(`${base}${path}`, request))
      return [answer.status, yield* Effect.promise(() => answer.text())] as const
    })
    assert.strictEqual(new URL(s3Url).pathname, "/")
    assert.strictEqual((yield* sent(s3Url, "PUT", "/cloud"))[0], 200)
    assert.strictEqual((yield* sent(s3Url, "PUT", "/cloud/a%20b%2B%C3%BC.txt", "content"))[0], 200)
    assert.deepStrictEqual(yield* sent(s3Url, "GET", "/cloud/a%20b%2B%C3%BC.txt"), [200, "content"])
    assert.include((yield* sent(s3Url, "GET", "/"))[1], "<Name>cloud</Name>")
    assert.strictEqual((yield* sent(s3Url, "DELETE", "/cloud/a%20b%2B%C3%BC.txt"))[0], 204)
    // Below the mount such a signature is wrong.
    assert.strictEqual((yield* sent(`${url}/rgw`, "GET", "/cloud"))[0], 403)
    assert.strictEqual((yield* Effect.promise(() => fetch(`${s3Url}/identity/v3`))).status, 404)
  }).pipe(Effect.provide(Server.layer({ port: 0, s3Port: 0 }).pipe(Layer.provide(SimulatedCloud.layerMemory))))
)

it.live.each(["SIGINT", "SIGTERM"] as const)("as a process: one line with its address, and %s ends it", (signal) =>
  withFile((file) =>
    Effect.gen(function* () {
      const main = fileURLToPath(import.meta.resolve("@portico/simulator/main"))
      const child = spawn(process.execPath, [main], {
        env: { ...process.env, CLOUD_PORT: "0", CLOUD_DATA_FILE: file },
        stdio: ["ignore", "pipe", "inherit"]
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
      const exited = once(child, "exit")
      const lines: Array<string> = []
      child.stdout.on("data", (chunk: Buffer) => lines.push(chunk.toString()))
      yield* Effect.promise(() => once(child.stdout, "data"))
      const { url } = JSON.parse(lines.join(""))
      const here = Effect.provideService(Server, { url, port: 0, s3Url: `${url}/rgw` })
      assert.strictEqual((yield* here(createUser("acme")))?.status, 200)
      child.kill(signal)
      yield* Effect.promise(() => exited)
      assert.strictEqual(lines.join("").split("\n").length, 2)
      assert.include(yield* read(file), '"userName":"acme"')
    })
  )
)
