import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { samplesIn, valueOf } from "../observability/exposition.ts"
import { eventually, repository } from "./children.ts"
import { type Gateway, startGateway, story, tenantOf } from "./harness.ts"

const read = (path: string) => readFileSync(join(repository, path), "utf8")

const metrics = ({ operatorUrl }: Gateway) =>
  Effect.promise(() => fetch(`${operatorUrl}/metrics`).then(async (_) => samplesIn(await _.text())))

const jobsOf = (gateway: Gateway) =>
  Effect.map(metrics(gateway), (samples) => [
    ...new Set(samples.filter((_) => _.name === "portico_job_runs_total").map((_) => _.labels["task"]))
  ])

const roundsOfProbes = (gateway: Gateway) =>
  Effect.map(metrics(gateway), (_) => valueOf(_, "portico_job_runs_total", { task: "probe_components" }) ?? 0)

interface Component {
  readonly state: string
  readonly message: string | null
}

const background = (gateway: Gateway) =>
  Effect.map(
    gateway.operator<{
      readonly status: string
      readonly components: Readonly<Record<string, Component>>
    }>("GET", "/health/ready"),
    ({ body }) => ({ status: body.status, ...body.components?.["background"] })
  )

/** How many events no job has counted yet. */
const uncounted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly count: number }>`
    SELECT count(*)::int FROM events JOIN usage_cursors AS cursor USING (topic) WHERE events.sequence > cursor.sequence`
  return found?.count ?? 0
}).pipe(Effect.orDie)

story("a replica without jobs leaves due work, and one with jobs takes it up", () =>
  Effect.gen(function* () {
    const apart = { BACKGROUND_JOBS: "elsewhere", PROBE_SECONDS: "1", USAGE_SECONDS: "1", PORTICO_PROCESSES: "2" }
    const serving = yield* startGateway(apart)
    const { token } = yield* tenantOf(serving, "Acme GmbH")
    const minted = yield* serving.mint(token, "short-lived")
    assert.strictEqual((yield* serving.revoke(token, minted.body.credential_id ?? "")).status, 200)
    yield* eventually(Effect.map(uncounted, (_) => assert.isAbove(_, 1)))

    // Time for several rounds of jobs, by what runs in every replica and as often.
    const before = yield* roundsOfProbes(serving)
    yield* eventually(Effect.map(roundsOfProbes(serving), (_) => assert.isAbove(_, before + 4 * 3)))
    assert.isAbove(yield* uncounted, 1)
    const own = yield* jobsOf(serving)
    assert.sameMembers(own, ["probe_components", "check_cluster"])
    // The alert on missing jobs counts what a replica does for itself for nothing.
    const alert = /portico_job_runs_total\{task!~"([^"]+)"\}/.exec(read("docker/prometheus/alerts.yaml"))?.[1]
    assert.sameMembers(own, alert?.split("|") ?? [])
    const names = new Set((yield* metrics(serving)).map((_) => _.name))
    const scaledBy = [...read("docs/operators/kubernetes-install.md").matchAll(/metric: \{ name: (\w+) \}/g)]
    assert.lengthOf(scaledBy, 2)
    for (const [, name = ""] of scaledBy) assert.isTrue(names.has(name), name)
    assert.include(serving.log(), "the background jobs run elsewhere")
    assert.deepInclude(yield* background(serving), {
      status: "ready",
      state: "not configured",
      message: "BACKGROUND_JOBS=elsewhere: other replicas run the background jobs"
    })

    const working = yield* startGateway({ USAGE_SECONDS: "1" })
    yield* eventually(Effect.map(uncounted, (_) => assert.strictEqual(_, 0)))
    assert.includeMembers([...(yield* jobsOf(working))], ["fold_usage", "sweep_onboardings"])
    assert.deepInclude(yield* background(working), { status: "ready", state: "ok", message: null })
    const usage = yield* serving.customer<{ readonly usage: ReadonlyArray<{ readonly call_count: number }> }>(
      token,
      "GET",
      "/v1/credentials/usage"
    )
    assert.deepStrictEqual(
      usage.body.usage?.map((_) => _.call_count),
      [1]
    )
    assert.strictEqual(yield* working.stop, 0)
    assert.strictEqual(yield* serving.stop, 0)
  })
)
