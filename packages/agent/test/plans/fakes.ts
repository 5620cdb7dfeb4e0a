import { Caller, CallerTenant } from "@portico/contract/Access"
import { Effect, Layer, Redacted } from "effect"
import { AgentPolicy } from "../../src/AgentPolicy.ts"
import { Api, type ApiRequest } from "../../src/Api.ts"
import { Areas } from "../../src/Areas.ts"
import type { Agent } from "../../src/CurrentAgent.ts"
import { type FoundPlan, Plans, ProxyWeights, type Weight } from "../../src/plans/Plans.ts"
import { Rights } from "../../src/Rights.ts"
import type { Tool } from "../../src/tools/Tool.ts"

export const agentOf = (tier: 0 | 1 = 1, billing = true): Agent => ({
  caller: new Caller({
    userId: "user-1",
    userName: "agent",
    userEmail: "",
    roles: [],
    credentialLabel: "agent",
    tier,
    kind: "mcp",
    credentialId: "cred-1",
    admin: false,
    human: false,
    role: null,
    billing,
    tenant: new CallerTenant({ projectId: "project-1", name: "Acme", source: "credential_store", closing: false })
  }),
  token: Redacted.make("token"),
  source: undefined,
  requestId: "0".repeat(32)
})

/** What the API answers, by method and path; anything else is a 404. It can change in the middle of a story. */
export type Answers = Record<string, unknown>

/** The services of tools, over an API that answers so, and the requests that changed something. */
export const services = (
  answers: Answers,
  confirm: () => ReadonlyArray<string>,
  weight: ReadonlyArray<Weight> = [],
  reached: ReadonlyArray<string> = []
) => {
  const writes: Array<ApiRequest> = []
  const plans = new Map<string, FoundPlan>()
  const layer = Layer.mergeAll(
    Layer.succeed(
      Api,
      Api.of({
        call: (_, request) =>
          Effect.sync(() => {
            if (request.method !== "GET") writes.push(request)
            const found = answers[`${request.method} ${request.path}`]
            const status = found === undefined ? 404 : 200
            return { status, headers: {}, body: JSON.stringify(found ?? { detail: "not found" }), cut: false }
          })
      })
    ),
    Layer.succeed(
      AgentPolicy,
      AgentPolicy.of({ of: () => Effect.sync(() => ({ enabled: true, confirm: confirm() })) })
    ),
    Layer.succeed(Areas, Areas.of({ of: () => Effect.succeed([]), put: () => Effect.void })),
    Layer.succeed(ProxyWeights, ProxyWeights.of({ of: () => weight, otherAreas: () => reached })),
    Layer.succeed(Rights, Rights.of({ permits: ({ tier }) => tier > 0, permitsArea: () => true })),
    Layer.succeed(
      Plans,
      Plans.of({
        keep: (_, plan) =>
          Effect.sync(() => {
            const id = `plan-${plans.size + 1}`
            plans.set(id, { plan, state: "open" })
            return { id, expiresAt: "2026-01-01T00:00:00.000Z" }
          }),
        find: (_, id) => Effect.sync(() => plans.get(id)),
        take: (_, id) => Effect.sync(() => taken(plans, id)),
        end: (_, id) =>
          Effect.sync(() => {
            const found = plans.get(id)
            if (found !== undefined) plans.set(id, { ...found, state: "ended" })
          })
      })
    )
  )
  return { layer, writes }
}

const taken = (plans: Map<string, FoundPlan>, id: string): boolean => {
  const found = plans.get(id)
  if (found === undefined || found.state !== "open") return false
  plans.set(id, { ...found, state: "taken" })
  return true
}

/** A tool that makes one request out of its arguments. */
export const toolOf = (request: Pick<ApiRequest, "method" | "path">, more: Partial<Tool> = {}): Tool => ({
  name: "some_tool",
  title: "Some tool",
  description: "Some tool",
  input: { type: "object", properties: {} },
  area: "compute",
  writes: request.method !== "GET",
  weight: [],
  idempotent: false,
  visibleTo: () => true,
  run: Effect.fnUntraced(function* (agent, given) {
    const body = request.method === "GET" ? {} : { body: JSON.stringify(given) }
    const { status } = yield* (yield* Api).call(agent, { ...request, ...body })
    return { status, body: {}, failed: status !== 200 }
  }),
  ...more
})
