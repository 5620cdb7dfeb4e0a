import { NodeFileSystem } from "@effect/platform-node"
import { auditTopic } from "@portico/contract/Events"
import type { AdmissionNumbers } from "@portico/contract/Admission"
import type { MintRequest, Minted } from "@portico/contract/Credentials"
import type { Whoami } from "@portico/contract/Identity"
import type { OnboardingRow } from "@portico/contract/Journal"
import type { Onboarded, TenantRow, TierMoved } from "@portico/contract/Tenants"
import type { Tier } from "@portico/contract/Tiers"
import type { Fault } from "@portico/simulator/Fault"
import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import type { LoggedCall, State } from "@portico/simulator/SimulatedCloud"
import { audienceScope, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import { assert, it } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { Aging } from "@portico/testing/store/Aging"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { programOf } from "./bundles.ts"
import { eventually, firstLine, spawned } from "./children.ts"

/** What a gateway or the cloud answered. Of a failure the body is the contract's. */
export interface Answer<A> {
  readonly status: number
  readonly body: Partial<A> & Failed
}

interface Failed {
  readonly detail?: string
  readonly code?: string
  readonly admission?: AdmissionNumbers
}

/** One HTTP request. A connection that fails or breaks is a defect. */
export const ask = <A>(
  method: string,
  url: string,
  options: { readonly token?: string; readonly body?: unknown } = {}
): Effect.Effect<Answer<A>> =>
  Effect.promise(async (signal) => {
    const { body, token } = options
    const response = await fetch(url, {
      method,
      signal,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    // What a service has no route for it answers in HTML.
    const isJson = response.headers.get("content-type")?.includes("json") === true && text !== ""
    return { status: response.status, body: isJson ? JSON.parse(text) : {} }
  })

// --- the simulated cloud ---------------------------------------------------------

const startCloud = Effect.gen(function* () {
  const child = yield* spawned({
    command: [process.execPath, yield* programOf("cloud")],
    settings: { CLOUD_PORT: "0" }
  })
  const { url = "" } = yield* firstLine(child)
  const state = Effect.map(ask<State>("GET", `${url}/cloud/state`), (_) => _.body as State)
  const calls = Effect.map(ask("GET", `${url}/cloud/calls`), (_) => _.body as unknown as ReadonlyArray<LoggedCall>)
  return { url, state, calls, untouched: yield* state }
})

/** A directory that is gone at the end of the story. */
export const temporaryDirectory = Effect.flatMap(FileSystem.FileSystem, (_) => _.makeTempDirectoryScoped()).pipe(
  Effect.provide(NodeFileSystem.layer)
)

/** The platform that the gateways of a story stand in front of: a cloud in a process of its own, and a fresh database. */
export class Cloud extends Context.Service<Cloud, Effect.Success<typeof startCloud>>()("portico/gateway/test/Cloud") {
  static readonly layer = Layer.effect(Cloud, startCloud)
}

export const fault = Effect.fnUntraced(function* (fault: Fault) {
  const { url } = yield* Cloud
  assert.strictEqual((yield* ask("POST", `${url}/cloud/faults`, { body: fault })).status, 201)
})

export const clearFaults = Effect.flatMap(Cloud, ({ url }) => ask("DELETE", `${url}/cloud/faults`))

export const cloudState = Effect.flatMap(Cloud, (_) => _.state)

/** The calls of this kind that have reached the cloud. */
export const calls = Effect.fnUntraced(function* ({
  method,
  path,
  service
}: Pick<Fault, "service" | "method" | "path">) {
  const all = yield* (yield* Cloud).calls
  return all.filter((_) => _.service === service && _.method === method && _.route === path)
})

/** Waits until the call that was made to hang, or to take long, has reached the cloud. */
export const reached = (call: Fault) =>
  eventually(
    Effect.map(calls(call), (found) =>
      assert.include(
        found.map((_) => _.status),
        null,
        call.path
      )
    )
  )

/** Waits until nothing is under way in the cloud any more, but for the one call that hangs. */
export const quiet = Effect.gen(function* () {
  let before = -1
  yield* eventually(
    Effect.gen(function* () {
      const all = yield* (yield* Cloud).calls
      const settled = all.filter((_) => _.status === null).length <= 1 && all.length === before
      before = all.length
      assert.isTrue(settled, "the cloud is still busy")
    })
  )
})

/** An access token for a credential's id and secret, as an OAuth client gets it. */
export const login = Effect.fnUntraced(function* (credential: Onboarded["credential"]) {
  const { url } = yield* Cloud
  const scope = ["openid", projectsRolesScope, audienceScope(fixtures.idp.projectId)].join(" ")
  const { client_id, client_secret } = credential
  return yield* Effect.promise(async () => {
    const response = await fetch(`${url}/idp/oauth/v2/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}` },
      body: new URLSearchParams({ grant_type: "client_credentials", scope })
    })
    return ((await response.json()) as { readonly access_token: string }).access_token
  })
})

// --- gateways --------------------------------------------------------------------

/** Room for ten tenants of the largest tier. */
const budget = {
  SELLABLE_CORES: "1280",
  SELLABLE_RAM_GIB: "2560",
  SELLABLE_BLOCK_GIB: "12000",
  SELLABLE_OBJECT_GIB: "3000",
  SELLABLE_FLOATING_IPS: "160"
}

/** Every setting of a gateway of the story. */
export const settings = Effect.gen(function* () {
  const { url } = yield* Cloud
  const database = yield* TestDatabase
  return {
    ...gatewaySettings(url),
    ...budget,
    DATABASE_URL: Redacted.value(database.url),
    CUSTOMER_PORT: "0",
    OPERATOR_PORT: "0",
    AGENT_PORT: "0",
    SWEEP_SECONDS: "1",
    // The stories' client keeps its connections, and every stop would wait for them.
    STOP_KEEP_ALIVE_SECONDS: "0"
  }
})

/** Starts `main.ts`, or another program that serves a gateway, in a process of its own. */
export const startGateway = Effect.fnUntraced(function* (
  others: Readonly<Record<string, string>> = {},
  program?: string
) {
  const child = yield* spawned({
    command: [process.execPath, program ?? (yield* programOf("gateway"))],
    settings: { ...(yield* settings), ...others }
  })
  const { agent_url = "", customer_url = "", operator_url = "" } = yield* firstLine(child)

  const customer = <A>(token: string, method: string, path: string, body?: unknown) =>
    ask<A>(method, `${customer_url}${path}`, { token, body })
  const operator = <A>(method: string, path: string, body?: unknown) =>
    ask<A>(method, `${operator_url}${path}`, { token: fixtures.idp.operatorToken, body })
  const end = (name: NodeJS.Signals) => Effect.andThen(child.signal(name), child.ended)

  return {
    /** Of the customer plane. */
    url: customer_url,
    operatorUrl: operator_url,
    /** Of the MCP endpoint. */
    agentUrl: agent_url,
    pid: child.pid,
    log: child.stderr,
    /** `kill -9`. */
    kill: end("SIGKILL"),
    /** SIGTERM, and waits for the end. */
    stop: end("SIGTERM"),
    customer,
    operator,
    onboard: (name: string, tier: Tier = "discovery") => operator<Onboarded>("POST", "/v1/tenants", { name, tier }),
    tenants: operator<{ readonly tenants: ReadonlyArray<TenantRow> }>("GET", "/v1/tenants"),
    journal: operator<{ readonly onboardings: ReadonlyArray<OnboardingRow> }>("GET", "/v1/journal"),
    moveTier: (projectId: string, tier: Tier) => operator<TierMoved>("POST", `/v1/tenants/${projectId}/tier`, { tier }),
    whoami: (token: string) => customer<Whoami>(token, "GET", "/v1/whoami"),
    mint: (token: string, label: string, tier: MintRequest["tier"] = 2) =>
      customer<Minted>(token, "POST", "/v1/credentials", { kind: "api-key", tier, label }),
    revoke: (token: string, id: string) => customer<Minted>(token, "DELETE", `/v1/credentials/${id}`)
  }
})

export type Gateway = Effect.Success<ReturnType<typeof startGateway>>

/** Two gateways in front of one cloud, on one database. */
export const twoGateways = (others: Readonly<Record<string, string>> = {}) =>
  Effect.all([startGateway(others), startGateway(others)], { concurrency: 2 })

/** A tenant that is there from here on, with the token of its first credential. */
export const tenantOf = Effect.fnUntraced(function* (gateway: Gateway, name: string, tier: Tier = "discovery") {
  const { body, status } = yield* gateway.onboard(name, tier)
  const { credential, tenant } = body
  assert.strictEqual(status, 201, JSON.stringify(body))
  assert.isDefined(credential)
  return { projectId: tenant?.project_id ?? "", token: yield* login(credential!) }
})

// --- what is left ------------------------------------------------------------------

/** Every row of every table, by table, but for the migrations' own. */
export const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const names = yield* sql<{ readonly name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'portico_migrations'`
  const rows = yield* Effect.forEach(names, ({ name }) =>
    Effect.map(sql`SELECT * FROM ${sql(name)}`, (_) => [name, _] as const)
  )
  return Object.fromEntries(rows)
}).pipe(Effect.orDie)

/** What gateways keep for themselves, tenants or not. */
const own: ReadonlySet<string> = new Set(["usage_cursors", "relays"])

/** That somebody tried is written down, whatever came of it. */
const isAudit = (row: object): boolean => "topic" in row && row.topic === auditTopic

/** Everything that exists, in the cloud and in every table, is as before the first tenant. */
export const cleanSlate = Effect.gen(function* () {
  assert.deepStrictEqual(yield* cloudState, (yield* Cloud).untouched)
  for (const [table, rows] of Object.entries(yield* tables)) {
    if (!own.has(table))
      assert.deepStrictEqual(
        rows.filter((_) => !isAudit(_)),
        [],
        table
      )
  }
})

type Stage = Cloud | TestDatabase | SqlClient.SqlClient | Aging

// The first gateway makes the tables, as everywhere.
const Stage = Layer.mergeAll(Cloud.layer, Aging.layer).pipe(Layer.provideMerge(TestDatabase.layerEmpty))

type Story = (title: string, tell: () => Effect.Effect<void, unknown, Stage | Scope.Scope>, timeout?: number) => void

const storyAs =
  (test: typeof it.live.skip): Story =>
  (title, tell, timeout) =>
    test(title, () => Effect.provide(Effect.scoped(tell()), Stage), timeout)

/** A test with a cloud and a database of its own. All processes are gone at its end, whatever the end is. */
export const story: Story & {
  /** One that needs what this machine may lack. */
  readonly skipIf: (lacks: boolean) => Story
} = Object.assign(storyAs(it.live), { skipIf: (lacks: boolean) => storyAs(lacks ? it.live.skip : it.live) })
