import { assert, describe, it } from "@effect/vitest"
import { createClient, type ClientOptions, isFailure, PorticoError } from "@portico/client/createClient"
import { engineOf } from "@portico/client/engine/engine"
import { routesOf } from "@portico/client/engine/routes"
import { customerOperations } from "@portico/client/operations/customer"
import { failure, faultyServer } from "./FaultyServer.ts"
import { fakeTime, settled, soon } from "./fakeTime.ts"

const whoami = { status: 200, body: { user_id: "u" } }
const minted = { status: 201, body: { credential_id: "cred-1" } }
const request = { kind: "api-key", tier: 0, label: "backup" } as const

const clientOf = (url: string, options: Partial<ClientOptions> = {}) => {
  const { pauses, time } = fakeTime()
  return { client: createClient({ url, token: "a-token", time, ...options }), pauses }
}

const failed = async (work: Promise<unknown>): Promise<PorticoError> => {
  const error: unknown = await work.then(
    () => assert.fail("it succeeded"),
    (error: unknown) => error
  )
  return error instanceof PorticoError ? error : assert.fail(String(error))
}

describe("a read", () => {
  it("is repeated after answers that may pass, with pauses that grow", async () => {
    await using server = await faultyServer(
      failure(503, "identity_provider_unreachable"),
      failure(502, "upstream_failed", { transient: true }),
      failure(504, "timeout"),
      "reset",
      whoami
    )
    const { client, pauses } = clientOf(server.url)
    assert.deepStrictEqual(await client.identity.whoami(), whoami.body)
    assert.strictEqual(server.calls.length, 5)
    assert.deepStrictEqual(pauses, [125, 250, 500, 1000])
    for (const { headers } of server.calls) assert.strictEqual(headers.authorization, "Bearer a-token")
  })

  it("waits as long as Retry-After asks, plus jitter of its own", async () => {
    await using server = await faultyServer(failure(429, "rate_limited", {}, { "retry-after": "7" }), whoami)
    const { client, pauses } = clientOf(server.url)
    await client.identity.whoami()
    assert.deepStrictEqual(pauses, [7125])
  })

  it("is given up when the gateway asks for too long a pause", async () => {
    await using server = await faultyServer(failure(429, "rate_limited", {}, { "retry-after": "3600" }))
    const { client, pauses } = clientOf(server.url)
    const error = await failed(client.identity.whoami())
    assert.deepStrictEqual([error.code, error.status, error.retryAfter], ["rate_limited", 429, 3600])
    assert.deepStrictEqual([server.calls.length, pauses], [1, []])
  })

  it("is not repeated after a refusal, nor after a failure that the upstream calls final", async () => {
    for (const reply of [
      failure(404, "project_not_found"),
      failure(409, "tenant_required"),
      failure(500, "internal_error"),
      failure(502, "upstream_failed", { transient: false })
    ]) {
      await using server = await faultyServer(reply)
      const error = await failed(clientOf(server.url).client.projects.show({ project_id: "p" }))
      assert.strictEqual(error.code, reply.body.code)
      assert.strictEqual(server.calls.length, 1)
    }
  })

  it("is not repeated after a 409, which only a creation with a key repeats", async () => {
    await using server = await faultyServer(failure(409, "tenant_required", {}, { "retry-after": "1" }))
    await failed(clientOf(server.url).client.projects.show({ project_id: "p" }))
    assert.strictEqual(server.calls.length, 1)
  })

  it("is not repeated when the call asks for one attempt", async () => {
    await using server = await faultyServer(failure(503, "stopping"), whoami)
    const { client } = clientOf(server.url)
    const error = await failed(client.identity.whoami({}, { retry: { times: 0 } }))
    assert.strictEqual(error.code, "stopping")
    assert.strictEqual(server.calls.length, 1)
    assert.deepStrictEqual(await client.identity.whoami(), whoami.body)
  })

  it("is given up after four repetitions, and fails with the last answer", async () => {
    await using server = await faultyServer(failure(503, "stopping", {}, { "x-request-id": "abc" }))
    const { client } = clientOf(server.url)
    const error = await failed(client.identity.whoami())
    assert.deepStrictEqual(
      [error.code, error.status, error.requestId, error.operation, error.detail],
      ["stopping", 503, "abc", "identity.whoami", "It is stopping"]
    )
    assert.strictEqual(server.calls.length, 5)
  })

  it("fails as unreachable with the reason when the connection is refused", async () => {
    const server = await faultyServer(whoami)
    await server[Symbol.asyncDispose]()
    const error = await failed(clientOf(server.url).client.identity.whoami())
    assert.strictEqual(error.code, "unreachable")
    assert.match(error.detail, /ECONNREFUSED/)
  })

  it("fails as unexpected_response when the body is not the gateway's", async () => {
    await using server = await faultyServer({ status: 403, headers: { "content-type": "text/html" }, body: "<h1>" })
    const error = await failed(clientOf(server.url).client.identity.whoami())
    assert.deepStrictEqual([error.code, error.status, error.body], ["unexpected_response", 403, "<h1>"])
  })
})

