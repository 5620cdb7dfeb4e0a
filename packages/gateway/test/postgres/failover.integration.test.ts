import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import type { AuditPage } from "@portico/contract/Audit"
import type { Minted } from "@portico/contract/Credentials"
import { Effect, Fiber } from "effect"
import { eventually } from "../processes/children.ts"
import { type Gateway, startGateway, story, tenantOf } from "../processes/harness.ts"
import { forwarder } from "./Forwarder.ts"
import { fresh, replicaOf, type Server } from "./Postgres.ts"
import { complete, named, releases } from "./releases.ts"

/** What clients were answered, call by call. */
interface Answers {
  /** Request ids of writes that the gateway has answered otherwise than with a 5xx: each is on the audit. */
  readonly audited: Array<string>
  /** Credentials whose creation was answered with 201. */
  readonly minted: Array<string>
  /** Answers while there was no database. */
  readonly refusals: Array<{ readonly status: number; readonly code: string; readonly retryAfter: string | null }>
  /** Whatever else came, and broken connections. */
  readonly others: Array<string>
}

const noAnswers = (): Answers => ({ audited: [], minted: [], refusals: [], others: [] })

/** Writes over and over on several connections until it is interrupted. */
const writing = (gateway: Gateway, token: string, answers: Answers) => {
  const call = async (method: string, path: string, body: unknown, signal: AbortSignal) => {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal
    })
    const json = (await response.json()) as Partial<Minted> & { readonly code?: string }
    const { headers, status } = response
    if (status < 500) answers.audited.push(headers.get("x-request-id") ?? "")
    else if (status === 503) {
      answers.refusals.push({ status, code: json.code ?? "", retryAfter: headers.get("retry-after") })
    } else answers.others.push(`${method} ${path} ${status} ${JSON.stringify(json)}`)
    return { status, json }
  }
  const calls = async (signal: AbortSignal) => {
    for (;;) await call("POST", "/v1/iaas/compute/servers/absent/metadata", { metadata: { a: "b" } }, signal)
  }
  const mints = async (signal: AbortSignal) => {
    for (let nth = 0; nth < 40; nth++) {
      const { json, status } = await call(
        "POST",
        "/v1/credentials",
        { kind: "api-key", tier: 0, label: `key ${nth}` },
        signal
      )
      if (status === 201) answers.minted.push(json.credential_id ?? "")
    }
  }
  return Effect.forEach(
    [calls, calls, calls, mints],
    (lane) =>
      Effect.tryPromise({ try: lane, catch: (cause) => answers.others.push(String(cause)) }).pipe(Effect.ignore),
    { concurrency: "unbounded", discard: true }
  )
}

/** What the database itself has: the gateway serves the newest records from its memory. */
const recordedIn = Effect.fnUntraced(function* (server: Server) {
  const lines = (statement: string) => Effect.map(server.psql("portico", statement), (_) => new Set(_.split("\n")))
  return {
    requests: yield* lines("SELECT envelope->'data'->>'request_id' FROM events WHERE topic = 'api.audit'"),
    credentials: yield* lines("SELECT credential_id FROM credentials WHERE state = 'active'")
  }
})

const moreThan = (answers: Answers, count: number) =>
  eventually(Effect.sync(() => assert.isAbove(answers.audited.length, count, answers.others.slice(0, 3).join("\n"))))

/** The primary answers a commit when the replica has it too. */
const synchronous = Effect.fnUntraced(function* (primary: Server, replica: string) {
  yield* primary.psql("postgres", `ALTER SYSTEM SET synchronous_standby_names = '${replica}'`)
  yield* primary.psql("postgres", "SELECT pg_reload_conf()")
  const state = Effect.map(primary.psql("postgres", "SELECT sync_state FROM pg_stat_replication"), (_) =>
    assert.strictEqual(_, "sync")
  )
  yield* eventually(state)
})

const skipped = complete === undefined
const release = complete ?? { version: 0, bin: "" }

/** The oldest release, and the newest one. */
const both = skipped ? [release] : [release, ...releases.slice(-1)]

