import { publicImageId } from "@portico/simulator/glance/state"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inspect } from "node:util"
import { connectedTo } from "../harness/agents.ts"
import { eventually } from "../processes/children.ts"
import { story, tables, tenantOf, twoGateways } from "../processes/harness.ts"

type Client = Effect.Success<ReturnType<typeof connectedTo>>

/** Loose on purpose. */
const callTool = (client: Client, name: string, given: Record<string, unknown>) =>
  Effect.promise(
    // oxlint-disable-next-line typescript/no-explicit-any
    async (): Promise<any> => (await client.callTool({ name, arguments: given })).structuredContent
  )

/** Everything in rows, also what JSON has no form for. */
const textOf = (rows: ReadonlyArray<unknown>) =>
  inspect(rows, { depth: null, maxArrayLength: null, maxStringLength: null })

const word = "nobody-reads-this"

const group = {
  name: word,
  min: 0,
  max: 3,
  desired: 0,
  template: { flavor_id: "2", image_id: publicImageId }
}

story("of a plan that two gateways apply at once, one act results", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways()
    const { token } = yield* tenantOf(gateways[0], "Acme GmbH", "standard")
    const clients = yield* Effect.all([
      connectedTo(gateways[0].agentUrl, token),
      connectedTo(gateways[1].agentUrl, token)
    ])
    const applied = (plan_id: string) =>
      Effect.forEach(
        Array.from({ length: 8 }, (_, index) => clients[index % 2]!),
        (client) => callTool(client, "plan_apply", { plan_id }),
        { concurrency: "unbounded" }
      )

    // A creation that takes an Idempotency-Key: who comes too early is told so, and everybody later gets its answer.
    const { plan_id } = yield* callTool(clients[0], "autoscaling_create", group)
    for (const answer of yield* applied(plan_id)) {
      if (answer.group_id === undefined)
        assert.strictEqual(answer.code, "idempotency_in_flight", JSON.stringify(answer))
    }
    const { autoscaling_groups: rows = [] } = yield* tables
    assert.lengthOf(rows, 1)
    const { group_id } = yield* callTool(clients[1], "plan_apply", { plan_id })
    assert.isString(group_id)

    // A change, which takes none.
    const { volume } = (yield* gateways[0].customer<{ readonly volume: { readonly id: string } }>(
      token,
      "POST",
      "/v1/iaas/volume/volumes",
      { volume: { name: word, size: 1 } }
    )).body
    // A plan for a volume that is still being made is outdated when it is there.
    yield* eventually(
      Effect.map(
        gateways[0].customer<{ readonly volume: { readonly status: string } }>(
          token,
          "GET",
          `/v1/iaas/volume/volumes/${volume?.id}`
        ),
        (_) => assert.strictEqual(_.body.volume?.status, "available")
      )
    )
    const extended = (new_size: number) =>
      callTool(clients[1], "volume_write", {
        method: "POST",
        path: `volumes/${volume?.id}/action`,
        body: { "os-extend": { new_size } }
      })
    const change = yield* extended(2)
    const codes = (yield* applied(change.plan_id)).map((_) => _.code ?? "done")
    assert.lengthOf(
      codes.filter((_) => _ === "done"),
      1
    )
    // Who looked when it was done already saw that the volume has changed.
    assert.isTrue(
      codes.every((_) => ["done", "plan_spent", "plan_outdated"].includes(_)),
      codes.join()
    )

    // A process that died after it had taken the plan: the plan is spent.
    const sql = yield* SqlClient.SqlClient
    const dead = yield* extended(3)
    yield* sql`UPDATE agent_plans SET taken_at = now() WHERE plan_id = ${dead.plan_id}`
    assert.strictEqual((yield* callTool(clients[1], "plan_apply", { plan_id: dead.plan_id })).code, "plan_spent")

    // Arguments are in no row in clear.
    const { agent_plans = [], events = [] } = yield* tables
    assert.isAbove(agent_plans.length, 2)
    for (const text of [word, "autoscaling", "os-extend"]) assert.notInclude(textOf(agent_plans), text)
    const actions = events.filter((_) => "topic" in _ && _.topic === "agent.actions")
    assert.isAbove(actions.length, 10)
    assert.notInclude(textOf(actions), word)
    for (const { log } of gateways) assert.notInclude(log(), word)
  })
)