describe("a call that creates", () => {
  it("is repeated under one key until it is answered", async () => {
    await using server = await faultyServer("reset", failure(502, "upstream_failed", { transient: true }), minted)
    const { client } = clientOf(server.url)
    await client.credentials.mint(request)
    const keys = server.calls.map((_) => _.headers["idempotency-key"])
    assert.strictEqual(keys.length, 3)
    assert.strictEqual(new Set(keys).size, 1)
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
    assert.strictEqual(new Set(server.calls.map((_) => _.body)).size, 1)
  })

  it("has a new key each time, or the caller's own", async () => {
    await using server = await faultyServer(minted)
    const { client } = clientOf(server.url)
    await client.credentials.mint(request)
    await client.credentials.mint(request)
    await client.credentials.mint(request, { idempotencyKey: "mine" })
    const keys = server.calls.map((_) => _.headers["idempotency-key"])
    assert.strictEqual(new Set(keys).size, 3)
    assert.strictEqual(keys[2], "mine")
  })

  it("waits while the first call is in flight, and gives up after two minutes", async () => {
    const busy = failure(409, "idempotency_in_flight", {}, { "retry-after": "2" })
    await using patient = await faultyServer(...([busy, busy, busy, busy, busy, busy, busy, minted] as const))
    const first = clientOf(patient.url)
    await first.client.credentials.mint(request)
    assert.deepStrictEqual(
      first.pauses,
      Array.from({ length: 7 }, () => 2125)
    )

    await using server = await faultyServer(busy)
    const error = await failed(clientOf(server.url).client.credentials.mint(request))
    assert.strictEqual(error.code, "idempotency_in_flight")
    assert.isBelow(server.calls.length, 60)
  })

  it("is not repeated after another 409", async () => {
    await using server = await faultyServer(failure(409, "ceiling_reached", { ceiling: { limit: 1 } }))
    const { client } = clientOf(server.url)
    const error = await failed(client.credentials.mint(request))
    assert.deepStrictEqual(error.body, {
      detail: "It is ceiling_reached",
      code: "ceiling_reached",
      ceiling: { limit: 1 }
    })
    assert.strictEqual(server.calls.length, 1)
  })
})

describe("a call that is not safe to repeat", () => {
  it("is not repeated when it may have been carried out", async () => {
    for (const reply of ["reset", failure(503, "stopping"), failure(502, "upstream_failed")] as const) {
      await using server = await faultyServer(reply)
      await failed(clientOf(server.url).client.account.close({ confirm: "Acme" }))
      assert.strictEqual(server.calls.length, 1)
      assert.isUndefined(server.calls[0]?.headers["idempotency-key"])
    }
  })

  it("is not repeated with a key that its operation does not take", async () => {
    await using server = await faultyServer(failure(503, "stopping"))
    const { client } = clientOf(server.url)
    await failed(client.account.close({ confirm: "Acme" }, { idempotencyKey: "mine" }))
    assert.strictEqual(server.calls.length, 1)
  })

  it("is repeated after a 429", async () => {
    await using server = await faultyServer(failure(429, "rate_limited", {}, { "retry-after": "1" }), {
      status: 202,
      body: { number: 1 }
    })
    await clientOf(server.url).client.account.close({ confirm: "Acme" })
    assert.strictEqual(server.calls.length, 2)
  })

  it("is not repeated when it goes to a platform service, or its body is a stream", async () => {
    for (const call of [
      (_: ReturnType<typeof createClient>) => _.iaas.post("compute/servers", { body: "{}" }),
      (_: ReturnType<typeof createClient>) => _.iaas.patch("image/images/1", { body: "[]" }),
      (_: ReturnType<typeof createClient>) => {
        const body = new Blob(["image"]).stream()
        const init: RequestInit & { readonly duplex: "half" } = { body, duplex: "half" }
        return _.iaas.put("image/images/1/file", init)
      }
    ]) {
      await using server = await faultyServer({ status: 503, body: "busy" })
      const answer = await call(clientOf(server.url).client)
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(await answer.text(), "busy")
      assert.strictEqual(server.calls.length, 1)
    }
  })
})

