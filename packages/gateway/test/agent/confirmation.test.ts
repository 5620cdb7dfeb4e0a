import { DEFAULT_REQUEST_TIMEOUT_MSEC } from "@modelcontextprotocol/sdk/shared/protocol.js"
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js"
import { assert, layer } from "@effect/vitest"
import { AnswerTime } from "@portico/agent/plans/Plans"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, repeatInTime, settle, until } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { connected } from "../harness/agents.ts"
import { Cast, mint } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const answerTime = { silent: Duration.seconds(2), reported: Duration.seconds(20), pause: Duration.millis(200) }

const Everything = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(Effect.map(Server, ({ url }) => gatewaySettings(url)))),
  Layer.provideMerge(TestGateway.cloud),
  Layer.provide(Layer.succeed(AnswerTime, answerTime))
)

type Client = Effect.Success<ReturnType<typeof connected>>

/** Loose on purpose. */
interface Called {
  readonly isError: boolean
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

const callTool = (client: Client, name: string, given: Record<string, unknown> = {}) =>
  Effect.promise(async (): Promise<Called> => {
    const { isError, structuredContent } = await client.callTool({ name, arguments: given })
    return { isError: isError === true, body: structuredContent }
  })

/** A client whose person answers so, and the questions that it got. */
const asking = Effect.fnUntraced(function* (token: string, answer: () => Promise<ElicitResult>) {
  const client = yield* connected(token, { capabilities: { elicitation: {} } })
  const questions: Array<string> = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message)
    return answer()
  })
  return { client, questions }
})

const says = (answer: ElicitResult) => () => Promise.resolve(answer)
const agrees: ElicitResult = { action: "accept", content: { confirm: true } }
const yes = says(agrees)

const group = (name: string, desired = 2) => ({
  name,
  min: 0,
  max: 3,
  desired,
  template: { flavor_id: "2", image_id: publicImageId }
})

const create = (client: Client, name: string, desired = 2) =>
  callTool(client, "autoscaling_create", group(name, desired))

/** The names of the tenant's autoscaling groups. */
const groups = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  const answer = jsonOf(yield* call("customer", "GET", "/v1/autoscaling/groups", { token: acme.tokens[0] }))
  return answer.groups.map((_: { readonly name: string }) => _.name)
})

const calls = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  const { events } = jsonOf(
    yield* call("customer", "GET", "/v1/events?topic=agent.actions&limit=100", { token: acme.tokens[0] })
  )
  return events.map((_: { readonly data: Readonly<Record<string, unknown>> }) => _.data)
})
const recorded = Effect.map(calls, (all) =>
  all.map((_: Readonly<Record<string, unknown>>) => [_["tool"], _["outcome"]])
)

