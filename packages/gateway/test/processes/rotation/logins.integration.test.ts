import { fixtures } from "@portico/simulator/Fixtures"
import { Sha256 } from "@aws-crypto/sha256-js"
import { SignatureV4 } from "@smithy/signature-v4"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { fleetOf, lightLoad } from "../fleet.ts"
import { ask, Cloud, story, tenantOf } from "../harness.ts"
import { judgedAnew, lab, newKey, only, readiness } from "./lab.ts"

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
    yield* judgedAnew(fleet)
    yield* load.isFine("the former ones are withdrawn")
  })
)