describe("a body that is a stream", () => {
  it("is not sent a second time with another token: the caller gets the refusal", async () => {
    await using server = await faultyServer(failure(401, "token_inactive"))
    const auth = { renewable: true, obtain: () => Promise.resolve({ accessToken: `t${server.calls.length}` }) }
    const { client } = clientOf(server.url, { token: auth })
    const init: RequestInit & { readonly duplex: "half" } = { body: new Blob(["image"]).stream(), duplex: "half" }
    assert.strictEqual((await client.iaas.put("image/images/1/file", init)).status, 401)
    assert.strictEqual(server.calls.length, 1)
  })
})

describe("an outgoing request", () => {
  it("has a body only where the operation has one, without undefined fields", async () => {
    await using server = await faultyServer(minted)
    const { client } = clientOf(server.url)
    const change: { readonly label: string; readonly networks?: undefined } = { label: "backup" }
    await client.credentials.mint({ kind: "api-key", tier: 0, ...change })
    await client.webhooks.test({ webhook_id: "a b/c" })
    await client.account.close({ confirm: "Acme", project: "p" })
    await client.events.list({ topic: ["alarms", "webhooks"], limit: 5 })
    await client.databases.restore({ engine: "postgres", name: "orders", body: { name: "copy" } })
    assert.deepStrictEqual(
      server.calls.map((_) => [_.method, _.url, _.body, _.headers["content-type"]]),
      [
        ["POST", "/v1/credentials", '{"kind":"api-key","tier":0,"label":"backup"}', "application/json"],
        ["POST", "/v1/webhooks/a%20b%2Fc/test", "", undefined],
        ["POST", "/v1/account/close?project=p", '{"confirm":"Acme"}', "application/json"],
        ["GET", "/v1/events?topic=alarms&topic=webhooks&limit=5", "", undefined],
        ["POST", "/v1/databases/postgres/orders/restore", '{"name":"copy"}', "application/json"]
      ]
    )
  })

  it("has no token where none is needed, nor to another address", async () => {
    await using other = await faultyServer(failure(503, "stopping"))
    await using server = await faultyServer(whoami)
    const { client } = clientOf(server.url)
    await client.health.live()
    await client.fetch("/openapi.json")
    assert.deepStrictEqual(
      server.calls.map((_) => _.headers.authorization),
      [undefined, "Bearer a-token"]
    )
    const engine = engineOf({ url: server.url, token: "a-token" }, routesOf(customerOperations))
    assert.strictEqual((await engine.fetch(`${other.url}/v1/credentials`, { method: "POST" })).status, 503)
    const [call] = other.calls
    assert.deepStrictEqual(
      [call?.headers.authorization, call?.headers["idempotency-key"], other.calls.length],
      [undefined, undefined, 1]
    )
  })

  it("is not sent when an identifier would change the path", async () => {
    await using server = await faultyServer(whoami)
    const { client } = clientOf(server.url)
    const calls = [
      () => client.projects.remove({ project_id: ".." }),
      () => client.dns.removeRecordset({ zone_id: "z", recordset_id: "." }),
      () => client.iaas.delete("compute/servers/.."),
      () => client.iaas.delete("../credentials/c"),
      () => client.iaas.get("compute/%2E%2e/x?a=b"),
      () => client.iaas.get("compute\\..\\x"),
      () => client.iaas.get("compute/.\t./.\n./credentials"),
      () => client.fetch("/v1/../x")
    ]
    for (const call of calls) {
      const error: unknown = await call().then(
        () => undefined,
        (error: unknown) => error
      )
      assert.instanceOf(error, TypeError, String(call))
    }
    assert.strictEqual(server.calls.length, 0)
    await client.projects.show({ project_id: "%2e%2e" })
    await client.iaas.get("compute/servers/...?marker=../x")
    assert.deepStrictEqual(
      server.calls.map((_) => _.url),
      ["/v1/projects/%252e%252e", "/v1/iaas/compute/servers/...?marker=../x"]
    )
  })

  it("is not sent when a path would change the host", async () => {
    const sent: Array<string> = []
    const send: typeof fetch = async (input) => {
      sent.push(input instanceof Request ? input.url : String(input))
      return Response.json(whoami.body)
    }
    const client = createClient({ url: "https://api.cloud.example", token: "a-token", fetch: send })
    for (const path of [".evil.example/v1", "@evil.example/v1", ":8443/v1", "v1"]) {
      const error: unknown = await client.fetch(path, { method: "POST", body: "a secret" }).catch((_: unknown) => _)
      assert.instanceOf(error, TypeError, path)
    }
    assert.deepStrictEqual(sent, [])
  })

  it("has no token to a path outside the gateway's base path", async () => {
    await using server = await faultyServer(whoami)
    const engine = engineOf({ url: `${server.url}/portico/`, token: "a-token" }, routesOf(customerOperations))
    for (const path of ["/portico/v1/whoami", "/v1/whoami", "/portico-other/v1/whoami"]) {
      await engine.fetch(`${server.url}${path}`)
    }
    assert.deepStrictEqual(
      server.calls.map((_) => _.headers.authorization),
      ["Bearer a-token", undefined, undefined]
    )
  })

  it("is not repeated at the target of a redirect", async () => {
    for (const status of [301, 302, 307]) {
      await using other = await faultyServer(minted)
      await using server = await faultyServer({ status, headers: { location: `${other.url}/v1/credentials` } })
      const error = await failed(clientOf(server.url).client.credentials.mint(request))
      assert.deepStrictEqual([error.code, error.status], ["unexpected_response", status])
      assert.deepStrictEqual([server.calls.length, other.calls.length], [1, 0])
    }
  })

  it("is not sent when a path parameter is empty", async () => {
    await using server = await faultyServer(whoami)
    const { client } = clientOf(server.url)
    const error: unknown = await client.projects.show({ project_id: "" }).catch((error: unknown) => error)
    assert.instanceOf(error, TypeError)
    assert.strictEqual(server.calls.length, 0)
  })
})

