import { assert, describe, it } from "@effect/vitest"
import { Caller, CallerTenant } from "@portico/contract/Access"
import { CustomerApi, OperatorApi } from "@portico/contract/Api"
import { Unavailable } from "@portico/contract/Failures"
import { PresentedToken } from "@portico/domain/access/PresentedToken"
import { Callers, type Standing } from "@portico/domain/access/Callers"
import { connecting } from "@portico/gateway/proxy/kubernetes/access"
import { isStreaming } from "@portico/gateway/streams/heldOpen"
import { OpenCall, reasonOf } from "@portico/gateway/streams/OpenCall"
import { OpenCalls } from "@portico/gateway/streams/OpenCalls"
import { Effect, Layer, Metric } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { TestClock } from "effect/testing"
import { PassThrough } from "node:stream"
import { kinds } from "./openStreams.ts"

describe("every kind of long call", () => {
  const streams = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
    const found: Array<string> = []
    HttpApi.reflect(api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        if (isStreaming(endpoint)) found.push(`${endpoint.method} ${endpoint.path}`)
      }
    })
    return found
  }
  const names = Object.keys(kinds)

  it("has a row: each streaming route of both planes", () => {
    const declared = [...new Set([...streams(CustomerApi), ...streams(OperatorApi)])]
    assert.sameMembers(
      declared,
      names.filter((_) => _.includes(" /v1/"))
    )
  })

  it("has a row: each kind of connection to a pod", () => {
    assert.includeMembers(names, [...connecting])
  })
})

const caller = new Caller({
  userId: "user-1",
  userName: "",
  userEmail: "",
  roles: [],
  tier: 1,
  tenant: new CallerTenant({
    projectId: "project-1",
    name: "Acme",
    closing: false,
    suspended: false,
    source: "credential_store"
  }),
  admin: false,
  human: false,
  credentialId: "cred-1",
  credentialLabel: "CI",
  role: null,
  billing: true
})

/** Why a call was ended within half a minute, whose caller is found so; undefined when it goes on. */
const endOf = Effect.fnUntraced(function* (found: ReturnType<Callers["Service"]["again"]>) {
  const layer = OpenCalls.layer.pipe(
    Layer.provide(Layer.mock(Callers, { again: () => found })),
    Layer.provide(Layer.sync(Metric.MetricRegistry, () => new Map()))
  )
  const looking = Effect.gen(function* () {
    const { enter, leave } = yield* OpenCalls
    const call = new OpenCall(new PassThrough(), "request-1")
    call.admitted = { token: new PresentedToken("a-token"), plane: "customer", source: () => "192.0.2.1", caller }
    call.recheck = () => Effect.void
    enter(call)
    for (let second = 0; second < 30; second++) yield* TestClock.adjust("1 second")
    leave(call)
    return call.refusal && reasonOf(call.refusal)
  })
  return yield* Effect.provide(looking, layer)
})

describe("a recheck of a long call", () => {
  const standing = (change: Partial<Caller>, renewal?: Standing["renewal"]): Standing => ({
    caller: new Caller({ ...caller, ...change }),
    ends: Number.POSITIVE_INFINITY,
    renewal
  })
  const another = new CallerTenant({ ...caller.tenant!, projectId: "project-2" })
  const dead = "Token is not active"

  for (const [what, change, reason] of [
    ["the same caller", {}, undefined],
    ["the same caller with another tier, which is asked for", { tier: 0 }, undefined],
    ["another user", { userId: "user-2" }, dead],
    ["another tenant's", { tenant: another }, dead],
    ["no tenant's", { tenant: null }, dead],
    ["an administrator", { tenant: null, admin: true }, dead]
  ] as const) {
    it.effect(`with ${what} ${reason === undefined ? "lets it continue" : "ends it"}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* endOf(Effect.succeed(standing(change))), reason)
      })
    )
  }

  const silent: ReadonlyArray<readonly [what: string, found: ReturnType<Callers["Service"]["again"]>]> = [
    ["a store that is broken", Effect.die(new Error("the database is gone"))],
    ["a store that does not answer", Effect.never],
    ["an identity provider that cannot be asked", Effect.fail(Unavailable.identityProvider())]
  ]
  for (const [what, found] of silent) {
    it.effect(`with ${what} is inconclusive: the call continues`, () =>
      Effect.gen(function* () {
        assert.isUndefined(yield* endOf(found))
      })
    )
  }

  it.effect("refused by the provider ends it, and one without an answer is repeated after a pause", () =>
    Effect.gen(function* () {
      let asked = 0
      const counted = (renewal: NonNullable<Standing["renewal"]>) =>
        Effect.succeed(
          standing(
            {},
            Effect.andThen(
              Effect.sync(() => void (asked += 1)),
              renewal
            )
          )
        )
      assert.strictEqual(yield* endOf(counted(Effect.succeed(false))), dead)
      assert.strictEqual(asked, 1)
      assert.isUndefined(yield* endOf(counted(Effect.succeed(true))))
      for (const failure of [Effect.fail(Unavailable.identityProvider()), Effect.die(new Error("a defect"))]) {
        asked = 0
        assert.isUndefined(yield* endOf(counted(failure)))
        // At most one in the pause of five seconds, of the half minute.
        assert.isAbove(asked, 1)
        assert.isAtMost(asked, 6)
      }
    })
  )
})