layer(Everything)("a call that costs money", (it) => {
  it.effect("is made when the client's person agrees, after seeing its quotas and price", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { client, questions } = yield* asking(acme.tokens[1], yes)
      const { body, isError } = yield* create(client, "agreed")
      assert.isFalse(isError, JSON.stringify(body))
      assert.include(yield* groups, "agreed")
      assert.lengthOf(questions, 1)
      assert.include(questions[0], "autoscaling_create")
      assert.include(questions[0], '"name": "agreed"')
      assert.match(String(questions[0]), /Quota compute\.instances: \d+ before, \d+ after, of \d+/)
      assert.include(questions[0], "Price an hour: not known")
    }).pipe(Effect.scoped)
  )

  it.effect("is not made when the person declines, dismisses the question or does not confirm", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const answers: ReadonlyArray<ElicitResult> = [
        { action: "decline" },
        { action: "cancel" },
        { action: "accept" },
        { action: "accept", content: { confirm: false } },
        { action: "accept", content: { confirm: "true" } }
      ]
      for (const answer of answers) {
        const { client } = yield* asking(acme.tokens[1], says(answer))
        const { body, isError } = yield* create(client, "declined")
        assert.isTrue(isError)
        assert.strictEqual(body.code, "confirmation_declined")
      }
      assert.notInclude(yield* groups, "declined")
      assert.deepInclude(yield* recorded, ["autoscaling_create", "declined"])
    }).pipe(Effect.scoped)
  )

  it.effect("becomes a plan when the person does not answer in time", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { client } = yield* asking(acme.tokens[1], () => new Promise(() => {}))
      const { body } = yield* inTime(create(client, "silent"), "100 millis")
      assert.isString(body.plan_id)
      assert.notInclude(yield* groups, "silent")
      const applied = yield* callTool(client, "plan_apply", { plan_id: body.plan_id })
      assert.isFalse(applied.isError, JSON.stringify(applied.body))
      assert.include(yield* groups, "silent")
    }).pipe(Effect.scoped)
  )

  it.effect("waits longer for a person when the client gets progress reports", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const late = Duration.toMillis(answerTime.silent) + 1_000
      const context = yield* Effect.context<never>()
      const clock = yield* Clock.Clock
      const answers = () => Effect.runPromiseWith(context)(Effect.as(Effect.sleep(late), agrees))
      const { client } = yield* asking(acme.tokens[1], answers)
      const reports: Array<number> = []
      const moments = [clock.currentTimeMillisUnsafe()]
      const called = Effect.promise(() =>
        client.callTool({ name: "autoscaling_create", arguments: group("late") }, undefined, {
          onprogress: ({ progress }) => {
            reports.push(progress)
            moments.push(clock.currentTimeMillisUnsafe())
          },
          resetTimeoutOnProgress: true
        })
      )
      const { isError, structuredContent } = yield* inTime(called, "100 millis")
      assert.isAtLeast(clock.currentTimeMillisUnsafe() - moments[0]!, late)
      assert.isTrue(isError !== true, JSON.stringify(structuredContent))
      assert.include(yield* groups, "late")
      assert.isAbove(reports.length, 5)
      // Each of them begins the client's time limit anew.
      for (const [i, moment] of moments.entries()) assert.isAtMost(moment - (moments[i - 1] ?? moment), 1_500)
      assert.deepStrictEqual(
        reports,
        reports.toSorted((one, other) => one - other)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is answered within clients' default time-out when they get no progress reports", () =>
    Effect.sync(() => {
      const { pause, silent } = AnswerTime.defaultValue()
      assert.isBelow(Duration.toMillis(silent), DEFAULT_REQUEST_TIMEOUT_MSEC - 10_000)
      assert.isBelow(Duration.toMillis(pause), DEFAULT_REQUEST_TIMEOUT_MSEC / 2)
    })
  )

  it.effect("is not made for a disconnected client", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { client, questions } = yield* asking(acme.tokens[1], () => new Promise(() => {}))
      void client.callTool({ name: "autoscaling_create", arguments: group("gone") }).catch(() => {})
      yield* until(Effect.sync(() => questions.length > 0))
      yield* Effect.promise(() => client.close())
      yield* settle
      yield* TestClock.adjust(Duration.sum(answerTime.silent, Duration.seconds(1)))
      yield* settle
      assert.notInclude(yield* groups, "gone")
    }).pipe(Effect.scoped)
  )

  it.effect("is a plan for a client without forms, which is applied once", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const client = yield* connected(acme.tokens[1])
      const { body, isError } = yield* create(client, "planned")
      assert.isFalse(isError)
      assert.deepInclude(body.what, { tool: "autoscaling_create", arguments: group("planned"), because: ["billed"] })
      const instances = body.quota.find((_: { quota: string }) => _.quota === "compute.instances")
      assert.strictEqual(instances.after, instances.used + 2)
      assert.strictEqual(body.price, "not known")
      assert.notInclude(yield* groups, "planned")

      const plan = { plan_id: body.plan_id }
      const first = yield* callTool(client, "plan_apply", plan)
      assert.isFalse(first.isError, JSON.stringify(first.body))
      const again = yield* callTool(client, "plan_apply", plan)
      assert.strictEqual(again.body.group_id, first.body.group_id, JSON.stringify(again.body))
      assert.lengthOf(
        (yield* groups).filter((_: string) => _ === "planned"),
        1
      )
      const outcomes = yield* recorded
      assert.deepInclude(outcomes, ["autoscaling_create", "planned"])
      assert.deepInclude(outcomes, ["plan_apply", "succeeded"])
      const planned = (yield* calls).find((_: { readonly outcome: string }) => _.outcome === "planned")
      assert.deepInclude(planned, { method: "POST", route: "/v1/autoscaling/groups" }, "and not what the plan read")
    }).pipe(Effect.scoped)
  )

  it.effect("is not applied by another agent, whose refusal shows nothing of the plan", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const client = yield* connected(acme.tokens[1])
      const { body } = yield* create(client, "foreign")
      const colleague = (yield* mint(acme.tokens[2], 1, "another agent")).pat
      const never = yield* callTool(client, "plan_apply", { plan_id: "plan-00000000-0000-4000-8000-000000000000" })
      for (const token of [globex.tokens[1], colleague]) {
        const other = yield* connected(token)
        const answer = yield* callTool(other, "plan_apply", { plan_id: body.plan_id })
        assert.deepStrictEqual(answer, {
          ...never,
          body: {
            ...never.body,
            detail: `Plan '${body.plan_id}' not found`,
            request_id: answer.body.request_id
          }
        })
      }
      assert.notInclude(yield* groups, "foreign")
    }).pipe(Effect.scoped)
  )

  it.effect("is not applied after the plan has expired", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { agentPlans } = yield* Memory
      const client = yield* connected(acme.tokens[1])
      const { body } = yield* create(client, "expired")
      agentPlans.set(body.plan_id, { ...agentPlans.get(body.plan_id)!, expires_at: DateTime.makeUnsafe(0) })
      const answer = yield* callTool(client, "plan_apply", { plan_id: body.plan_id })
      assert.strictEqual(answer.body.code, "plan_not_found")
    }).pipe(Effect.scoped)
  )

  it.effect("is not applied when a quota has changed, and a new plan shows that", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const client = yield* connected(acme.tokens[1])
      const { body } = yield* create(client, "outdated")
      const server = { name: "s", flavorRef: "2", imageRef: publicImageId, networks: [{ uuid: acme.networkId }] }
      const made = yield* call("customer", "POST", "/v1/iaas/compute/servers", {
        token: acme.tokens[1],
        body: { server }
      })
      assert.strictEqual(made.status, 202, made.text)
      const answer = yield* callTool(client, "plan_apply", { plan_id: body.plan_id })
      assert.isTrue(answer.isError)
      assert.strictEqual(answer.body.code, "plan_outdated")
      assert.match(answer.body.changed.join(), /quota compute\.instances: 0 before, 2 after/)
      assert.notInclude(yield* groups, "outdated")
      // The old plan is over.
      const old = yield* callTool(client, "plan_apply", { plan_id: body.plan_id })
      assert.strictEqual(old.body.code, "plan_spent")
      const next = yield* callTool(client, "plan_apply", { plan_id: answer.body.plan_id })
      assert.isFalse(next.isError, JSON.stringify(next.body))
    }).pipe(Effect.scoped)
  )

  it.effect("is refused as the API refuses it when the caller lacks the right", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { client, questions } = yield* asking(acme.tokens[0], yes)
      const { body, isError } = yield* create(client, "tier 0")
      assert.isTrue(isError)
      assert.strictEqual(body.code, "tier_too_low", JSON.stringify(body))
      assert.lengthOf(questions, 0)
    }).pipe(Effect.scoped)
  )
})

