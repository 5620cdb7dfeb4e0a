import { routeOf } from "@portico/agent/plans/routes"
import type { Arguments } from "@portico/agent/tools/Tool"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import type { Success } from "../routes/Success.ts"
import { successes } from "../routes/successes.ts"
import { routeByTool, tools } from "./toolCalls.ts"

/** An agent that the one who calls has made. Earlier ones go: a tenant has not many places. */
const turned = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  const token = acme.tokens[2]
  const { agents } = jsonOf(yield* call("customer", "GET", "/v1/agents?limit=1000", { token }))
  for (const { credential_id, label } of agents) {
    if (label === "turned") yield* call("customer", "DELETE", `/v1/credentials/${credential_id}`, { token })
  }
  const made = yield* call("customer", "POST", "/v1/agents", { token: acme.tokens[1], body: { label: "turned" } })
  return { path: `/v1/credentials/${jsonOf(made).credential_id}/rotate`, body: { overlap_seconds: 60 } }
})

/** Where the row of the route asks for more than any agent may; undefined where every agent makes another call. */
const forAgents: Readonly<Record<string, Success | undefined>> = {
  credentials_mint: undefined,
  credentials_rotate: { status: 201, prepare: turned }
}

export interface Story {
  readonly tool: string
  /** `POST /v1/databases/:engine/:name/restore` */
  readonly route: string
  readonly row: Success
  /** Whether a plan may be applied again after its answer was lost, because the API takes its `Idempotency-Key`. */
  readonly takesKey: boolean
}

/** The tools that change something, where an agent of acme may call them. */
export const stories = tools.flatMap(({ name: tool, writes }): ReadonlyArray<Story> => {
  const route = (routeByTool.get(tool) ?? "").replaceAll(/\{(\w+)\}/g, ":$1")
  const row = Object.hasOwn(forAgents, tool) ? forAgents[tool] : successes[route]
  const [method = "", path = ""] = route.split(" ")
  if (!writes || row === undefined || row.roles !== undefined) return []
  return [{ tool, route, row, takesKey: routeOf({ method, path })?.takesKey === true }]
})

/** What the tool is given for a request of its route. */
export const argumentsOf = (route: string, { body, path }: Effect.Success<Success["prepare"]>): Arguments => {
  const [, template = ""] = route.split(" ")
  const pattern = template.replaceAll(/:(\w+)/g, "(?<$1>[^/?]+)")
  const inPath = Object.entries(new RegExp(`^${pattern}`).exec(path)?.groups ?? {})
  const taken = new Set(inPath.map(([name]) => name))
  const fields = Object.entries(Object(body)).map(([name, value]) => [taken.has(name) ? `new_${name}` : name, value])
  return Object.fromEntries([...inPath.map(([name, value]) => [name, decodeURIComponent(value)]), ...fields])
}

/** A person confirms each write of acme's agents. */
export const everyWriteConfirmed = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  const body = { enabled: true, confirm: ["writes"] }
  const path = `/v1/agents/policy?project_id=${acme.projectId}`
  const { status, text } = yield* call("operator", "PUT", path, { token: operator, body })
  assert.strictEqual(status, 200, text)
})
