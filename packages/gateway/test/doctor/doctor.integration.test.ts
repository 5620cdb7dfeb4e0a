import { assert, describe, it, layer } from "@effect/vitest"
import { examine } from "@portico/gateway/doctor/examine"
import type { Checked } from "@portico/gateway/doctor/Check"
import { summaryOf, textOf } from "@portico/gateway/doctor/report"
import type { Fault } from "@portico/simulator/Fault"
import { fixtures } from "@portico/simulator/Fixtures"
import { gatewayRules } from "@portico/simulator/kubernetes/gatewayRules"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as Store from "@portico/store/Store"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { clusterRules } from "@portico/upstream/rights/kubernetes"
import { Clock, ConfigProvider, Duration, Effect, Layer, Redacted, Schema, Stream } from "effect"
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync } from "node:fs"
import { connect, createServer, type Server as NetServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse } from "yaml"
import { TestGateway } from "../harness/TestGateway.ts"
import { freePort, isInstalled, redisOn } from "../limits/redis.ts"
import { repository, spawned } from "../processes/children.ts"

type Settings = Readonly<Record<string, string>>

const budget = Object.fromEntries(
  ["CORES", "RAM_GIB", "BLOCK_GIB", "OBJECT_GIB", "FLOATING_IPS"].map((_) => [`SELLABLE_${_}`, "100"])
)

/** Nothing listens there. */
const nowhere = "http://127.0.0.1:1"

/** What the gateway of a story is told. */
const given = Effect.gen(function* () {
  const { url } = yield* Server
  const database = yield* TestDatabase
  return { ...gatewaySettings(url), ...budget, DATABASE_URL: Redacted.value(database.url) }
})

/** What the doctor finds with these settings beside the good ones. */
const looked = Effect.fnUntraced(function* (others: Settings = {}, time = Duration.minutes(5)) {
  const env = { ...(yield* given), ...others }
  return yield* Stream.runCollect(examine(time)).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
})

const of = (found: ReadonlyArray<Checked>, check: string): ReadonlyArray<Checked> =>
  found.filter((_) => _.check === check)

/** Without the warnings, which variables of the run itself may cause. */
const failuresOf = (found: ReadonlyArray<Checked>, check: string): ReadonlyArray<Checked> =>
  of(found, check).filter((_) => _.state === "failed")

const one = (found: ReadonlyArray<Checked>, check: string): Checked => {
  const [first, ...more] = of(found, check)
  assert.isDefined(first, check)
  assert.deepStrictEqual(more, [], check)
  return first!
}

const states = (found: ReadonlyArray<Checked>): Readonly<Record<string, string>> =>
  Object.fromEntries(found.map((_) => [_.check, _.state]))

/** The checks of a good day; nothing of this cloud speaks TLS, and it has no Kafka, Redis or mail. */
const good = {
  settings: "ok",
  database: "ok",
  identity: "ok",
  compute: "ok",
  network: "ok",
  volume: "ok",
  image: "ok",
  "load-balancer": "ok",
  dns: "ok",
  "key-manager": "ok",
  "object-storage": "ok",
  "identity-provider": "ok",
  kubernetes: "ok",
  billing: "ok",
  monitoring: "ok",
  clock: "ok",
  certificates: "skipped",
  bus: "skipped",
  "rate-limits": "skipped",
  mail: "skipped"
}

const withFault = <A, E, R>(fault: Omit<Fault, "times" | "when">, story: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.flatMap(SimulatedCloud, (_) => _.fault({ ...fault, times: "always", when: "before" })),
    () => story,
    () => Effect.flatMap(SimulatedCloud, (_) => _.clearFaults)
  )

const methods = ["GET", "POST", "HEAD"] as const

const Cloud = Layer.merge(TestGateway.cloud, TestDatabase.layerEmpty)

