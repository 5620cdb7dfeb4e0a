import { assert, describe, it, layer } from "@effect/vitest"
import { Caller, CallerTenant } from "@portico/contract/Access"
import { CustomerApi, OperatorApi } from "@portico/contract/Api"
import { Unavailable } from "@portico/contract/Failures"
import { PresentedToken } from "@portico/domain/access/PresentedToken"
import { Callers, type Standing } from "@portico/domain/access/Callers"
import { connecting } from "@portico/gateway/proxy/kubernetes/access"
import { isStreaming } from "@portico/gateway/streams/heldOpen"
import { OpenCall, reasonOf } from "@portico/gateway/streams/OpenCall"
import { OpenCalls } from "@portico/gateway/streams/OpenCalls"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { issueAccessToken } from "@portico/simulator/zitadel/tokens"
import { type CredentialRow } from "@portico/store/Credentials"
import { Memory, MemoryChanges } from "@portico/testing/store/Memory"
import { Clock, DateTime, Effect, Layer, Metric } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { TestClock } from "effect/testing"
import { PassThrough } from "node:stream"
import { Cast, mint, operator, person, type Tenant, tenant } from "../harness/Cast.ts"
import { ClusterTap } from "../kubernetes/ClusterTap.ts"
import { endlessCluster, Endless, kinds, longAudit, type Open, openAll, overOf, withNamespace } from "./openStreams.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { mapped, workloadToken } from "../workloadIdentity/workloads.ts"

const live = { excludeTestServices: true }

const Stage = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.gen(function* () {
        return {
          ...(yield* ClusterTap.settings),
          IAAS_DNS_URL: `${(yield* Endless).url}/v2`,
          WORKLOAD_IDENTITY_INSECURE: "true",
          AUDIT_EXPORTS_PER_TENANT: "20",
          AUDIT_EXPORTS_TOTAL: "100",
          REQUEST_BODY_SECONDS: "180"
        }
      })
    )
  ),
  Layer.provideMerge(Layer.merge(ClusterTap.layer, Endless.layer)),
  Layer.provideMerge(TestGateway.cloud)
)

