import type { AgentsEnded } from "@portico/contract/Agents"
import type { Minted } from "@portico/contract/Credentials"
import { assert } from "@effect/vitest"
import { deactivationLease } from "@portico/store/AgentSettings"
import { pass } from "@portico/testing/store/Aging"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { eventually, heard } from "../processes/children.ts"
import {
  cloudState,
  fault,
  type Gateway,
  reached,
  startGateway,
  story,
  tenantOf,
  twoGateways
} from "../processes/harness.ts"
import { kinds, overOf } from "../streams/openStreams.ts"

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "story", version: "1" } }
}

/** One request to the agent plane, and how it is admitted. */
const atAgentPlane = ({ agentUrl }: Gateway, token: string) =>
  Effect.promise(async () => {
    const answer = await fetch(agentUrl, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify(initialize)
    })
    const text = await answer.text()
    return answer.status === 200 ? [200] : [answer.status, JSON.parse(text).code]
  })

const isRefused = (gateway: Gateway, token: string, as: readonly [number, string]) =>
  Effect.map(atAgentPlane(gateway, token), (_) => assert.deepStrictEqual<unknown>(_, as))

const endAgents = (gateway: Gateway, projectId: string) =>
  gateway.operator<AgentsEnded>("DELETE", `/v1/agents?project_id=${projectId}`)

const revoked = [401, "credential_revoked"] as const
const ended = [401, "agents_ended"] as const

/** A tenant with a script's credential and two agents. */
const acme = Effect.fnUntraced(function* (first: Gateway) {
  const { projectId, token } = yield* tenantOf(first, "Acme GmbH")
  const minted = (label: string) => first.customer<Minted>(token, "POST", "/v1/agents", { label, tier: 1 })
  const agents = [(yield* minted("one")).body, (yield* minted("two")).body].map((_) => ({
    id: _.credential_id ?? "",
    pat: _.pat ?? ""
  }))
  return { projectId, script: token, agents, tokens: agents.map((_) => _.pat) }
})

/** Both gateways have just served all of them. */
const stage = Effect.gen(function* () {
  const [first, second] = yield* twoGateways()
  const tenant = yield* acme(first)
  for (const gateway of [first, second, first, second]) {
    for (const pat of [...tenant.tokens, tenant.script]) {
      assert.deepStrictEqual(yield* atAgentPlane(gateway, pat), [200])
    }
  }
  return { first, second, ...tenant }
})

const endedEverywhere = Effect.fnUntraced(function* (gateways: ReadonlyArray<Gateway>, tokens: ReadonlyArray<string>) {
  for (const gateway of gateways) {
    for (const token of tokens) {
      yield* isRefused(gateway, token, revoked)
      assert.strictEqual((yield* gateway.whoami(token)).status, 401)
    }
  }
})

/** The users of machines that work at the identity provider. */
const activeUsers = Effect.map(cloudState, (state) => JSON.stringify(state).match(/USER_STATE_ACTIVE/g)?.length ?? 0)

