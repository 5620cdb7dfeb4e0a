import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Endless, kinds, type Open, overOf } from "./openStreams.ts"
import { eventually, heard } from "../processes/children.ts"
import { type Gateway, story, tenantOf, twoGateways } from "../processes/harness.ts"

/** What the simulated cloud and {@link Endless} keep open by themselves. */
const kept = [
  "GET /v1/events/tail",
  "a watch",
  "a followed log",
  "exec",
  "attach",
  "portforward",
  "a download",
  "an upload",
  "an upload that a rule reads",
  "the body of a first-class call"
]

const needsTierOne = kept.filter((_) => kinds[_]?.tier === 1)

const openAt = (gateway: Gateway, token: string, projectId: string) =>
  Effect.forEach(
    kept,
    (name) =>
      Effect.acquireRelease(
        Effect.map(kinds[name]!.open(gateway.url, token, projectId), (open) => ({ ...open, name })),
        ({ close }) => Effect.sync(close)
      ),
    { concurrency: "unbounded" }
  )

/** A pod that runs, in the namespace that comes with it. */
const runningPod = Effect.fnUntraced(function* (gateway: Gateway, token: string, projectId: string) {
  const pods = `/v1/kubernetes/api/v1/namespaces/db-${projectId}/pods`
  const spec = { containers: [{ name: "main", image: "busybox" }] }
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec }
  const made = yield* gateway.customer(token, "POST", pods, pod)
  assert.strictEqual(made.status, 201, JSON.stringify(made.body))
  yield* eventually(
    Effect.map(gateway.customer<{ readonly status: { readonly phase: string } }>(token, "GET", `${pods}/web`), (_) =>
      assert.strictEqual(_.body.status?.phase, "Running")
    )
  )
})

const begun = (all: ReadonlyArray<Open>) => {
  for (const one of all) assert.include([0, 101, 200], one.status() || 0, `${one.name}: ${one.text().slice(0, 300)}`)
}

const stage = Effect.gen(function* () {
  const { url } = yield* Endless
  const [first, second] = yield* twoGateways({ IAAS_DNS_URL: `${url}/v2` })
  const { projectId, token } = yield* tenantOf(first, "Acme GmbH")
  yield* runningPod(first, token, projectId)
  const minted = yield* first.mint(token, "short-lived")
  const key = { id: minted.body.credential_id ?? "", pat: minted.body.pat ?? "" }
  const theirs = yield* Effect.forEach([first, second], (_) => openAt(_, key.pat, projectId))
  const others = yield* Effect.forEach([first, second], (_) => openAt(_, token, projectId))
  const all = theirs.flat()
  begun([...all, ...others.flat()])
  yield* Effect.sleep("300 millis")
  return { first, second, projectId, token, key, theirs: all, others: others.flat() }
})

const twice = (names: ReadonlyArray<string>) => [...names, ...names]

/** What has to end ends within five seconds on a machine that has nothing else to do. What must not has had that time. */
const within = "5 seconds"

const end = (all: ReadonlyArray<Open>, names: ReadonlyArray<string>) =>
  eventually(
    Effect.map(overOf(all), (over) => assert.sameMembers([...over], twice(names))),
    heard
  )

story("a key's open calls at either gateway end with its revocation at one, and no others", () =>
  Effect.gen(function* () {
    const { first, key, others, theirs, token } = yield* stage
    assert.strictEqual((yield* first.revoke(token, key.id)).status, 200)
    yield* Effect.sleep(within)
    yield* end(theirs, kept)
    assert.deepStrictEqual(yield* overOf(others), [])
  }).pipe(Effect.provide(Endless.layer))
)

story("they end while the other gateway cannot receive notifications", () =>
  Effect.gen(function* () {
    const { first, key, others, theirs, token } = yield* stage
    const sql = yield* SqlClient.SqlClient
    yield* sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query ILIKE 'LISTEN%portico_credentials%'`
    assert.strictEqual((yield* first.revoke(token, key.id)).status, 200)
    yield* Effect.sleep(within)
    yield* end(theirs, kept)
    assert.deepStrictEqual(yield* overOf(others), [])
  }).pipe(Effect.provide(Endless.layer))
)

story("a policy ends the calls it refuses at both gateways, and no others", () =>
  Effect.gen(function* () {
    const { first, others, projectId, theirs } = yield* stage
    const policy = { ou: "", max_tier: 0 }
    const put = yield* first.operator("PUT", `/v1/access/policy?project_id=${projectId}`, policy)
    assert.strictEqual(put.status, 200, JSON.stringify(put.body))
    yield* Effect.sleep(within)
    yield* end(theirs, needsTierOne)
    yield* end(others, needsTierOne)
  }).pipe(Effect.provide(Endless.layer))
)

story("a project's deletion ends all its machines' calls at both gateways", () =>
  Effect.gen(function* () {
    const { first, others, projectId, theirs } = yield* stage
    const removed = yield* first.operator("DELETE", `/v1/projects/${projectId}?confirm=acme-gmbh`)
    assert.isBelow(removed.status, 300, JSON.stringify(removed.body))
    yield* Effect.sleep(within)
    yield* end(theirs, kept)
    yield* end(others, kept)
  }).pipe(Effect.provide(Endless.layer))
)