describe("every kind of call that goes on", () => {
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

  it("has a row: each streaming route of either plane", () => {
    const declared = [...new Set([...streams(CustomerApi), ...streams(OperatorApi)])]
    assert.sameMembers(
      declared,
      names.filter((_) => _.includes(" /v1/"))
    )
  })

  it("has a row: each way into a pod", () => {
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

describe("a look at a call that goes on", () => {
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
    it.effect(`that finds ${what} ${reason === undefined ? "lets it go on" : "ends it"}`, () =>
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
    it.effect(`that meets ${what} says nothing of the caller: it goes on`, () =>
      Effect.gen(function* () {
        assert.isUndefined(yield* endOf(found))
      })
    )
  }

  it.effect("that the provider says no to ends it, and one that it cannot answer is made again after a pause", () =>
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

/** Within this time of a change what it ends has ended. */
const within = "4800 millis"

/** Changes a row behind the gateway's back, and tells of it as the store does. */
const changed = Effect.fnUntraced(function* (credentialId: string, to: Partial<CredentialRow>) {
  const { credentials } = yield* Memory
  const row = { ...credentials.get(credentialId)!, ...to }
  credentials.set(credentialId, row)
  yield* (yield* MemoryChanges).tell(row.user_id)
})

let nth = 0

/** A tenant of its own, with what a story changes. */
const subject = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const name = `subject-${(nth += 1)}`
  const acme = yield* tenant(name)
  yield* withNamespace(acme.tokens[2], acme.projectId)
  yield* longAudit(acme.projectId)
  const owner = yield* person(`owner-of-${name}`, ["customer-owner"], acme.projectId, "customer-owner")
  yield* endlessCluster
  return {
    acme,
    owner,
    asOwner: (method: string, path: string, body?: unknown) => call("customer", method, path, { token: owner, body })
  }
})

/** A tenant that the story changes nothing for. */
const bystander = Effect.gen(function* () {
  const globex = yield* tenant(`bystander-${(nth += 1)}`)
  yield* withNamespace(globex.tokens[2], globex.projectId)
  yield* longAudit(globex.projectId)
  return globex
})

type Needed = (name: string) => boolean

const every: Needed = () => true
const none: Needed = () => false
const above =
  (tier: number): Needed =>
  (name) =>
    (kinds[name]?.tier ?? 0) > tier
const writing: Needed = (name) => kinds[name]?.writes === true
const ofArea =
  (area: string): Needed =>
  (name) =>
    kinds[name]?.area === area

const ended = (open: ReadonlyArray<Open>, expected: Needed, why: string) =>
  Effect.map(overOf(open), (over) =>
    assert.sameMembers(
      [...over],
      Object.keys(kinds).filter((_) => expected(_)),
      why
    )
  )

/** One of each kind for `token`, then `change`; what is `expected` has ended, and all of the others' goes on. */
const story = Effect.fnUntraced(function* <E, R>(
  { projectId, token }: { readonly projectId: string; readonly token: string },
  change: Effect.Effect<unknown, E, R>,
  expected: Needed
) {
  const other = yield* bystander
  const open = yield* openAll(token, projectId)
  const others = yield* openAll(other.tokens[1], other.projectId)
  yield* Effect.sleep("300 millis")
  for (const one of [...open, ...others]) {
    assert.include([0, 101, 200], one.status() || 0, `${one.name} began: ${one.text().slice(0, 1200)}`)
  }
  yield* change
  yield* Effect.sleep(within)
  yield* ended(open, expected, "of the caller that changed")
  yield* ended(others, none, "of another tenant")
  return open
})

const done = (answer: { readonly status: number; readonly text: string }) =>
  assert.isBelow(answer.status, 300, answer.text)

const loggedIn = Effect.fnUntraced(function* (userId: string) {
  const { world } = yield* SimulatedCloud
  const user = world.zitadel.users[userId]
  if (user !== undefined) user.state = "USER_STATE_ACTIVE"
  return issueAccessToken(world, userId, yield* Clock.currentTimeMillis) ?? (yield* Effect.die("cannot log in"))
})

/** A colleague whom the owner invited with a role. */
const colleague = Effect.fnUntraced(function* (asOwner: Effect.Success<typeof subject>["asOwner"], role: string) {
  const email = `colleague-${(nth += 1)}@people.example`
  const invited = yield* asOwner("POST", "/v1/org/users/invite", { email, role })
  done(invited)
  const userId = String(jsonOf(invited).user_id)
  const becomes = (role: string) => Effect.map(asOwner("POST", "/v1/org/users/invite", { email, role }), done)
  return { userId, becomes, token: yield* loggedIn(userId) }
})

const holderOf = ({ projectId, tokens }: Tenant, tier: 0 | 1 | 2 = 2) => ({ projectId, token: tokens[tier] })

// Side by side: each waits for seconds, and has tenants of its own.
describe.concurrent("what a caller", () => {
  layer(Stage, live)("has open", (it) => {
    it.effect("ends when its credential is revoked, and says why where it can", () =>
      Effect.gen(function* () {
        const { acme, asOwner } = yield* subject
        const { tokens } = acme
        const same = yield* openAll(tokens[1], acme.projectId)
        const open = yield* story(
          holderOf(acme),
          Effect.map(asOwner("DELETE", `/v1/credentials/${acme.credentialIds[2]}`), done),
          every
        )
        yield* ended(same, none, "of another credential of the tenant")
        const said = (name: string) => open.find((_) => _.name === name)?.text() ?? ""
        assert.match(said("GET /v1/events/tail"), /\n: ended: Credential has been revoked\n\n/)
        for (const name of ["exec", "attach", "portforward"]) {
          // RFC 6455, section 7.4.1: 1008 is a violated policy.
          assert.include(said(name), "\x88\x1d\x03\xf0Credential has been revoked", name)
        }
      })
    )

    it.effect("ends when its credential expires", () =>
      Effect.gen(function* () {
        const { acme } = yield* subject
        const { credential_id, pat } = yield* mint(acme.tokens[2], 2, "short", { expires_in_days: 1 })
        const soon = Effect.flatMap(Clock.currentTimeMillis, (now) =>
          changed(credential_id, { expires_at: DateTime.makeUnsafe(now) })
        )
        yield* story({ projectId: acme.projectId, token: pat }, soon, every)
      })
    )

    it.effect("goes on while a rotation lets its credential live, and ends with that", () =>
      Effect.gen(function* () {
        const { acme } = yield* subject
        const { call } = yield* TestGateway
        const open = yield* openAll(acme.tokens[2], acme.projectId)
        const path = `/v1/credentials/${acme.credentialIds[2]}/rotate`
        const rotated = yield* call("customer", "POST", path, { token: acme.tokens[2], body: { overlap_seconds: 7 } })
        done(rotated)
        const successor = yield* openAll(String(jsonOf(rotated).credential?.pat ?? jsonOf(rotated).pat), acme.projectId)
        yield* Effect.sleep("2 seconds")
        const early = open.filter((_) => _.name !== "GET /v1/audit/export")
        assert.deepStrictEqual(yield* overOf(early), [])
        yield* Effect.sleep("9 seconds")
        yield* ended(open, every, "after the overlap")
        yield* ended(successor, none, "of the successor")
      })
    )

    for (const [from, to, expected] of [
      ["customer", "customer-engineer", none],
      ["customer", "customer-viewer", above(0)],
      ["customer-engineer", "customer-viewer", above(0)]
    ] as const) {
      it.effect(
        `${expected === none ? "goes on" : "ends where the tier is missing"} when a ${from} becomes a ${to}`,
        () =>
          Effect.gen(function* () {
            const { acme, asOwner } = yield* subject
            const { becomes, token } = yield* colleague(asOwner, from)
            yield* story({ projectId: acme.projectId, token }, becomes(to), expected)
          })
      )
    }

    it.effect("ends when its person is removed", () =>
      Effect.gen(function* () {
        const { acme, asOwner } = yield* subject
        const { token, userId } = yield* colleague(asOwner, "customer")
        yield* story(
          { projectId: acme.projectId, token },
          Effect.map(asOwner("DELETE", `/v1/org/users/${userId}`), done),
          every
        )
      })
    )

    for (const [what, policy, expected] of [
      ["denies its area", { denies: ["kubernetes"] }, ofArea("kubernetes")],
      ["denies writes of its area", { denies: ["dns:operate"] }, (_: string) => _ === "an upload"],
      ["lowers the tier", { max_tier: 0 }, above(0)]
    ] as const) {
      it.effect(`ends when a policy ${what}`, () =>
        Effect.gen(function* () {
          const { acme, asOwner } = yield* subject
          const put = Effect.map(asOwner("PUT", "/v1/access/policy", { ou: "", ...policy }), done)
          yield* story(holderOf(acme), put, expected)
        })
      )
    }

    it.effect("ends when its credential is limited to other networks", () =>
      Effect.gen(function* () {
        const { acme } = yield* subject
        yield* story(holderOf(acme), changed(acme.credentialIds[2], { networks: ["192.0.2.0/24"] }), every)
      })
    )

    it.effect("goes on when its credential is limited to the network that it comes from", () =>
      Effect.gen(function* () {
        const { acme } = yield* subject
        yield* story(holderOf(acme), changed(acme.credentialIds[2], { networks: ["127.0.0.0/8"] }), none)
      })
    )

    it.effect("ends with the deletion of its project; a person goes on reading", () =>
      Effect.gen(function* () {
        const { acme, asOwner, owner } = yield* subject
        const persons = yield* openAll(owner, acme.projectId)
        yield* story(
          holderOf(acme),
          Effect.map(asOwner("DELETE", `/v1/projects/${acme.projectId}?confirm=${acme.name}`), done),
          every
        )
        yield* ended(persons, writing, "of a person")
      })
    )

    it.effect("ends with the closing of its account; a person goes on reading", () =>
      Effect.gen(function* () {
        const { acme, asOwner, owner } = yield* subject
        const persons = yield* openAll(owner, acme.projectId)
        const { name } = jsonOf(yield* asOwner("GET", "/v1/account"))
        yield* story(
          holderOf(acme),
          Effect.map(asOwner("POST", "/v1/account/close", { confirm: name, reason: "moving out" }), done),
          every
        )
        yield* ended(persons, writing, "of a person")
      })
    )
  })
})

// One after the other: the cluster's issuer can be mapped once.
layer(Stage, live)("what a workload has open", (it) => {
  for (const ending of ["its mapping", "its token"] as const) {
    it.effect(`ends with ${ending}`, () =>
      Effect.gen(function* () {
        const { acme } = yield* subject
        const { call } = yield* TestGateway
        const { issuer_id } = yield* mapped(acme.projectId, { tier: 1 })
        const token = yield* workloadToken(acme.tokens[2])
        const { workloadTokens } = yield* Memory
        const expires = Effect.gen(function* () {
          const now = DateTime.makeUnsafe(yield* Clock.currentTimeMillis)
          for (const [hash, row] of workloadTokens) workloadTokens.set(hash, { ...row, expires_at: now })
          // Known until its end otherwise, as it was when it was looked up.
          yield* (yield* MemoryChanges).tell(`everybody in ${acme.projectId}`)
        })
        const removed = call("operator", "DELETE", `/v1/workload-identity/issuers/${issuer_id}`, { token: operator })
        yield* story(
          { projectId: acme.projectId, token },
          ending === "its token" ? expires : Effect.map(removed, done),
          every
        )
        yield* removed
      })
    )
  }
})
