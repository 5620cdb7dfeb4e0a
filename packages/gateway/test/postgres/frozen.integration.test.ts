import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { Effect, Fiber } from "effect"
import { request } from "undici"
import { samplesIn, valueOf } from "../observability/exposition.ts"
import { eventually } from "../processes/children.ts"
import { type Answer, type Gateway, startGateway, story, tenantOf } from "../processes/harness.ts"
import { fresh, type Server } from "./Postgres.ts"
import { complete, named } from "./releases.ts"

const release = complete ?? { version: 0, bin: "" }

/** An answer in a few words. */
const shortly = (call: Effect.Effect<Answer<unknown>>) =>
  Effect.map(call, ({ body, status }) => `${status} ${body.code ?? ""}`.trim())

const metric = ({ operatorUrl }: Gateway, name: string, labels: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${fixtures.idp.operatorToken}` }
    const { body } = await request(`${operatorUrl}/metrics`, { headers })
    return valueOf(samplesIn(await body.text()), name, labels) ?? 0
  })

/** How many requests of customers the gateway has in hand. */
const underWay = (gateway: Gateway) => metric(gateway, "portico_http_requests_in_flight", { plane: "customer" })

/** How many statements of tenants were told that there is no session for them. */
const refused = (gateway: Gateway) => metric(gateway, "portico_database_refused_total", { share: "ordinary" })

const several = <A, E, R>(count: number, calls: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(Array.from({ length: count }, () => calls).flat(), { concurrency: "unbounded" })

/** Another session holds the table meanwhile. */
const locked = <A, E, R>(server: Server, table: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const holding = yield* Effect.forkScoped(
      Effect.exit(server.psql("portico", `BEGIN; LOCK TABLE ${table}; SELECT pg_sleep(3600)`))
    )
    const holder = `SELECT pid FROM pg_locks WHERE relation = '${table}'::regclass AND mode = 'AccessExclusiveLock' AND granted`
    yield* eventually(Effect.map(server.psql("portico", holder), (_) => assert.match(_, /\d/)))
    return yield* Effect.ensuring(
      effect,
      Effect.andThen(
        server.psql("portico", `SELECT pg_terminate_backend(pid) FROM (${holder}) AS holder`),
        Fiber.await(holding)
      )
    )
  })

story.skipIf(complete === undefined)(
  named("with PostgreSQL frozen, calls that need it get 503 in time, and others succeed"),
  () =>
    Effect.gen(function* () {
      const server = yield* fresh(release)
      const gateway = yield* startGateway({ DATABASE_URL: server.url("portico") })
      const { token } = yield* tenantOf(gateway, "Acme GmbH")
      const key = yield* gateway.mint(token, "kept")
      const get = (path: string) => shortly(gateway.customer(token, "GET", path))
      assert.strictEqual((yield* gateway.whoami(token)).status, 200)
      const needing = [
        get("/v1/credentials"),
        get("/v1/webhooks"),
        shortly(gateway.mint(token, "lost")),
        shortly(gateway.operator("GET", "/v1/tenants")),
        shortly(gateway.operator("POST", "/v1/tenants", { name: "Globex", tier: "discovery" }))
      ]
      yield* server.frozen(
        Effect.gen(function* () {
          const [refused, served] = yield* Effect.all(
            [several(6, needing), several(6, [get("/v1/whoami"), get("/v1/iaas/compute/servers")])],
            { concurrency: 2 }
          )
          // All of them while it stands still.
          assert.deepStrictEqual([...new Set(refused)], ["503 database_unavailable"])
          assert.deepStrictEqual([...new Set(served)], ["200"])
        })
      )
      yield* eventually(Effect.map(get("/v1/credentials"), (_) => assert.strictEqual(_, "200")))
      const pat = key.body.pat ?? ""
      assert.strictEqual((yield* gateway.whoami(pat)).status, 200)
      assert.strictEqual((yield* gateway.revoke(token, key.body.credential_id ?? "")).status, 200)
      assert.strictEqual((yield* gateway.whoami(pat)).status, 401)
    }).pipe(Effect.provide(NodeServices.layer))
)

story.skipIf(complete === undefined)(named("a gateway exits in time although PostgreSQL is frozen"), () =>
  Effect.gen(function* () {
    const server = yield* fresh(release)
    const gateway = yield* startGateway({ DATABASE_URL: server.url("portico") })
    const { token } = yield* tenantOf(gateway, "Acme GmbH")
    const code = yield* server.frozen(
      Effect.gen(function* () {
        const calls = [gateway.mint(token, "lost"), gateway.customer(token, "GET", "/v1/webhooks")]
        yield* Effect.forkScoped(Effect.exit(several(6, calls)))
        yield* eventually(Effect.map(underWay(gateway), (_) => assert.isAtLeast(_, 12)))
        return yield* gateway.stop
      })
    )
    // A process that has not ended within 30 seconds ends with code 1.
    assert.strictEqual(code, 0)
  }).pipe(Effect.provide(NodeServices.layer))
)

story.skipIf(complete === undefined)(named("a locked table leaves sessions for other calls"), () =>
  Effect.gen(function* () {
    const server = yield* fresh(release)
    // For longer than any call waits for a session: without shares these calls would be told that there is none.
    const gateway = yield* startGateway({ DATABASE_URL: server.url("portico"), DATABASE_STATEMENT_SECONDS: "60" })
    const acme = yield* tenantOf(gateway, "Acme GmbH")
    const globex = yield* tenantOf(gateway, "Globex")
    const get = (token: string, path: string) => shortly(gateway.customer(token, "GET", path))
    const floods = {
      "of one tenant, by several kinds of calls": [
        get(acme.token, "/v1/webhooks"),
        get(acme.token, "/v1/integrations")
      ],
      "of one kind of call, by several tenants": [get(acme.token, "/v1/webhooks"), get(globex.token, "/v1/webhooks")]
    }
    for (const [what, calls] of Object.entries(floods)) {
      const key = yield* gateway.mint(acme.token, "stolen")
      const others = [
        get(globex.token, "/v1/credentials"),
        shortly(gateway.mint(globex.token, what)),
        shortly(gateway.operator("GET", "/v1/tenants")),
        shortly(gateway.revoke(acme.token, key.body.credential_id ?? ""))
      ]
      const before = yield* refused(gateway)
      const flood = yield* locked(
        server,
        "targets",
        Effect.gen(function* () {
          const flood = yield* Effect.forkScoped(several(20, calls))
          yield* eventually(Effect.map(refused(gateway), (_) => assert.isAbove(_, before)))
          const answers = yield* Effect.all(others, { concurrency: "unbounded" })
          assert.deepStrictEqual(answers, ["200", "201", "200", "200"], what)
          return flood
        })
      )
      // Those that have a session wait for the table; those that have none are told so.
      const answers = yield* Fiber.join(flood)
      assert.sameMembers([...new Set(answers)], ["200", "503 database_unavailable"], what)
    }
    assert.strictEqual(yield* get(acme.token, "/v1/webhooks"), "200")
  }).pipe(Effect.provide(NodeServices.layer))
)
