import { assert, describe, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { issueAccessToken } from "@portico/simulator/zitadel/tokens"
import { type CredentialRow } from "@portico/store/Credentials"
import { Memory, MemoryChanges } from "@portico/testing/store/Memory"
import { Clock, DateTime, Effect, Layer } from "effect"
import { Cast, mint, operator, person, type Tenant, tenant } from "../harness/Cast.ts"
import { ClusterTap } from "../kubernetes/ClusterTap.ts"
import { endlessCluster, Endless, kinds, longAudit, type Open, openAll, overOf, withNamespace } from "./openStreams.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { eventually, heard } from "../processes/children.ts"
import { mapped, workloadToken } from "../workloadIdentity/workloads.ts"

// Timers of Node end these streams, and a test clock does not move them: the gateway breaks a call off some time after it
// has said why (src/streams/heldOpen.ts).

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
          REQUEST_BODY_SECONDS: "180",
          // Exports are read at the end of a story: what has ended by then has lost its right, and is not one that nobody read.
          ANSWER_STALL_SECONDS: "900"
        }
      })
    )
  ),
  Layer.provideMerge(Layer.merge(ClusterTap.layer, Endless.layer)),
  Layer.provideMerge(TestGateway.cloud)
)

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
      open.map(({ name }) => name).filter((_) => expected(_)),
      why
    )
  )

/** Whether an export has ended is known only when it is read on, to its own end: it is looked at once, after the others. */
const lasting = (open: ReadonlyArray<Open>) => open.filter(({ name }) => name !== "GET /v1/audit/export")

const endSoon = (open: ReadonlyArray<Open>, expected: Needed, why: string) =>
  Effect.andThen(eventually(ended(lasting(open), expected, why), heard), ended(open, expected, why))

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
  // What is to end has as much time as it needs, and what is not to end has had its time.
  yield* Effect.sleep(within)
  yield* endSoon(open, expected, "of the caller that changed")
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
describe.concurrent("an open call or stream", () => {
  layer(Stage, live)("of a caller", (it) => {
    it.effect("ends when its credential is revoked, with the reason where possible", () =>
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

    it.effect("continues during a rotation's overlap, and ends with it", () =>
      Effect.gen(function* () {
        const { acme } = yield* subject
        const { call } = yield* TestGateway
        const open = yield* openAll(acme.tokens[2], acme.projectId)
        const path = `/v1/credentials/${acme.credentialIds[2]}/rotate`
        const rotated = yield* call("customer", "POST", path, { token: acme.tokens[2], body: { overlap_seconds: 20 } })
        done(rotated)
        const successor = yield* openAll(String(jsonOf(rotated).credential?.pat ?? jsonOf(rotated).pat), acme.projectId)
        yield* Effect.sleep("2 seconds")
        assert.deepStrictEqual(yield* overOf(lasting(open)), [])
        yield* endSoon(open, every, "after the overlap")
        yield* ended(successor, none, "of the successor")
      })
    )

    for (const [from, to, expected] of [
      ["customer", "customer-engineer", none],
      ["customer", "customer-viewer", above(0)],
      ["customer-engineer", "customer-viewer", above(0)]
    ] as const) {
      it.effect(
        `${expected === none ? "continues" : "ends where the tier is missing"} when a ${from} becomes a ${to}`,
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

    it.effect("ends when its tenant is suspended and it creates; others continue", () =>
      Effect.gen(function* () {
        const { acme } = yield* subject
        const suspend = Effect.flatMap(TestGateway, ({ call }) =>
          call("operator", "POST", `/v1/tenants/${acme.projectId}/suspend`, { token: operator, body: {} })
        )
        // It counts from its beginning; the endless service never takes its quota.
        const creating = ["an upload that a rule reads", "the body of a first-class call"]
        yield* story(holderOf(acme), Effect.forkScoped(suspend), (_) => creating.includes(_))
      })
    )

    it.effect("ends when its credential is limited to other networks", () =>
      Effect.gen(function* () {
        const { acme } = yield* subject
        yield* story(holderOf(acme), changed(acme.credentialIds[2], { networks: ["192.0.2.0/24"] }), every)
      })
    )

    it.effect("continues when its credential is limited to the network it comes from", () =>
      Effect.gen(function* () {
        const { acme } = yield* subject
        yield* story(holderOf(acme), changed(acme.credentialIds[2], { networks: ["127.0.0.0/8"] }), none)
      })
    )

    it.effect("ends with the deletion of its project; a person's reads continue", () =>
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

    it.effect("ends with the closing of its account; a person's reads continue", () =>
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
layer(Stage, live)("a workload's open call or stream", (it) => {
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
