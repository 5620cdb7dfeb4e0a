import type { Minted } from "@portico/contract/Credentials"
import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import { Sha256 } from "@aws-crypto/sha256-js"
import { SignatureV4 } from "@smithy/signature-v4"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { opened, post, request } from "../agent/wire.ts"
import { jsonOf } from "../harness/TestGateway.ts"
import { receiver } from "../webhooks/Receiver.ts"
import { programOf } from "./bundles.ts"
import { spawned } from "./children.ts"
import { fleetOf, lightLoad } from "./fleet.ts"
import { type Answer, ask, Cloud, type Gateway, settings, story, tenantOf } from "./harness.ts"

const lab = {
  WEBHOOK_ALLOW_HTTP: "true",
  WEBHOOK_ALLOW_ADDRESSES: "127.0.0.1",
  RATE_LIMIT: "false",
  // Components are judged often, so that a replica with a wrong secret says so within the story.
  PROBE_SECONDS: "1"
}

const newKey = () => randomBytes(32).toString("hex")

/** Runs `portico-rekey`, and returns its line and how it ended. */
const rekey = Effect.fnUntraced(function* (others: Readonly<Record<string, string>>) {
  const child = yield* spawned({
    command: [process.execPath, yield* programOf("rekey")],
    settings: { ...(yield* settings), ...others }
  })
  const code = yield* child.ended
  return { code, line: child.stdout().trim(), err: child.stderr() }
})