for (const each of both) {
  story.skipIf(skipped)(
    named(
      `PostgreSQL ${each.version}: the primary is lost in the middle of writes, and its replica takes over at the same address`
    ),
    () =>
      Effect.gen(function* () {
        const primary = yield* fresh(each, { wal_keep_size: "64MB" })
        const replica = yield* replicaOf(primary, "standby")
        yield* synchronous(primary, "standby")
        const address = yield* forwarder(primary.port)
        const gateway = yield* startGateway({ DATABASE_URL: address.url("portico"), RATE_LIMIT: "off" })
        const { token } = yield* tenantOf(gateway, "Acme GmbH", "extension")

        const answers = noAnswers()
        const calling = yield* Effect.forkScoped(writing(gateway, token, answers))
        yield* moreThan(answers, 200)
        yield* primary.kill
        yield* eventually(Effect.sync(() => assert.isAbove(answers.refusals.length, 20)))
        yield* replica.promote
        yield* address.move(replica.port)
        const before = answers.audited.length
        yield* moreThan(answers, before + 200)
        yield* Fiber.interrupt(calling)

        assert.deepStrictEqual(answers.others, [])
        for (const refusal of answers.refusals) {
          assert.deepStrictEqual(refusal, { status: 503, code: "database_unavailable", retryAfter: "1" })
        }
        const recorded = yield* recordedIn(replica)
        assert.deepStrictEqual(
          answers.audited.filter((_) => !recorded.requests.has(_)),
          []
        )
        assert.isAbove(answers.minted.length, 5)
        assert.deepStrictEqual(
          answers.minted.filter((_) => !recorded.credentials.has(_)),
          []
        )
      }).pipe(Effect.provide(NodeServices.layer))
  )
}

const auditBehind = Effect.fnUntraced(function* (gateway: Gateway, token: string, cursor: string) {
  const behind = cursor === "" ? "" : `&cursor=${cursor}`
  const { body } = yield* gateway.customer<AuditPage>(token, "GET", `/v1/audit?order=asc&limit=1000${behind}`)
  return { cursor: body.last_cursor ?? "", ids: (body.records ?? []).map((_) => _.request_id) }
})

story.skipIf(skipped)(
  named("a lagging replica takes over: unreplicated writes are lost, and the gateway continues"),
  () =>
    Effect.gen(function* () {
      const primary = yield* fresh(release, { wal_keep_size: "64MB" })
      const replica = yield* replicaOf(primary, "standby")
      const address = yield* forwarder(primary.port)
      const gateway = yield* startGateway({ DATABASE_URL: address.url("portico"), RATE_LIMIT: "off" })
      const { token } = yield* tenantOf(gateway, "Acme GmbH")
      const kept = yield* gateway.mint(token, "kept")
      const received = Effect.map(
        replica.psql("portico", "SELECT count(*) FROM credentials WHERE label = 'kept' AND state = 'active'"),
        (_) => assert.strictEqual(_, "1")
      )
      yield* eventually(received)
      yield* replica.detach
      const lost = yield* gateway.mint(token, "lost")
      assert.strictEqual(lost.status, 201)
      for (let nth = 0; nth < 60; nth++) yield* gateway.customer(token, "POST", "/v1/credentials", { kind: "none" })
      const { cursor } = yield* auditBehind(gateway, token, "")

      yield* primary.kill
      yield* replica.promote
      yield* address.move(replica.port)
      yield* replica.script("skip-numbers.sql")

      // The gateway's own memory of a caller ends within a minute: another one has none.
      const other = yield* startGateway({ DATABASE_URL: address.url("portico") })
      assert.strictEqual((yield* other.whoami(kept.body.pat ?? "")).status, 200)
      const refused = yield* other.whoami(lost.body.pat ?? "")
      assert.deepStrictEqual([refused.status, refused.body.code], [403, "no_tenant"])

      const after = yield* gateway.mint(token, "after")
      assert.strictEqual(after.status, 201)
      for (const one of [gateway, other]) {
        yield* eventually(Effect.map(auditBehind(one, token, cursor), (_) => assert.isAbove(_.ids.length, 0)))
      }
    }).pipe(Effect.provide(NodeServices.layer))
)
