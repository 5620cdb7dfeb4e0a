import { assert } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { request } from "undici"
import { samplesIn, valueOf } from "../observability/exposition.ts"
import { eventually } from "../processes/children.ts"
import { type Gateway, startGateway, story, tenantOf } from "../processes/harness.ts"

/** How many statements of tenants wait for a session. */
const waiting = ({ operatorUrl }: Gateway) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${fixtures.idp.operatorToken}` }
    const { body } = await request(`${operatorUrl}/metrics`, { headers })
    return valueOf(samplesIn(await body.text()), "portico_database_waiting_statements", { share: "ordinary" }) ?? 0
  })

story("calls that wait for one row leave sessions for their tenant's other calls", () =>
  Effect.gen(function* () {
    const gateway = yield* startGateway({ DATABASE_STATEMENT_SECONDS: "60" })
    const { token } = yield* tenantOf(gateway, "Acme GmbH")
    const { credential_id = "" } = (yield* gateway.mint(token, "busy")).body
    const sql = yield* SqlClient.SqlClient
    const held = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const holding = yield* Effect.forkScoped(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT FROM credentials WHERE credential_id = ${credential_id} FOR UPDATE`
          yield* Deferred.succeed(held, undefined)
          yield* Deferred.await(release)
        })
      )
    )
    yield* Deferred.await(held)
    // What gets no session within 4 seconds comes again, so that there are always 20.
    const rotation = Effect.repeat(gateway.customer(token, "POST", `/v1/credentials/${credential_id}/rotate`, {}), {
      while: (_) => _.status === 503
    })
    const rotations = yield* Effect.forkScoped(
      Effect.all(
        Array.from({ length: 20 }, () => rotation),
        { concurrency: "unbounded" }
      )
    )
    const locked = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    yield* eventually(
      Effect.map(Effect.all([locked, waiting(gateway)]), ([{ length }, rest]) => assert.strictEqual(length + rest, 20))
    )
    const read = (path: string) => Effect.map(gateway.customer(token, "GET", path), (_) => `${path} ${_.status}`)
    const paths = ["/v1/webhooks", "/v1/integrations", "/v1/alarms"]
    assert.deepStrictEqual(
      yield* Effect.forEach(paths, read, { concurrency: "unbounded" }),
      paths.map((_) => `${_} 200`)
    )
    yield* Deferred.succeed(release, undefined)
    yield* Fiber.await(holding)
    const answers = (yield* Fiber.join(rotations)).map((_) => _.status)
    assert.deepStrictEqual(answers.toSorted(), [201, ...Array.from({ length: 19 }, () => 409)])
  })
)