layer(Everything)("a call that an agent cannot undo", (it) => {
  it.effect("is not applied when its target has changed, and is applied once", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const { agentPlans } = yield* Memory
      const client = yield* connected(acme.tokens[1])
      const secret = "a-value-that-nobody-may-see"
      const volumes = "/v1/iaas/volume/volumes"
      const made = yield* call("customer", "POST", volumes, {
        token: acme.tokens[1],
        body: { volume: { name: secret, size: 1 } }
      })
      const { id } = jsonOf(made).volume
      const settled = Effect.map(
        call("customer", "GET", `${volumes}/${id}`, { token: acme.tokens[1] }),
        (_) => jsonOf(_).volume.status === "available"
      )
      yield* repeatInTime(settled, (isSo) => isSo)
      const extend = { method: "POST", path: `volumes/${id}/action`, body: { "os-extend": { new_size: 2 } } }
      const { body } = yield* callTool(client, "volume_write", extend)
      assert.deepStrictEqual(body.what.because, ["billed", "irreversible"])
      yield* call("customer", "PUT", `${volumes}/${id}`, {
        token: acme.tokens[1],
        body: { volume: { description: secret } }
      })
      const outdated = yield* callTool(client, "plan_apply", { plan_id: body.plan_id })
      assert.include(outdated.body.changed, "the present state: 'description' has changed")

      const plan = { plan_id: outdated.body.plan_id }
      const many = yield* Effect.all(
        Array.from({ length: 4 }, () => callTool(client, "plan_apply", plan)),
        { concurrency: "unbounded" }
      )
      const codes = many.map((_) => _.body.code ?? "done")
      assert.lengthOf(
        codes.filter((_) => _ === "done"),
        1
      )
      // Who looked when it was done already saw that the volume has changed.
      assert.isTrue(
        codes.every((_) => ["done", "plan_spent", "plan_outdated"].includes(_)),
        codes.join()
      )
      const rows = JSON.stringify([...agentPlans.values()])
      assert.isAbove(agentPlans.size, 1)
      assert.notInclude(rows, secret)
      assert.notInclude(rows, "os-extend")
      const { events } = yield* Memory
      const actions = [...events.values()].filter((_) => _.topic === "agent.actions")
      assert.isAbove(actions.length, 3)
      assert.notInclude(JSON.stringify(actions), secret)
    }).pipe(Effect.scoped)
  )
})