describe("a failure", () => {
  it("has the codes of its operation, for the compiler too", async () => {
    await using server = await faultyServer(failure(404, "database_not_found"))
    const { client } = clientOf(server.url)
    const { databases, identity } = client
    const error: unknown = await databases.show({ engine: "kafka", name: "x" }).catch((_: unknown) => _)
    assert.isFalse(isFailure(error, identity.whoami))
    if (!isFailure(error, databases.show)) return assert.fail("it is one")
    // @ts-expect-error -- no code of this operation
    assert.isFalse(error.code === "credential_not_active")
    assert.isTrue(error.code === "database_not_found")
  })

  it("names what does not fit the schema", async () => {
    const detail = [{ loc: ["body", "tier"], msg: "Field required", type: "missing" }]
    await using server = await faultyServer({ status: 422, body: { detail, code: "validation_error" } })
    const error = await failed(clientOf(server.url).client.identity.whoami())
    assert.deepStrictEqual(
      [error.code, error.detail, error.issues],
      ["validation_error", "body.tier: Field required", detail]
    )
  })
})

describe("an abort", () => {
  it("ends a hanging call, a pause, and a read, with the reason of the signal", async () => {
    for (const reply of ["hang", failure(503, "stopping", {}, { "retry-after": "50" })] as const) {
      await using server = await faultyServer(reply)
      const client = createClient({ url: server.url, token: "a-token" })
      const controller = new AbortController()
      const asked = client.identity.whoami({}, { signal: controller.signal }).catch((_: unknown) => _)
      await soon(() => server.calls.length > 0)
      await settled()
      controller.abort(new Error("enough"))
      const error: unknown = await asked
      assert.strictEqual(error, controller.signal.reason)
      assert.strictEqual(server.calls.length, 1)
    }
  })
})
