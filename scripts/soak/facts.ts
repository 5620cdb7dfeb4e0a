import type { State } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { request } from "undici"
import { listAt, succeeded, textAt } from "./client.ts"
import type { DeliveryRow, Facts, LoggedEvent } from "./invariants/check.ts"
import type { Population } from "./load/load.ts"
import { operatorToken, type Tenant } from "./load/tenant.ts"
import { atRest, emptied } from "./rest.ts"
import type { Stage } from "./stage/stage.ts"

const cloudState = ({ cloud }: Stage) =>
  Effect.promise(async () => (await (await request(`${cloud.url}/cloud/state`)).body.json()) as State)

type World = Readonly<Record<string, object>>

/** The whole state of the cloud, with the names by which it keeps things. */
export const cloudWorld = ({ cloud }: Pick<Stage, "cloud">) =>
  Effect.promise(async () => (await (await request(`${cloud.url}/cloud/snapshot`)).body.json()) as World)

/** Each thing by kind and name, but for those that were there before. */
const thingsIn = (world: World, before: ReadonlyArray<{ readonly kind: string; readonly key: string }> = []) => {
  const known = new Set(before.map(({ key, kind }) => `${kind} ${key}`))
  const entriesOf = (value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  return Object.entries(world)
    .flatMap(([system, kinds]) => entriesOf(kinds).map(([kind, things]) => [`${system}.${kind}`, things] as const))
    .flatMap(([kind, things]) =>
      // The cluster's objects are kept by resource.
      kind === "kubernetes.objects"
        ? entriesOf(things).map(([resource, objects]) => [`kubernetes.${resource}`, objects] as const)
        : [[kind, things] as const]
    )
    .flatMap(([kind, things]) =>
      entriesOf(things).map(([key, thing]) => ({ kind, key, text: JSON.stringify(thing) ?? "" }))
    )
    .filter(({ key, kind }) => !known.has(`${kind} ${key}`))
}

/** How the things of a tenant are listed: the path, the name of the list, and what an id is called there. */
const lists: ReadonlyArray<readonly [kind: string, path: string, list: string, id: string]> = [
  ["credential", "/v1/credentials?limit=1000", "credentials", "credential_id"],
  ["server", "/v1/iaas/compute/servers", "servers", "id"],
  ["volume", "/v1/iaas/volume/volumes", "volumes", "id"],
  ["database", "/v1/databases", "databases", "name"],
  ["zone", "/v1/dns/zones?limit=1000", "zones", "zone_id"],
  ["exposure", "/v1/edge/exposures", "exposures", "exposure_id"],
  ["group", "/v1/autoscaling/groups", "groups", "group_id"],
  ["bucket", "/v1/object-storage/buckets", "buckets", "name"],
  ["budget", "/v1/budgets?limit=1000", "budgets", "budget_id"],
  ["webhook", "/v1/webhooks", "webhooks", "webhook_id"]
]

const listedBy = Effect.fnUntraced(function* ({ load }: Population, tenants: ReadonlyArray<Tenant>) {
  const listed = new Set<string>()
  const listings = new Set<string>()
  for (const tenant of tenants) {
    for (const [kind, path, list, id] of lists) {
      const sent = { area: "the end", token: tenant.token, tenant: tenant.name }
      const answer = yield* load.client.call("GET", path, sent)
      if (!succeeded(answer)) {
        load.evidence.complaints.push(
          `${path} of ${tenant.name} cannot be listed at the end: ${JSON.stringify(answer)}`
        )
        continue
      }
      listings.add(`${kind} ${tenant.name}`)
      for (const row of listAt(answer.json, list)) listed.add(`${kind} ${textAt(row, id) || textAt(row, "id")}`)
    }
  }
  return { listed, listings }
})

/** Everything that the checks look at, read once nothing is under way; deletes all tenants at its end. */
export const factsOf = Effect.fnUntraced(function* (
  stage: Stage,
  population: Population,
  before: World,
  seconds: number
) {
  const { sql } = stage.database
  const { evidence, load } = { evidence: population.load.evidence, load: population.load }
  const left = yield* atRest(stage, load, seconds)

  const tenants = yield* sql<Facts["tenants"][number]>`SELECT slug, project_id, stamp FROM tenants`
  const { listed, listings } = yield* listedBy(population, population.lasting)
  for (const { slug } of tenants) listed.add(`tenant ${slug}`)
  for (const { kind, tenant } of evidence.things.values()) if (kind === "tenant") listings.add(`tenant ${tenant}`)

  const users = yield* sql<{ readonly user_id: string }>`SELECT user_id FROM credentials`
  const shown = yield* load.client.call("GET", "/v1/tenants/drift?limit=1000", {
    area: "the end",
    plane: "operator",
    token: operatorToken
  })
  const rows = listAt(shown.json, "tenants")
  const cloud = thingsIn(yield* cloudWorld(stage), thingsIn(before))

  const targets = yield* sql<{
    readonly target_id: string
    readonly project_id: string
    readonly from_sequence: string
    readonly state: string
  }>`SELECT target_id, project_id, from_sequence, state FROM targets`
  const deliveries = yield* sql<DeliveryRow>`SELECT target_id, event_id, state, given_up FROM deliveries`
  const [{ last = "0" } = {}] = yield* sql<{ readonly last: string }>`SELECT max(sequence) AS last FROM events`

  const isEmpty = yield* emptied(stage, load, seconds)
  const late = yield* atRest(stage, load, seconds)
  // What the cloud removes in its own time.
  yield* Effect.sleep("6 seconds")
  const rowsLeft = yield* sql<{ readonly words: string }>`
    SELECT 'a row of tenants: ' || slug AS words FROM tenants
    UNION ALL SELECT 'a row of edge_exposures: ' || exposure_id FROM edge_exposures
    UNION ALL SELECT 'a row of autoscaling_groups: ' || group_id FROM autoscaling_groups
    UNION ALL SELECT 'a row of targets: ' || target_id FROM targets
    UNION ALL SELECT 'a row of alarms: ' || alarm_id FROM alarms
    UNION ALL SELECT 'a live credential: ' || credential_id FROM credentials WHERE state IN ('active', 'suspended', 'minting')
    UNION ALL SELECT 'an account that is ' || state || ': ' || number FROM accounts WHERE state IN ('open', 'closing')`

  const end = yield* cloudState(stage)
  return {
    events: yield* allEvents(stage),
    lastSequence: Number(last),
    ledger: (end["billing.events"] ?? []).map((_) => String(Object(_).id)),
    deliveries,
    lasting: population.lasting.flatMap(({ projectId, slug, webhookId }) => {
      const row = targets.find((_) => _.target_id === webhookId)
      if (row === undefined) return []
      const fromSequence = Number(row.from_sequence)
      return [{ webhook: slug, targetId: webhookId, projectId, fromSequence, state: row.state }]
    }),
    tenants,
    users: users.map((_) => _.user_id),
    underWay: [...left, ...late],
    listed,
    listings,
    drifted: rows
      .filter((_) => Object(_).drifted !== false || Object(_).complete !== true)
      .map((_) => JSON.stringify(_).slice(0, 1000)),
    compared: rows.length,
    cloud,
    emptied: isEmpty ? end : undefined,
    rowsLeft: rowsLeft.map((_) => _.words)
  } satisfies Facts
})

const allEvents = ({ database: { sql } }: Stage) =>
  Effect.map(
    sql<Omit<LoggedEvent, "sequence"> & { readonly sequence: string }>`
      SELECT id, sequence, topic, key, envelope->>'kind' AS kind, envelope->>'project_id' AS project_id,
        envelope->'data'->>'request_id' AS request_id, (envelope->'data'->>'status')::int AS status
      FROM events ORDER BY sequence`,
    (rows) => rows.map((row) => ({ ...row, sequence: Number(row.sequence) }))
  )