layer(Cloud, { excludeTestServices: true })("portico-doctor", (it) => {
  it.effect("finds no failure, and creates nothing", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const before = yield* cloud.state
      const found = yield* looked()
      assert.deepStrictEqual(states(found), good)
      assert.deepStrictEqual(yield* cloud.state, before)
      assert.match(one(found, "database").detail, /^PostgreSQL \d+\.\d+, empty: the first start makes the tables/)
      assert.isTrue(found.every((_) => (_.fix === null) === (_.state === "ok" || _.state === "skipped")))
    })
  )

  for (const [component, service] of [
    ["identity", "keystone"],
    ["compute", "nova"],
    ["network", "neutron"],
    ["volume", "cinder"],
    ["image", "glance"],
    ["load-balancer", "octavia"],
    ["dns", "designate"],
    ["key-manager", "barbican"],
    ["object-storage", "rgw"],
    ["identity-provider", "zitadel"],
    ["kubernetes", "kubernetes"],
    ["billing", "billing"],
    ["monitoring", "prometheus"]
  ] as const) {
    it.effect(`${service} is down: ${component} fails, with where to look`, () =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        for (const method of methods)
          yield* cloud.fault({ service, method, path: "/**", times: "always", when: "before", as: "reset" })
        const found = yield* looked()
        yield* cloud.clearFaults
        const finding = of(found, component)[0]
        assert.strictEqual(finding?.state, "failed")
        assert.match(finding?.detail ?? "", /cannot be used: .*no answer/)
        assert.match(finding?.fix ?? "", /^Look whether .* works, and whether [A-Z_]+_URL is reached from here$/)
        // Without Keystone there is no token for the others.
        if (service !== "keystone") {
          const others = found.filter((_) => _.check !== component && _.state === "failed")
          assert.deepStrictEqual(others, [])
        }
      })
    )
  }

  for (const [component, wrong, fix] of [
    ["identity", { KEYSTONE_PASSWORD: "hunter2-hunter2" }, /KEYSTONE_USER, KEYSTONE_PASSWORD/],
    ["object-storage", { RGW_SECRET_KEY: "hunter2-hunter2" }, /RGW_ACCESS_KEY, RGW_SECRET_KEY/],
    ["identity-provider", { ZITADEL_SERVICE_TOKEN: "hunter2-hunter2" }, /ZITADEL_SERVICE_TOKEN/],
    ["identity-provider", { INTROSPECTION_CLIENT_SECRET: "hunter2-hunter2" }, /INTROSPECTION_CLIENT_SECRET/],
    ["kubernetes", { KUBERNETES_TOKEN: "hunter2-hunter2" }, /KUBERNETES_TOKEN/],
    ["billing", { BILLING_TOKEN: "hunter2-hunter2" }, /BILLING_TOKEN/]
  ] as const) {
    it.effect(`a wrong ${Object.keys(wrong).join()} is refused, and not printed`, () =>
      Effect.gen(function* () {
        const found = yield* looked(wrong)
        const finding = of(found, component)[0]
        assert.strictEqual(finding?.state, "failed")
        assert.match(finding?.detail ?? "", /refuses the gateway's credentials/)
        assert.match(finding?.fix ?? "", fix)
        assert.notInclude(JSON.stringify(found), "hunter2")
      })
    )
  }

  it.effect("a system that echoes its request does not make the doctor print a secret", () =>
    withFault(
      {
        service: "nova",
        method: "GET",
        path: "/**",
        as: { status: 500, body: { computeFault: { code: 500, message: `bad ${fixtures.control.password} here` } } }
      },
      Effect.gen(function* () {
        const { detail } = one(yield* looked(), "compute")
        assert.match(detail, /bad <redacted> here/)
      })
    )
  )
})

/** What the doctor says of a component after the cloud was changed. A new cloud for each story. */
const changed = (change: (cloud: SimulatedCloud["Service"]) => void, component: string) =>
  Effect.gen(function* () {
    change(yield* SimulatedCloud)
    return one(yield* looked(), component)
  }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)