/** Mints under an idempotency key. */
const mintOnce = (gateway: Gateway, token: string, label: string, key: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${gateway.url}/v1/credentials`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ kind: "api-key", tier: 0, label })
    })
    const body: Partial<Minted> = await response.json()
    return { status: response.status, replayed: response.headers.get("idempotent-replayed"), body }
  })

const kidsOf = (gateway: Gateway, token: string) =>
  Effect.map(
    gateway.customer<{ readonly keys: ReadonlyArray<{ readonly kid: string }> }>(token, "GET", "/v1/registry/jwks"),
    ({ body }) => (body.keys ?? []).map((_) => _.kid)
  )

const only = (members: ReadonlyArray<Gateway>): Gateway => {
  const [member] = members
  assert.isDefined(member)
  return member!
}

story("TENANT_PASSWORD_KEY is rotated with an overlap, and no call fails", () =>
  Effect.gen(function* () {
    const endpoint = yield* receiver
    const former = gatewaySettings((yield* Cloud).url)["TENANT_PASSWORD_KEY"] ?? ""
    const next = newKey()
    const fleet = yield* fleetOf(lab)
    const first = only(fleet.members())
    const { token } = yield* tenantOf(first, "Acme GmbH")
    const hook = yield* first.customer<{ webhook_id: string; secret: string }>(token, "POST", "/v1/webhooks", {
      url: endpoint.url
    })
    const { secret = "", webhook_id } = hook.body
    const session = yield* opened(first.agentUrl, token)
    const minted = yield* mintOnce(first, token, "kept", "before-the-rotation")
    const kids = yield* kidsOf(first, token)
    assert.lengthOf(kids, 1)

    const load = yield* lightLoad(fleet, [
      { name: "whoami", call: (_) => _.whoami(token) },
      // Under the tenant's own Keystone user.
      { name: "servers", call: (_) => _.customer(token, "GET", "/v1/iaas/compute/servers") },
      { name: "networks", call: (_) => _.customer(token, "GET", "/v1/iaas/network/networks") },
      // The secret of the webhook is opened for each.
      {
        name: "ping",
        call: (_) =>
          Effect.map(
            _.customer<{ delivered?: boolean }>(token, "POST", `/v1/webhooks/${webhook_id}/test`),
            (answer): Answer<unknown> => (answer.body.delivered === false ? { status: 599, body: answer.body } : answer)
          )
      },
      // The session of an agent, by turns at every replica.
      {
        name: "agent",
        call: (_) =>
          Effect.map(
            post(_.agentUrl, request("tools/call", { name: "identity_whoami", arguments: {} }), { token, session }),
            (answer) => ({ status: answer.status, body: answer.status < 400 ? {} : { detail: answer.text } })
          )
      },
      // A session that one replica has just opened, at the other one.
      {
        name: "fresh agent",
        call: (_, other) =>
          Effect.flatMap(opened(_.agentUrl, token), (session) =>
            Effect.map(post(other.agentUrl, request("ping"), { token, session }), (answer) => ({
              status: answer.status,
              body: answer.status < 400 ? {} : { detail: answer.text }
            }))
          )
      },
      // A call that one replica has just carried out, at the other one.
      {
        name: "fresh replay",
        call: (_, other) => {
          const label = randomUUID()
          return Effect.gen(function* () {
            const { body: made } = yield* mintOnce(_, token, label, label)
            const { body, replayed, status } = yield* mintOnce(other, token, label, label)
            const isSame = replayed === "true" && body.credential_id === made.credential_id
            if (!isSame) return { status: 599, body: { detail: `it was carried out twice, or ${status}` } }
            return yield* _.revoke(token, made.credential_id ?? "")
          })
        }
      },
      // Whichever replica made the answer, every replica replays it.
      {
        name: "replay",
        call: (_) =>
          Effect.map(mintOnce(_, token, "kept", "before-the-rotation"), ({ body, replayed, status }) => ({
            status: replayed === "true" && body.credential_id === minted.body.credential_id ? status : 599,
            body
          }))
      }
    ])
    yield* load.isFine("before")

    yield* fleet.roll({ ...lab, ACCEPTED_TENANT_PASSWORD_KEY: next })
    yield* load.isFine("every replica accepts the new key")

    yield* fleet.roll({ ...lab, TENANT_PASSWORD_KEY: next, ACCEPTED_TENANT_PASSWORD_KEY: former })
    yield* load.isFine("the new key seals")

    const rotated = { TENANT_PASSWORD_KEY: next, ACCEPTED_TENANT_PASSWORD_KEY: former }
    const moved = yield* rekey(rotated)
    assert.deepStrictEqual(
      [moved.code, moved.line],
      [0, "portico-rekey: moved 1 passwords, 1 webhooks and integrations, 1 registry keys"],
      moved.err
    )
    yield* load.isFine("everything was moved")
    const again = yield* rekey(rotated)
    assert.strictEqual(again.line, "portico-rekey: moved 0 passwords, 0 webhooks and integrations, 0 registry keys")
    // What is under the former key still, lives for days at most: the story does not wait for it.
    const late = yield* opened(only(fleet.members()).agentUrl, token)

    yield* Effect.scoped(
      Effect.gen(function* () {
        const alone = yield* fleetOf({ ...lab, TENANT_PASSWORD_KEY: next })
        const lasting = yield* lightLoad(alone, [
          { name: "servers", call: (_) => _.customer(token, "GET", "/v1/iaas/compute/servers") },
          {
            name: "agent",
            call: (_) =>
              Effect.map(post(_.agentUrl, request("ping"), { token, session: late }), ({ status, text }) => ({
                status,
                body: status < 400 ? {} : { detail: text }
              }))
          },
          { name: "ping", call: (_) => _.customer(token, "POST", `/v1/webhooks/${webhook_id}/test`) }
        ])
        yield* lasting.isFine("the former key is dropped")
        assert.deepStrictEqual(yield* kidsOf(only(alone.members()), token), kids)
        // An agent's session of the former key has ended: its client opens another.
        const ended = yield* post(only(alone.members()).agentUrl, request("ping"), { token, session })
        assert.deepStrictEqual([ended.status, jsonOf(ended).error.code], [404, -32001])
      })
    )
    yield* load.isFine("after")

    const verifies = new Webhook(
      `whsec_${Buffer.from(createHash("sha256").update(secret).digest("hex")).toString("base64")}`
    )
    assert.isAtLeast(endpoint.got.length, 20)
    for (const { body, headers } of endpoint.got) {
      verifies.verify(body, Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])))
    }
  })
)

// --- credentials of the systems behind the gateway ---------------------------------

/** A call of Keystone as its administrator, who logs in with this password. */
const keystone = Effect.fnUntraced(function* (url: string) {
  const { name, password } = fixtures.control
  const domain = { id: "default" }
  const auth = {
    identity: { methods: ["password"], password: { user: { name, domain, password } } },
    scope: { project: { name: "admin", domain } }
  }
  const token = yield* Effect.promise(async () => {
    const response = await fetch(`${url}/identity/v3/auth/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ auth })
    })
    return response.headers.get("x-subject-token") ?? ""
  })
  return <A>(method: string, path: string, body?: unknown) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}/identity/v3${path}`, {
        method,
        headers: { "x-auth-token": token, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      assert.isBelow(response.status, 300, `${method} ${path} ${text}`)
      const answer: A = text === "" ? {} : JSON.parse(text)
      return answer
    })
})

/** A call of the object gateway's administration. */
const rgwAdmin = (url: string, method: string, query: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const { host, hostname, port } = new URL(url)
    const signer = new SignatureV4({
      service: "s3",
      region: "default",
      credentials: { accessKeyId: fixtures.rgw.accessKey, secretAccessKey: fixtures.rgw.secretKey },
      sha256: Sha256,
      uriEscapePath: false,
      applyChecksum: false
    })
    const path = "/rgw/admin/user"
    const { headers } = await signer.sign({
      method,
      protocol: "http:",
      hostname,
      port: Number(port),
      path,
      query: { ...query },
      headers: { host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }
    })
    const { host: _, ...sent } = headers
    const response = await fetch(`${url}${path}?${new URLSearchParams(query).toString()}`, { method, headers: sent })
    assert.strictEqual(response.status, 200, await response.text())
  })

/** Of Zitadel's management, as the gateway's own service user. */
const zitadel = <A>(url: string, token: string, method: string, path: string, body: unknown = {}) =>
  Effect.map(ask<A>(method, `${url}/idp/management/v1${path}`, { token, body }), (answer) => {
    assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  })

/** A second API application beside the gateway's own: an administrator registers it in the console. */
const withApplication = Effect.fnUntraced(function* (url: string, clientId: string, clientSecret: string) {
  const { body } = yield* ask<{ readonly zitadel: { readonly applications: Record<string, object> } }>(
    "GET",
    `${url}/cloud/snapshot`
  )
  const { applications = {} } = body.zitadel ?? {}
  const own = applications[fixtures.idp.introspection.clientId]
  applications[clientId] = { ...own, clientId, clientSecret, name: "gateway, second" }
  assert.strictEqual((yield* ask("PUT", `${url}/cloud/snapshot`, { body })).status, 204)
})

/** The login of a database: it is the owner of the tables, whatever its own name is. */
const databaseLogin = Effect.fnUntraced(function* (owner: string) {
  const sql = yield* SqlClient.SqlClient
  const { url } = yield* TestDatabase
  const name = `login_${randomUUID().slice(0, 8)}`
  const password = newKey()
  yield* sql`CREATE ROLE ${sql(name)} LOGIN IN ROLE ${sql(owner)} PASSWORD ${sql.literal(`'${password}'`)}`
  yield* sql`ALTER ROLE ${sql(name)} SET role = ${sql.literal(`'${owner}'`)}`
  const own = new URL(Redacted.value(url))
  own.username = name
  own.password = password
  return { name, url: own.href }
})

story("the logins of the database, Keystone, the object gateway and Zitadel are replaced, and no call fails", () =>
  Effect.gen(function* () {
    const { url } = yield* Cloud
    const sql = yield* SqlClient.SqlClient

    // The database belongs to a role that cannot log in, and has two logins by turns.
    const owner = `owner_${randomUUID().slice(0, 8)}`
    yield* sql`CREATE ROLE ${sql(owner)} NOLOGIN`
    const [{ database = "" } = {}] = yield* sql<{ readonly database: string }>`SELECT current_database() AS database`
    yield* sql`ALTER DATABASE ${sql(database)} OWNER TO ${sql(owner)}`
    yield* sql`GRANT ALL ON SCHEMA public TO ${sql(owner)}`
    yield* Effect.addFinalizer(() => Effect.ignore(sql`DROP OWNED BY ${sql(owner)} CASCADE`))
    const blue = yield* databaseLogin(owner)

    const second = { clientId: "100000000000000099@portico", clientSecret: newKey() }
    yield* withApplication(url, second.clientId, second.clientSecret)

    const fleet = yield* fleetOf({ ...lab, DATABASE_URL: blue.url })
    const { token } = yield* tenantOf(only(fleet.members()), "Acme GmbH")
    const load = yield* lightLoad(fleet, [
      { name: "whoami", call: (_) => _.whoami(token) },
      // Every system is asked with the replica's own secrets once a second.
      { name: "readiness", call: readiness },
      // The control identity, at once.
      { name: "projects", call: (_) => _.operator("GET", "/v1/iaas/identity/projects") },
      { name: "quotas", call: (_) => _.customer(token, "GET", "/v1/quotas") },
      { name: "buckets", call: (_) => _.customer(token, "GET", "/v1/object-storage/buckets") },
      // The service user makes a machine user, and removes it.
      {
        name: "mint and revoke",
        call: (_) =>
          Effect.flatMap(_.mint(token, "short-lived", 0), (made) =>
            made.status >= 400 ? Effect.succeed(made) : _.revoke(token, made.body.credential_id ?? "")
          )
      }
    ])
    yield* load.isFine("before")

    const green = yield* databaseLogin(owner)
    const as = yield* keystone(url)
    const user = { name: "portico-green", password: newKey(), domain_id: "default", enabled: true }
    const made = yield* as<{ readonly user: { readonly id: string } }>("POST", "/users", { user })
    const { roles } = yield* as<{ readonly roles: ReadonlyArray<{ readonly id: string; readonly name: string }> }>(
      "GET",
      "/roles"
    )
    const { projects } = yield* as<{ readonly projects: ReadonlyArray<{ readonly id: string }> }>(
      "GET",
      "/projects?name=admin"
    )
    const admin = roles.find((_) => _.name === "admin")?.id
    yield* as("PUT", `/projects/${projects[0]?.id}/users/${made.user.id}/roles/${admin}`)
    const key = { "access-key": "PORTICOGREEN", "secret-key": newKey() }
    yield* rgwAdmin(url, "PUT", { key: "", uid: fixtures.rgw.uid, "key-type": "s3", "generate-key": "false", ...key })
    const { serviceToken, serviceUserId } = fixtures.idp
    const pat = yield* zitadel<{ readonly token: string }>(url, serviceToken, "POST", `/users/${serviceUserId}/pats`)

    yield* fleet.roll({
      ...lab,
      DATABASE_URL: green.url,
      KEYSTONE_USER: user.name,
      KEYSTONE_PASSWORD: user.password,
      RGW_ACCESS_KEY: key["access-key"],
      RGW_SECRET_KEY: key["secret-key"],
      ZITADEL_SERVICE_TOKEN: pat.token ?? "",
      INTROSPECTION_CLIENT_ID: second.clientId,
      INTROSPECTION_CLIENT_SECRET: second.clientSecret
    })
    yield* load.isFine("the new ones are in use")

    // None of the former ones is good for anything any more.
    yield* sql`ALTER ROLE ${sql(blue.name)} NOLOGIN`
    yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${blue.name}`
    yield* rgwAdmin(url, "DELETE", { key: "", uid: fixtures.rgw.uid, "access-key": fixtures.rgw.accessKey })
    const { result } = yield* zitadel<{ readonly result: ReadonlyArray<{ readonly id: string }> }>(
      url,
      pat.token ?? "",
      "POST",
      `/users/${serviceUserId}/pats/_search`
    )
    for (const { id } of (result ?? []).filter((_) => _.id === "100000000000000008")) {
      yield* zitadel(url, pat.token ?? "", "DELETE", `/users/${serviceUserId}/pats/${id}`)
    }
    const former = yield* as<{ readonly users: ReadonlyArray<{ readonly id: string }> }>(
      "GET",
      `/users?name=${fixtures.control.name}`
    )
    yield* as("PATCH", `/users/${former.users[0]?.id}`, { user: { enabled: false } })
    yield* Effect.sleep("1500 millis")
    yield* load.isFine("the former ones are withdrawn")
  })
)

/** A replica whose secrets are refused is `unauthorized`, which counts as a failed call. */
const readiness = (gateway: Gateway): Effect.Effect<Answer<unknown>> =>
  Effect.map(
    gateway.operator<{ readonly components: Readonly<Record<string, { readonly state: string }>> }>(
      "GET",
      "/health/ready"
    ),
    ({ body, status }) => {
      const refused = Object.entries(body.components ?? {}).filter(([, _]) => _.state === "unauthorized")
      return refused.length > 0
        ? { status: 599, body: { detail: refused.map(([name]) => name).join() } }
        : { status, body }
    }
  )
