import { assert } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { Effect } from "effect"
import { join } from "node:path"
import { request } from "undici"
import { samplesIn, valueOf } from "../observability/exposition.ts"
import { eventually, heard, repository, spawned } from "./children.ts"
import { cleanSlate, settings, startGateway, story, tenantOf } from "./harness.ts"
import { programOf } from "./bundles.ts"

/** A call on a connection of its own, so that any thread may get it. */
const called = (url: string, token: string) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${token}`, connection: "close" }
    const { body, headers: answered, statusCode } = await request(`${url}/v1/whoami`, { headers })
    await body.dump()
    return { status: statusCode, remaining: Number(answered["ratelimit-remaining"]) }
  })

story("three threads share a tenant's allowance, revocations and metrics", () =>
  Effect.gen(function* () {
    const gateway = yield* startGateway({ PORTICO_PROCESSES: "3", RATE_LIMIT_RPM_DISCOVERY: "40" })
    const { token } = yield* tenantOf(gateway, "Acme GmbH")
    assert.strictEqual((yield* gateway.mint(token, "short-lived")).status, 201)
    const answers = yield* Effect.forEach(Array.from({ length: 60 }), () => called(gateway.url, token))
    // One was taken by the mint. All come back after a minute, or none.
    const served = answers.filter((_) => _.status === 200)
    assert.deepStrictEqual(
      served.map((_) => _.remaining),
      Array.from({ length: 39 }, (_, index) => 38 - index)
    )
    assert.strictEqual(answers.at(-1)?.status, 429)

    const { text } = yield* Effect.promise(async () => {
      const operator = gateway.operatorUrl
      const { body } = await request(`${operator}/metrics`, {
        headers: { authorization: `Bearer ${fixtures.idp.operatorToken}` }
      })
      return { text: await body.text() }
    })
    const counted = valueOf(samplesIn(text), "portico_http_requests_total", { plane: "customer", route: "/v1/whoami" })
    assert.strictEqual(counted, 60)

    const globex = yield* tenantOf(gateway, "Globex")
    const key = (yield* gateway.mint(globex.token, "short-lived")).body
    const often = Effect.forEach(Array.from({ length: 12 }), () => called(gateway.url, key.pat ?? ""))
    assert.deepStrictEqual(new Set((yield* often).map((_) => _.status)), new Set([200]))
    assert.strictEqual((yield* gateway.revoke(globex.token, key.credential_id ?? "")).status, 200)
    yield* eventually(
      Effect.map(often, (_) => assert.deepStrictEqual(new Set(_.map(({ status }) => status)), new Set([401]))),
      heard
    )
    // Long before the time after which a thread is ended by force.
    assert.strictEqual(yield* Effect.timeout(gateway.stop, "20 seconds"), 0)
  })
)

story("threads report a taken port with a message", () =>
  Effect.gen(function* () {
    const gateway = yield* startGateway()
    const port = new URL(gateway.url).port
    const child = yield* spawned({
      command: [process.execPath, yield* programOf("gateway")],
      settings: { ...(yield* settings), PORTICO_PROCESSES: "2", CUSTOMER_PORT: port }
    })
    assert.strictEqual(yield* child.ended, 1)
    assert.include(child.stderr(), `The customer plane cannot listen on 127.0.0.1:${port}: the port is taken.`)
    assert.strictEqual(yield* gateway.stop, 0)
    yield* cleanSlate
  })
)

story("a thread that cannot start logs the reason", () =>
  Effect.gen(function* () {
    const child = yield* spawned({
      command: [process.execPath, yield* programOf("gateway")],
      settings: {
        ...(yield* settings),
        PORTICO_PROCESSES: "2",
        NODE_OPTIONS: `--import ${join(repository, "packages/gateway/test/threads/programs/faulty.mjs")}`,
        DEAF: "yes"
      }
    })
    assert.strictEqual(yield* child.ended, 1)
    assert.include(child.stderr(), ": the port is taken. CUSTOMER_PORT sets another port")
    assert.include(child.stderr(), "A thread of the planes did not start: the log says why.")
  })
)