describe("a missing right", () => {
  it.live("Keystone: the control identity is only a member", () =>
    Effect.gen(function* () {
      const { detail, fix, state } = yield* changed(({ world }) => {
        for (const grant of world.keystone.grants) Object.assign(grant, { roleId: fixtures.roles.member })
      }, "identity")
      assert.strictEqual(state, "failed")
      assert.match(`${detail} ${fix}`, /the role admin|KEYSTONE/)
    })
  )

  for (const [component, service, path] of [
    ["compute", "nova", "/v2.1/os-services"],
    ["network", "neutron", "/v2.0/quotas"],
    ["volume", "cinder", "/v3/*/os-services"],
    ["load-balancer", "octavia", "/v2/lbaas/quotas/00000000000000000000000000000000"]
  ] as const) {
    it.live(`${service}: its policy denies the control identity writes of quotas`, () =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        yield* cloud.fault({
          service,
          method: "GET",
          path,
          times: "always",
          when: "before",
          as: { status: 403, body: { forbidden: { code: 403, message: "Policy doesn't allow it." } } }
        })
        const { detail, state } = one(yield* looked(), component)
        assert.strictEqual(state, "failed")
        assert.match(detail, /onboarding lacks the right to write the quotas of/)
      }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
    )
  }

  it.live("Neutron: two external networks without a default", () =>
    Effect.gen(function* () {
      const { detail, fix } = one(yield* looked({ EXTERNAL_NETWORK_ID: "another" }), "network")
      assert.match(detail, /lacks the external network \(1 external networks and none of them/)
      assert.match(fix ?? "", /EXTERNAL_NETWORK_ID/)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("Keystone: the role for tenants is missing", () =>
    Effect.gen(function* () {
      const { detail, fix } = one(yield* looked({ KEYSTONE_TENANT_ROLES: "resident, member" }), "identity")
      assert.match(detail, /lacks the role 'resident'/)
      assert.match(fix ?? "", /KEYSTONE_TENANT_ROLES/)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("RGW: the user may only read users", () =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      const user = world.rgw.users[fixtures.rgw.uid]
      if (user !== undefined) user.caps = [{ type: "users", perm: "read" }]
      const found = of(yield* looked(), "object-storage")
      assert.deepStrictEqual(
        found.map(({ detail, state }) => [state, /capability (\S+)/.exec(detail)?.[1]]),
        [
          ["failed", "users=*"],
          ["failed", "buckets=*"],
          ["failed", "usage=read"]
        ]
      )
      assert.match(found[0]?.fix ?? "", /radosgw-admin caps add/)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("Zitadel: the service user may only read", () =>
    Effect.gen(function* () {
      const { detail } = yield* changed(({ world }) => {
        const userId = fixtures.idp.serviceUserId
        world.zitadel.members[userId] = { userId, roles: ["ORG_OWNER_VIEWER"] }
      }, "identity-provider")
      assert.match(detail, /the permission user.write, user.delete, user.grant.write, user.grant.delete in/)
    })
  )

  it.live("Zitadel: a role of the project is missing, or the project", () =>
    Effect.gen(function* () {
      const admin = one(yield* looked({ ADMIN_ROLE: "boss" }), "identity-provider")
      assert.match(admin.detail, /lacks the role boss of the project ZITADEL_PROJECT_ID/)
      const project = one(yield* looked({ ZITADEL_PROJECT_ID: "1" }), "identity-provider")
      assert.match(project.detail, /lacks the project ZITADEL_PROJECT_ID/)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("Kubernetes: the account has no role", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({
        service: "kubernetes",
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        nth: 2,
        times: 1,
        when: "before",
        as: { status: 201, body: { metadata: {}, status: { allowed: false } } }
      })
      const { detail, state } = one(yield* looked(), "kubernetes")
      assert.strictEqual(state, "failed")
      assert.match(detail, /lacks the right to \w+ \w+.* in the cluster$/)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it("the cluster's rules are those of the operators' page, and the simulated cluster allows no other", () => {
    const text = readFileSync(join(repository, "docs/operators/kubernetes.md"), "utf8")
    const [, block = ""] = /^```yaml\n(.*?)^```$/ms.exec(text) ?? []
    const Role = Schema.Struct({ kind: Schema.Literal("ClusterRole"), rules: Schema.Unknown })
    const [role] = block
      .split(/^---$/m)
      .map((_): unknown => parse(_))
      .filter(Schema.is(Role))
    assert.deepStrictEqual(role?.rules, clusterRules)
    assert.deepStrictEqual(gatewayRules, clusterRules)
  })
})

describe("the database", () => {
  const database = (url: string) => Effect.map(looked({ DATABASE_URL: url }), (_) => one(_, "database"))

  it.live("does not respond", () =>
    Effect.gen(function* () {
      const { detail, fix, state } = yield* database("postgres://portico:hunter2@127.0.0.1:1/portico")
      assert.strictEqual(state, "failed")
      assert.match(detail, /ECONNREFUSED/)
      assert.match(fix ?? "", /DATABASE_URL is reached from here/)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("shows a certificate of an unknown authority", () =>
    Effect.gen(function* () {
      const { cert, key } = certificateFor(5)
      const port = yield* databaseInTls(cert, key)
      const { detail, fix } = yield* database(`postgres://portico:hunter2@127.0.0.1:${port}/portico?sslmode=require`)
      assert.match(detail, /self-signed certificate/)
      assert.match(fix ?? "", /sslrootcert/)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("refuses the user, or does not exist", () =>
    Effect.gen(function* () {
      const right = new URL((yield* given).DATABASE_URL)
      right.pathname = "/nobodys"
      const { detail, fix } = yield* database(right.href)
      assert.match(detail, /database "nobodys" does not exist/)
      assert.match(fix ?? "", /Create the database/)
      const other = new URL((yield* given).DATABASE_URL)
      other.username = "nobody"
      other.password = "hunter2-hunter2"
      const refused = yield* database(other.href)
      assert.match(refused.detail, /nobody/)
      assert.match(refused.fix ?? "", /Correct the user, the password or sslmode/)
      assert.notInclude(JSON.stringify(refused), "hunter2")
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("has foreign tables, is read-only, or has this release's schema or a newer one", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const { SqlClient } = yield* Effect.promise(() => import("effect/sql"))
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE invoices (id int)`
      assert.deepInclude(yield* database(Redacted.value(url)), { state: "warning" })
      yield* sql`DROP TABLE invoices`
      yield* Effect.scoped(
        Layer.build(Layer.fresh(Store.layer)).pipe(
          Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { DATABASE_URL: Redacted.value(url) } })))
        )
      )
      assert.match((yield* database(Redacted.value(url))).detail, /at the schema of this release/)

      const waits = (minutes: number) => sql`
        INSERT INTO events (id, topic, key, at, envelope)
        VALUES (gen_random_uuid(), 'api.audit', 'key', now() - ${minutes} * interval '1 minute', '{}')`
      yield* waits(4)
      assert.match((yield* database(Redacted.value(url))).detail, /at the schema of this release/)
      yield* sql`DELETE FROM events`
      yield* waits(6)
      const [schema, jobs] = of(yield* looked({ DATABASE_URL: Redacted.value(url) }), "database")
      assert.strictEqual(schema?.state, "ok")
      assert.strictEqual(jobs?.state, "warning")
      assert.match(jobs?.detail ?? "", /^no background jobs run: events have been waiting since 20.*Z$/)
      yield* sql`UPDATE usage_cursors SET sequence = (SELECT max(sequence) FROM events)`
      yield* sql`DELETE FROM portico_migrations WHERE migration_id = 32`
      assert.match((yield* database(Redacted.value(url))).detail, /a start will apply 1 migrations/)
      yield* sql`INSERT INTO portico_migrations (migration_id, name) VALUES (9999, 'later')`
      assert.match((yield* database(Redacted.value(url))).detail, /a newer release has applied 9999_later/)
      const readOnly = new URL(Redacted.value(url))
      readOnly.searchParams.set("options", "-c default_transaction_read_only=on")
      assert.match((yield* database(readOnly.href)).detail, /read-only, so nothing can be written/)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )
})

/** A clock that is ahead of the cloud's. */
const ahead = (millis: number) =>
  Effect.updateService(Clock.Clock, (clock) => ({
    ...clock,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (_) => _ + millis),
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis,
    currentTimeNanos: clock.currentTimeNanos,
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    sleep: (duration: Duration.Duration) => clock.sleep(duration)
  }))

describe("the clock", () => {
  it.live("is a minute ahead, or ten minutes behind", () =>
    Effect.gen(function* () {
      const minute = one(yield* ahead(60_000)(looked()), "clock")
      assert.strictEqual(minute.state, "warning")
      assert.match(minute.detail, /^it is \S+.* ahead of Keystone, .*PostgreSQL$/)
      const behind = one(yield* ahead(-600_000)(looked()), "clock")
      assert.strictEqual(behind.state, "failed")
      assert.match(behind.fix ?? "", /NTP/)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )
})

/** A certificate for so many days, with its key, made by openssl. */
const certificateFor = (days: number) => {
  const folder = mkdtempSync(join(tmpdir(), "portico-doctor-"))
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days ${days}`
  const names = ["-subj", "/CN=api", "-addext", "subjectAltName=IP:127.0.0.1"]
  const made = spawnSync("openssl", [...options.split(" "), ...names, "-out", cert, "-keyout", key])
  assert.strictEqual(made.status, 0, String(made.stderr))
  return { cert, key }
}

describe("certificates", () => {
  it.live("of the gateway itself: ends soon, has ended, lasts", () =>
    Effect.gen(function* () {
      const settings = ({ cert, key }: ReturnType<typeof certificateFor>) => ({
        CUSTOMER_TLS_CERT_FILE: cert,
        CUSTOMER_TLS_KEY_FILE: key
      })
      const soon = one(yield* looked(settings(certificateFor(5))), "certificates")
      assert.strictEqual(soon.state, "warning")
      assert.match(soon.detail, /'api' in the file of CUSTOMER_TLS_CERT_FILE ends on .*: 4 days are left/)
      const year = certificateFor(365)
      assert.strictEqual(one(yield* looked(settings(year)), "certificates").state, "ok")
      const ended = one(yield* ahead(Duration.toMillis("400 days"))(looked(settings(year))), "certificates")
      assert.strictEqual(ended.state, "failed")
      assert.match(ended.detail, /ended on/)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("of a system: untrusted, and soon expired", () =>
    Effect.gen(function* () {
      const { cert, key } = certificateFor(5)
      const port = yield* tlsOn(cert, key)
      const at = { BILLING_URL: `https://127.0.0.1:${port}` }
      const unknown = one(yield* looked(at), "certificates")
      assert.strictEqual(unknown.state, "failed")
      assert.match(unknown.detail, /is not trusted here: DEPTH_ZERO_SELF_SIGNED_CERT/)
      const found = of(yield* looked({ ...at, UPSTREAM_CA_FILE: cert }), "certificates")
      assert.isTrue(found.every((_) => _.state === "warning"))
      assert.isTrue(found.some((_) => _.detail.includes(`of 127.0.0.1:${port} ends on`)))
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("of PostgreSQL, if its address asks for TLS", () =>
    Effect.gen(function* () {
      const { cert, key } = certificateFor(5)
      const port = yield* databaseInTls(cert, key)
      const certificate = (options: string) =>
        Effect.map(looked({ DATABASE_URL: `postgres://portico@127.0.0.1:${port}/portico?${options}` }), (_) =>
          one(_, "certificates")
        )
      const unknown = yield* certificate("sslmode=require")
      assert.strictEqual(unknown.state, "failed")
      assert.match(unknown.detail, /of 127.0.0.1:\d+ is not trusted here: DEPTH_ZERO_SELF_SIGNED_CERT/)
      const known = yield* certificate(`sslrootcert=${cert}`)
      assert.strictEqual(known.state, "warning")
      assert.match(known.detail, /of 127.0.0.1:\d+ ends on .*: 4 days are left/)
      for (const options of ["", "sslmode=prefer"])
        assert.strictEqual((yield* certificate(options)).state, "skipped", options)
      // Nor does one that hangs up keep others from being looked at.
      const ended = yield* listening(createServer((socket) => socket.end()))
      const nobody = `postgres://portico@127.0.0.1:${ended}/portico?sslmode=require`
      const others = { CUSTOMER_TLS_CERT_FILE: cert, CUSTOMER_TLS_KEY_FILE: key, DATABASE_URL: nobody }
      assert.match(one(yield* looked(others), "certificates").detail, /in the file of CUSTOMER_TLS_CERT_FILE ends on/)
      // One that speaks no TLS is of the check of the database.
      const { DATABASE_URL } = yield* given
      const plain = one(yield* looked({ DATABASE_URL: `${DATABASE_URL}?sslmode=require` }), "certificates")
      assert.strictEqual(plain.state, "skipped")
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )
})

/** The port that a server listens on. */
const listening = Effect.fnUntraced(function* (server: NetServer) {
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => sockets.add(socket))
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
  )
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
})

const tlsOn = Effect.fnUntraced(function* (cert: string, key: string) {
  const { createServer } = yield* Effect.promise(() => import("node:tls"))
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (socket) => socket.destroy())
  return yield* listening(server)
})

/** A port where TLS begins as at PostgreSQL, when a client has asked for it. */
const databaseInTls = Effect.fnUntraced(function* (cert: string, key: string) {
  const encrypted = yield* tlsOn(cert, key)
  return yield* listening(
    createServer((socket) => {
      socket.on("error", () => {})
      socket.once("data", (request) => {
        if (request.toString("hex") !== "0000000804d2162f") return void socket.destroy()
        socket.write("S")
        const behind = connect(encrypted, "127.0.0.1")
        behind.on("error", () => {})
        socket.pipe(behind).pipe(socket)
      })
    })
  )
})

/** A port that takes connections and says nothing. */
const silent = Effect.gen(function* () {
  const server = createServer(() => {})
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => void server.close())
  )
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
})

describe("Kafka, Redis and the mail server", () => {
  it.live("are unreachable", () =>
    Effect.gen(function* () {
      const found = yield* looked({
        KAFKA_BROKERS: "127.0.0.1:1",
        REDIS_URL: "redis://:hunter2-hunter2@127.0.0.1:1",
        SMTP_URL: "smtp://127.0.0.1:1",
        MAIL_FROM: "noreply@cloud.example"
      })
      for (const check of ["bus", "rate-limits", "mail"]) assert.strictEqual(one(found, check).state, "failed", check)
      assert.match(one(found, "bus").fix ?? "", /KAFKA_BROKERS/)
      assert.match(one(found, "rate-limits").fix ?? "", /REDIS_URL is reached/)
      assert.match(one(found, "mail").fix ?? "", /SMTP_URL/)
      assert.notInclude(JSON.stringify(found), "hunter2")
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  const redis = isInstalled ? it.live : it.live.skip
  redis(isInstalled ? "Redis is there" : "Redis is there: NOT RUN, redis-server IS NOT INSTALLED", () =>
    Effect.gen(function* () {
      const { url } = yield* redisOn(yield* freePort)
      assert.deepInclude(one(yield* looked({ REDIS_URL: url }), "rate-limits"), { state: "ok" })
      const wrong = url.replace("redis://", "redis://nobody:hunter2-hunter2@")
      const refused = one(yield* looked({ REDIS_URL: wrong }), "rate-limits")
      assert.match(refused.fix ?? "", /Check the user and the password in REDIS_URL/)
      assert.notInclude(JSON.stringify(refused), "hunter2")
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("a silent server delays a check by no more than its time-out", () =>
    Effect.gen(function* () {
      const port = yield* silent
      const found = yield* looked(
        {
          REDIS_URL: `redis://127.0.0.1:${port}`,
          KAFKA_BROKERS: `127.0.0.1:${port}`,
          BILLING_URL: `http://127.0.0.1:${port}`
        },
        Duration.seconds(1)
      )
      for (const check of ["bus", "rate-limits", "billing"]) {
        assert.include(one(found, check).detail, "no answer within 1s", check)
      }
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )
})

describe("settings", () => {
  it.live("are all named when they are invalid, and no system is checked", () =>
    Effect.gen(function* () {
      const found = yield* looked({ SELLABLE_CORES: "many", ZITADEL_ORG_ID: "", TENANT_PASSWORD_KEY: "hunter2" })
      assert.deepStrictEqual(
        failuresOf(found, "settings").map((_) => _.detail.split(":")[0]),
        [
          "the setting TENANT_PASSWORD_KEY is not what it should be",
          "the setting ZITADEL_ORG_ID is missing",
          "the setting SELLABLE_CORES is not what it should be"
        ]
      )
      assert.strictEqual(one(found, "systems").state, "skipped")
      assert.notInclude(JSON.stringify(found), "hunter2")
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("an unreadable certificate file of PostgreSQL is named", () =>
    Effect.gen(function* () {
      const { DATABASE_URL } = yield* given
      const found = yield* looked({ DATABASE_URL: `${DATABASE_URL}?sslrootcert=/nowhere/ca.pem` })
      const [failure, ...more] = failuresOf(found, "settings")
      assert.isEmpty(more)
      assert.include(failure?.detail, "the file that sslrootcert in DATABASE_URL names cannot be read: ENOENT")
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("a second platform key is a warning, until it is unset", () =>
    Effect.gen(function* () {
      const second = randomBytes(32).toString("hex")
      const warned = Effect.fnUntraced(function* (settings: Settings) {
        const found = of(yield* looked(settings), "settings")
        assert.include(
          found.map((_) => _.state),
          "ok"
        )
        assert.notInclude(JSON.stringify(found), second)
        return found.some((_) => _.state === "warning" && _.detail.startsWith("ACCEPTED_TENANT_PASSWORD_KEY is set"))
      })
      assert.isTrue(yield* warned({ ACCEPTED_TENANT_PASSWORD_KEY: second }))
      assert.isFalse(yield* warned({}))
      assert.isFalse(yield* warned({ ACCEPTED_TENANT_PASSWORD_KEY: "" }))
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )
})

describe("the command", () => {
  const doctor = [process.execPath, "packages/gateway/src/doctor.ts"]
  const run = Effect.fnUntraced(function* (settings: Settings, ...options: ReadonlyArray<string>) {
    // What works may take as long as it needs.
    const time = options.includes("--timeout") ? [] : ["--timeout", "600"]
    const child = yield* spawned({ command: [...doctor, ...time, ...options], settings })
    return { code: yield* child.ended, said: child.stdout(), complained: child.stderr() }
  })

  it.live("prints a line for each finding, or JSON, and exits accordingly", () =>
    Effect.gen(function* () {
      const settings = yield* given
      const well = yield* run(settings)
      assert.strictEqual(well.code, 0, well.said + well.complained)
      assert.match(well.said, /^ok {6}identity {11}Keystone answers, and has the rights for onboarding$/m)
      assert.match(well.said, /^0 failures, 0 warnings, 16 ok, 4 skipped$/m)

      const dead = yield* run({ ...settings, BILLING_URL: nowhere }, "--json")
      const found: ReadonlyArray<Checked> = JSON.parse(dead.said)
      assert.deepStrictEqual([dead.code, dead.complained], [1, ""])
      assert.hasAllKeys(found[0], ["check", "state", "detail", "fix", "milliseconds"])
      assert.deepInclude(one(found, "billing"), { state: "failed" })

      const required = yield* run({ ...settings, BILLING_URL: nowhere }, "--require", "settings,database")
      assert.strictEqual(required.code, 0)
      assert.match(required.said, /^FAILED {2}billing .*\n {27}-> Look whether the billing service works/m)
      assert.strictEqual((yield* run(settings, "--colour")).code, 2)
      assert.strictEqual((yield* run(settings, "--help")).code, 0)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("fails if a required check was not carried out", () =>
    Effect.gen(function* () {
      const settings = yield* given
      const misspelled = yield* run(settings, "--require", "settings,databse")
      assert.strictEqual(misspelled.code, 2)
      assert.include(misspelled.complained, "databse")
      assert.strictEqual((yield* run(settings, "--require", "records")).code, 2)
      assert.strictEqual((yield* run(settings, "--timeout", "0")).code, 2)
      // Nothing else is looked at then.
      assert.strictEqual((yield* run({ ...settings, SELLABLE_CORES: "many" }, "--require", "database")).code, 1)
      const known = yield* run(settings, "--records", "--require", "database, clock, rate-limits, dns")
      assert.strictEqual(known.code, 0, known.said + known.complained)
      assert.notStrictEqual((yield* run(settings, "--records", "--require", "records")).code, 2)
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it.live("prints no stack trace when the reader of its output has closed", () =>
    Effect.gen(function* () {
      const command = ["sh", "-c", `${doctor.join(" ")} --require settings | head -n 0`]
      const child = yield* spawned({ command, settings: yield* given })
      assert.deepStrictEqual([yield* child.ended, child.stderr()], [0, ""])
    }).pipe(Effect.provide(Layer.fresh(Cloud)), Effect.scoped)
  )

  it("prints the counts", () => {
    const finding = { check: "a", state: "failed", detail: "b", fix: null, milliseconds: 1 } as const
    assert.strictEqual(summaryOf([finding]), "1 failure, 0 warnings, 0 ok, 0 skipped")
    assert.strictEqual(textOf(finding), "FAILED  a                  b")
  })
})
