import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { EventLog } from "@portico/store/EventLog"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"
import { inTime, repeatInTime, until } from "@portico/testing/clock"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const databases = "/v1/databases"
const orders = { engine: "postgres", name: "orders", version: "17", size_gb: 10 }
const path = `${databases}/postgres/orders`

const absent = (name: string) => ({ detail: `Database '${name}' not found`, code: "database_not_found" })

const asAcme = Effect.fnUntraced(function* (method: string, at: string, body?: unknown, tier: 0 | 1 | 2 = 2) {
  const { acme } = yield* Cast
  return yield* (yield* TestGateway).call("customer", method, at, { token: acme.tokens[tier], body })
})

/** Asks again until the database is there to be used. */
const ready = (at: string) => repeatInTime(asAcme("GET", at), (_) => jsonOf(_).ready === true)

layer(Everything)("managed databases over the wire", (it) => {
  it.effect("the life of a database: created, shown, connected to, grown, deleted, absent", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const early = yield* asAcme("POST", databases, orders, 0)
      assert.deepStrictEqual([early.status, jsonOf(early).code], [403, "tier_too_low"])
      const created = yield* asAcme("POST", databases, orders, 1)
      const record = jsonOf(created)
      assert.strictEqual(created.status, 201, created.text)
      assert.deepStrictEqual(record, {
        ...orders,
        replicas: 1,
        status: "pending",
        reason: "the operator has not reported yet",
        created_at: record.created_at,
        backup: null,
        restored_from: null
      })
      const pending = yield* asAcme("GET", `${path}/credentials`, undefined, 0)
      assert.deepStrictEqual(
        [pending.status, jsonOf(pending)],
        [404, { detail: "credentials not ready", code: "database_credentials_not_ready" }]
      )
      const again = yield* asAcme("POST", databases, orders)
      assert.deepStrictEqual([again.status, jsonOf(again).code], [409, "database_exists"])

      yield* ready(path)
      const detail = jsonOf(yield* asAcme("GET", path, undefined, 0))
      assert.deepInclude(detail, { status: "ready", ready: true, reason: null, backup: null })
      assert.deepStrictEqual(detail.endpoint, { host: `orders-rw.db-${acme.projectId}.svc`, port: 5432 })
      assert.isNotEmpty(detail.events)

      const read = yield* asAcme("GET", `${path}/credentials`, undefined, 0)
      assert.deepStrictEqual([read.status, read.headers["cache-control"]], [200, "no-store"])
      const { password, uri } = jsonOf(read)
      assert.include(uri, password)

      const secrets = `/v1/kubernetes/api/v1/namespaces/db-${acme.projectId}/secrets`
      const secret = (name: string) => ({ metadata: { name }, data: { password: "a25vd24=" } })
      for (const owned of ["orders-app", "orders-ca"]) {
        for (const tier of [1, 2] as const) {
          const written = yield* asAcme("PUT", `${secrets}/${owned}`, secret(owned), tier)
          assert.deepStrictEqual(
            [written.status, jsonOf(written).details?.causes?.[0]?.reason],
            [403, "cluster_kind_refused"],
            written.text
          )
          assert.include(jsonOf(written).message, "managed databases are made and changed under /v1/databases")
        }
      }
      assert.strictEqual(jsonOf(yield* asAcme("GET", `${path}/credentials`)).password, password)
      assert.strictEqual((yield* asAcme("POST", secrets, secret("own-app"), 1)).status, 201)
      assert.strictEqual((yield* asAcme("PUT", `${secrets}/own-app`, secret("own-app"), 1)).status, 200)
      assert.strictEqual((yield* asAcme("DELETE", `${secrets}/own-app`)).status, 200)

      const claims = secrets.replace("/secrets", "/persistentvolumeclaims")
      const claim = (name: string) => ({
        metadata: { name },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
      })
      const { items } = jsonOf(yield* asAcme("GET", claims))
      assert.isAbove(items.length, 0)
      for (const { metadata } of items) {
        const written = yield* asAcme("PUT", `${claims}/${metadata.name}`, claim(metadata.name), 2)
        assert.strictEqual(written.status, 403, written.text)
        assert.include(jsonOf(written).message, "the PersistentVolumeClaim of a managed database")
      }
      assert.strictEqual((yield* asAcme("POST", claims, claim("own"), 1)).status, 201)
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      assert.strictEqual((yield* asAcme("PUT", `${claims}/own`, claim("own"), 1)).status, 200)
      // A tenant's other claims may have a megabyte of labels each, which are not read for this one.
      const looked = (yield* cloud.calls).filter(
        (_) => _.method === "GET" && _.path.endsWith("/persistentvolumeclaims")
      )
      assert.deepStrictEqual(
        looked.map((_) => _.query),
        ["fieldSelector=metadata.name%3Down"]
      )
      assert.strictEqual((yield* asAcme("DELETE", `${claims}/own`)).status, 200)
      for (const other of ["none", "a,b", "a=b"]) {
        const written = yield* asAcme("PUT", `${claims}/${other}`, claim("own"), 1)
        assert.strictEqual(written.status, 400, written.text)
        assert.include(jsonOf(written).message, `does not match the name on the URL (${other})`)
      }

      const rotated = yield* asAcme("POST", `${path}/rotate-credentials`, undefined, 1)
      assert.deepStrictEqual(
        [rotated.status, jsonOf(rotated)],
        [200, { engine: "postgres", name: "orders", credentials: `${path}/credentials` }]
      )
      yield* repeatInTime(asAcme("GET", `${path}/credentials`), (_) => _.status === 200)
      assert.notStrictEqual(jsonOf(yield* asAcme("GET", `${path}/credentials`)).password, password)

      const grown = yield* asAcme("PATCH", path, { size_gb: 20 }, 1)
      assert.deepStrictEqual([grown.status, jsonOf(grown).size_gb, jsonOf(grown).status], [200, 20, "updating"])

      assert.strictEqual((yield* asAcme("DELETE", path, undefined, 1)).status, 403)
      const deleted = yield* asAcme("DELETE", path)
      assert.deepStrictEqual([deleted.status, jsonOf(deleted).status], [200, "deleting"])
      for (const method of ["GET", "DELETE"]) {
        const gone = yield* asAcme(method, path)
        assert.deepStrictEqual([gone.status, jsonOf(gone)], [404, absent("orders")])
      }
      assert.deepStrictEqual(jsonOf(yield* asAcme("GET", databases)), { count: 0, next_cursor: null, databases: [] })
    })
  )

  it.effect("a kafka: no replicas, nothing to rotate, nothing to restore", () =>
    Effect.gen(function* () {
      const log = { engine: "kafka", name: "log", version: "4.3.1", size_gb: 10 }
      const at = `${databases}/kafka/log`
      assert.strictEqual((yield* asAcme("POST", databases, { ...log, replicas: 3 })).status, 422)
      assert.strictEqual((yield* asAcme("POST", databases, log)).status, 201)
      const rows = [
        ["PATCH", at, { replicas: 2 }, 422, "kafka_replicas_refused"],
        ["PATCH", at, { size_gb: 10 }, 409, "database_storage_not_grown"],
        ["POST", `${at}/rotate-credentials`, undefined, 404, "no_credential_to_rotate"],
        ["POST", `${at}/restore`, { name: "copy" }, 422, "restore_not_supported"],
        ["GET", `${at}/credentials`, undefined, 404, "database_credentials_not_ready"]
      ] as const
      for (const [method, where, body, status, code] of rows) {
        const answer = yield* asAcme(method, where, body)
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [status, code], answer.text)
      }
      const rotated = jsonOf(yield* asAcme("POST", `${at}/rotate-credentials`))
      assert.strictEqual(rotated.detail, "no such credential to rotate")
      assert.strictEqual((yield* asAcme("DELETE", at)).status, 200)
    })
  )

  it.effect("an empty change is refused, and so is an invalid version", () =>
    Effect.gen(function* () {
      const { trace } = yield* TestGateway
      const before = yield* trace
      const empty = yield* asAcme("PATCH", path, {})
      assert.deepStrictEqual(jsonOf(empty), {
        detail: [{ loc: ["body"], msg: "Input should be size_gb, replicas, or both", type: "value_error" }],
        code: "validation_error"
      })
      const wrong = yield* asAcme("POST", databases, { ...orders, version: "9.6" })
      assert.deepStrictEqual(
        [wrong.status, jsonOf(wrong)],
        [
          422,
          {
            detail: "version of a postgres database must be one of 16, 17, 18",
            code: "database_version_refused"
          }
        ]
      )
      assert.deepStrictEqual(yield* trace, before)
    })
  )

  it.effect("a reached ceiling is answered with its numbers, and nothing is made", () =>
    Effect.gen(function* () {
      // What earlier stories deleted is waited for.
      const refused = yield* inTime(asAcme("POST", databases, { ...orders, size_gb: 60, replicas: 2 }))
      assert.deepStrictEqual(
        [refused.status, jsonOf(refused)],
        [
          409,
          {
            detail:
              "The tenant's ceiling of database storage is reached: requested 120 GiB, used 0 GiB, limit 100 GiB, remaining 100 GiB",
            code: "ceiling_reached",
            ceiling: { requested: 120, used: 0, limit: 100, remaining: 100 }
          }
        ]
      )
      assert.strictEqual(jsonOf(yield* asAcme("GET", databases)).count, 0)
    })
  )

  it.effect("another tenant's name, an unknown and a malformed one are the same bytes, on both planes", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { globex } = yield* Cast
      assert.strictEqual((yield* asAcme("POST", databases, { ...orders, name: "theirs" })).status, 201)
      const names = ["theirs", "absent", "Not-A-Name", "x".repeat(51), "-"]
      const routes = [
        ["GET", "", undefined],
        ["PATCH", "", { size_gb: 50 }],
        ["DELETE", "", undefined],
        ["GET", "/credentials", undefined],
        ["POST", "/rotate-credentials", undefined],
        ["POST", "/restore", { name: "copy" }]
      ] as const
      for (const plane of planes) {
        for (const [method, rest, body] of routes) {
          const answers = yield* Effect.forEach(
            [...names.map((_) => ["postgres", _] as const), ["mysql", "theirs"] as const],
            ([engine, name]) =>
              Effect.map(
                call(plane, method, `${databases}/${engine}/${name}${rest}`, { token: globex.tokens[2], body }),
                (_) => ({
                  status: _.status,
                  text: _.text.replace(`'${name}'`, "'NAME'"),
                  headers: Object.keys(_.headers).toSorted()
                })
              )
          )
          for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
          assert.deepStrictEqual([answers[0]?.status, JSON.parse(answers[0]?.text ?? "")], [404, absent("NAME")])
        }
        const admin = yield* call(plane, "GET", databases, { token: operator })
        assert.deepStrictEqual([admin.status, jsonOf(admin).code], [409, "tenant_required"])
      }
      assert.strictEqual((yield* asAcme("DELETE", `${databases}/postgres/theirs`)).status, 200)
    })
  )

  it.effect("reading a password leaves a record, and the password is not in it", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const answer = yield* asAcme("GET", `${databases}/postgres/nothing/credentials`, undefined, 0)
      const found = Effect.map((yield* EventLog).page("api.audit", 0, 1_000_000), (rows) =>
        rows
          .map((_) => JSON.parse(JSON.stringify(_.envelope)))
          .filter((_) => _.data.request_id === answer.headers["x-request-id"])
      )
      yield* until(Effect.map(found, (_) => _.length > 0))
      const [event] = yield* found
      assert.strictEqual(event.key, acme.credentialIds[0])
      assert.deepInclude(event.data, {
        method: "GET",
        route: "/v1/databases/:engine/:name/credentials",
        status: 404,
        resources: ["postgres", "nothing"]
      })
    })
  )

  it.effect("a failing cluster is a 502, never another answer", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const fault = { service: "kubernetes", path: "**", times: "always", when: "before", as: { status: 500 } } as const
      for (const method of ["GET", "PUT", "POST", "PATCH", "DELETE"]) yield* cloud.fault({ ...fault, method })
      for (const [method, at, body] of [
        ["GET", databases, undefined],
        ["POST", databases, orders],
        ["GET", path, undefined],
        ["PATCH", path, { size_gb: 20 }],
        ["DELETE", path, undefined],
        ["GET", `${path}/credentials`, undefined],
        ["POST", `${path}/rotate-credentials`, undefined]
      ] as const) {
        const answer = yield* inTime(asAcme(method, at, body))
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [502, "upstream_failed"], `${method} ${at}`)
        assert.isTrue(jsonOf(answer).transient)
      }
      yield* cloud.clearFaults
    })
  )
})