/** The sessions that listen for changes, but for the first one's, are cut. */
const deafen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query ILIKE 'LISTEN%portico_credentials%'`
})

for (const [how, before] of [
  ["", Effect.void],
  [", also without notifications", deafen]
] as const) {
  story(`agents that are ended at one gateway are refused at the other too${how}`, () =>
    Effect.gen(function* () {
      const { first, projectId, script, second, tokens } = yield* stage
      const [pat = ""] = tokens
      const open = yield* Effect.acquireRelease(
        kinds["GET /v1/events/tail"]!.open(second.url, pat, projectId),
        ({ close }) => Effect.sync(close)
      )
      yield* eventually(Effect.sync(() => assert.strictEqual(open.status(), 200)))
      yield* before
      const { body, status } = yield* endAgents(first, projectId)
      assert.deepStrictEqual([status, body.ended], [200, 2], JSON.stringify(body))
      yield* endedEverywhere([first], tokens)
      yield* eventually(endedEverywhere([second], tokens), heard)
      yield* eventually(isRefused(second, script, ended), heard)
      assert.strictEqual((yield* second.whoami(script)).status, 200)
      // Not a glimpse: it stays refused, everywhere.
      yield* endedEverywhere([first, second, first, second], tokens)
      yield* eventually(
        Effect.map(overOf([open]), (_) => assert.lengthOf(_, 1)),
        heard
      )
    })
  )
}

story("a policy that disables agents applies at the other gateway too, and so does its removal", () =>
  Effect.gen(function* () {
    const { first, projectId, second, tokens } = yield* stage
    const [pat = ""] = tokens
    const put = (enabled: boolean) => first.operator("PUT", `/v1/agents/policy?project_id=${projectId}`, { enabled })
    assert.strictEqual((yield* put(false)).status, 200)
    yield* isRefused(first, pat, [403, "agents_disabled"])
    yield* eventually(isRefused(second, pat, [403, "agents_disabled"]), heard)
    assert.strictEqual((yield* put(true)).status, 200)
    yield* eventually(
      Effect.map(atAgentPlane(second, pat), (_) => assert.deepStrictEqual(_, [200])),
      heard
    )
  })
)

story("the users are deactivated by another gateway when the first one is killed", () =>
  Effect.gen(function* () {
    const first = yield* startGateway()
    const { projectId, tokens } = yield* acme(first)
    const before = yield* activeUsers
    const hangs = {
      service: "zitadel",
      method: "POST",
      path: "/management/v1/users/*/_deactivate",
      times: 2,
      when: "before",
      as: "hang"
    } as const
    yield* fault(hangs)
    const { body, status } = yield* endAgents(first, projectId)
    assert.deepStrictEqual([status, body.ended], [200, 2], JSON.stringify(body))
    yield* reached(hangs)
    yield* first.kill
    const second = yield* startGateway()
    yield* endedEverywhere([second], tokens)
    assert.strictEqual(yield* activeUsers, before)
    yield* pass(deactivationLease)
    yield* eventually(Effect.map(activeUsers, (_) => assert.strictEqual(_, before - 2)))
    yield* endedEverywhere([second], tokens)
  })
)

story("a gateway that is killed before the end's commit ended none, and a repetition ends all", () =>
  Effect.gen(function* () {
    const { agents, first, projectId, second, tokens } = yield* stage
    const sql = yield* SqlClient.SqlClient
    const held = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    // The end waits for this row, with its own already stored and not committed.
    const holding = yield* Effect.forkScoped(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT FROM credentials WHERE credential_id = ${agents[1]?.id ?? ""} FOR UPDATE`
          yield* Deferred.succeed(held, undefined)
          yield* Deferred.await(release)
        })
      )
    )
    yield* Deferred.await(held)
    yield* Effect.forkScoped(Effect.exit(endAgents(first, projectId)))
    yield* eventually(
      Effect.map(
        sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        (_) => assert.lengthOf(_, 1)
      )
    )
    yield* first.kill
    yield* Deferred.succeed(release, undefined)
    yield* Fiber.await(holding)
    for (const token of tokens) assert.deepStrictEqual(yield* atAgentPlane(second, token), [200])
    const { body, status } = yield* endAgents(second, projectId)
    assert.deepStrictEqual([status, body.ended], [200, 2], JSON.stringify(body))
    yield* endedEverywhere([second], tokens)
  })
)

story("two concurrent ends end each agent once", () =>
  Effect.gen(function* () {
    const { first, projectId, second, tokens } = yield* stage
    const both = yield* Effect.all([endAgents(first, projectId), endAgents(second, projectId)], { concurrency: 2 })
    assert.sameMembers(
      both.map((_) => _.body.ended),
      [0, 2]
    )
    yield* eventually(endedEverywhere([first, second], tokens), heard)
  })
)