layer(Everything)("in revision 2026-07-28", (it) => {
  const revision = "2026-07-28"

  const round = Effect.fnUntraced(function* (token: string, given: Record<string, unknown>, more: object = {}) {
    const { agentUrl } = yield* TestGateway
    return yield* Effect.promise(async () => {
      const response = await fetch(agentUrl, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": revision,
          "mcp-method": "tools/call",
          "mcp-name": "autoscaling_create"
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "autoscaling_create",
            arguments: given,
            ...more,
            _meta: {
              "io.modelcontextprotocol/protocolVersion": revision,
              "io.modelcontextprotocol/clientInfo": { name: "by hand", version: "1.0.0" },
              "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } }
            }
          }
        })
      })
      const text = await response.text()
      const data = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? text)
      return JSON.parse(data)
    })
  })

  const answered = (action: string, requestState: string) => ({
    requestState,
    inputResponses: { confirm: action === "accept" ? { action, content: { confirm: true } } : { action } }
  })

  it.effect("a call is made in the round with the person's answer, once", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const [, token] = acme.tokens
      const asked = yield* round(token, group("rounds"))
      assert.strictEqual(asked.result?.resultType, "input_required", JSON.stringify(asked))
      assert.include(asked.result.inputRequests.confirm.params.message, "autoscaling_create")
      const { requestState } = asked.result
      assert.notInclude(yield* groups, "rounds")

      // Not with other arguments, not for another tenant, not with a changed state, and not by the tool for clients without forms.
      const other = yield* round(token, group("other"), answered("accept", requestState))
      assert.strictEqual(other.result.resultType, "input_required")
      const foreign = yield* round(globex.tokens[1], group("rounds"), answered("accept", requestState))
      const tampered = yield* round(token, group("rounds"), answered("accept", `${requestState}x`))
      for (const { error } of [foreign, tampered]) {
        assert.deepStrictEqual(error, {
          code: -32602,
          message:
            "The requestState is not one that this agent was given, or has expired. " +
            "Call the tool again without requestState: it asks anew."
        })
      }
      const client = yield* connected(token)
      assert.strictEqual((yield* callTool(client, "plan_apply", { plan_id: requestState })).body.code, "plan_not_found")
      assert.notInclude(yield* groups, "rounds")

      const done = yield* round(token, group("rounds"), answered("accept", requestState))
      assert.strictEqual(done.result.structuredContent.name, "rounds", JSON.stringify(done))
      const again = yield* round(token, group("rounds"), answered("accept", requestState))
      assert.strictEqual(again.result.structuredContent.group_id, done.result.structuredContent.group_id)
    }).pipe(Effect.scoped)
  )

  it.effect("a call that the person declines is not made, and its plan ends", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const [, token] = acme.tokens
      const { requestState } = (yield* round(token, group("no"))).result
      const declined = yield* round(token, group("no"), answered("decline", requestState))
      assert.strictEqual(declined.result.structuredContent.code, "confirmation_declined")
      const later = yield* round(token, group("no"), answered("accept", requestState))
      assert.strictEqual(later.result.structuredContent.code, "plan_spent")
      assert.notInclude(yield* groups, "no")
    })
  )
})

layer(Everything)("the price of an hour", (it) => {
  it.effect("is taken from the tenant's own invoices, for agents with billing access", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { world } = yield* SimulatedCloud
      const at = (yield* DateTime.now).epochMilliseconds - 3_600_000
      world.billing.events["one"] = {
        id: "one",
        kind: "server.create",
        at,
        project_id: acme.projectId,
        resource_type: "server",
        resource_id: "server-1",
        flavor: "m1.small",
        size_gb: null,
        volume_type: null
      }
      const client = yield* connected(acme.tokens[1])
      const { body } = yield* create(client, "priced")
      // Two servers at 0.00001 EUR a second.
      assert.deepStrictEqual(body.price, {
        eur_per_hour: "0.072",
        lines: [{ line: "compute.m1.small", unit: "second", unit_price_eur: "0.00001", quantity: 2 }]
      })
    }).pipe(Effect.scoped)
  )
})
