import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, Schema } from "effect"
import { type McpSession, openSession } from "./agents/session.ts"
import { summaryOf } from "./numbers.ts"
import { cpuDuring } from "./proxy/machine.ts"
import { inRounds, seriesOf } from "./proxy/rounds.ts"
import { database, gatewayProcess, simulatedCloud } from "./processes.ts"
import { bearer, millis, onboarded, send, unlimited } from "./requests.ts"
import { cell, concluded, type Goal, type Part, ratio, shown } from "./results.ts"

const rounds = 9
/** Clients at once, each of which calls one after the other. */
const clients = 4
/** What a tool call may cost beside the same API call, at p95. */
const goal = 1.3
const crowd = 500

const Minted = Schema.fromJsonString(Schema.Struct({ credential_id: Schema.String, pat: Schema.String }))
const minted = Schema.decodeUnknownEffect(Minted)

/** The same call both ways. What a write makes is removed between the measurements. */
interface Call {
  readonly name: string
  /** How many calls a client makes in a round. */
  readonly each: number
  readonly api: Effect.Effect<string>
  readonly tool: (session: McpSession) => Effect.Effect<string>
}

const staged = Effect.gen(function* () {
  const cloud = yield* simulatedCloud
  const url = yield* database
  const { up, pid } = yield* gatewayProcess({ ...gatewaySettings(cloud), ...unlimited, DATABASE_URL: url })
  const tenant = yield* onboarded(cloud, up.operator, "Agents")
  const body = { kind: "mcp", tier: 1, label: "bench" }
  const { pat } = yield* minted(
    yield* send("POST", `${up.customer}/v1/credentials`, 201, { headers: tenant.headers, body })
  )
  return { ...up, agent: `${up.agent}?areas=compute`, pid, token: pat, owner: tenant.headers }
})

type Stage = Effect.Success<typeof staged>

/** Revokes what the mints of a round made. */
const cleared = Effect.fnUntraced(function* ({ customer, owner }: Stage) {
  const Listed = Schema.fromJsonString(
    Schema.Struct({ credentials: Schema.Array(Schema.Struct({ credential_id: Schema.String })) })
  )
  const list = yield* send("GET", `${customer}/v1/credentials?label=minted&limit=1000`, 200, { headers: owner })
  const { credentials } = yield* Schema.decodeUnknownEffect(Listed)(list)
  yield* Effect.forEach(
    credentials,
    (_) => send("DELETE", `${customer}/v1/credentials/${_.credential_id}`, 200, { headers: owner }),
    { concurrency: 8, discard: true }
  )
})

const callsOf = ({ customer, token }: Stage): ReadonlyArray<Call> => {
  const headers = bearer(token)
  const body = { kind: "mcp", tier: 0, label: "minted" }
  return [
    {
      name: "identity_whoami",
      each: 100,
      api: send("GET", `${customer}/v1/whoami`, 200, { headers }),
      tool: (_) => _.call("identity_whoami", {})
    },
    {
      name: "quotas_show",
      each: 25,
      api: send("GET", `${customer}/v1/quotas`, 200, { headers }),
      tool: (_) => _.call("quotas_show", {})
    },
    {
      name: "compute_read",
      each: 50,
      api: send("GET", `${customer}/v1/iaas/compute/servers`, 200, { headers }),
      tool: (_) => _.call("compute_read", { path: "servers" })
    },
    {
      name: "credentials_mint",
      each: 5,
      api: send("POST", `${customer}/v1/credentials`, 201, { headers, body }),
      tool: (_) => _.call("credentials_mint", body)
    }
  ]
}

const api = "API call"
const tool = "tool call"

/** The p95 of every client's calls, and the processor that one takes. */
const measured = Effect.fnUntraced(function* (pid: number, each: number, ones: ReadonlyArray<Effect.Effect<string>>) {
  const all = Effect.forEach(ones, (one) => Effect.replicateEffect(millis(one), each), { concurrency: "unbounded" })
  const { micros, value } = yield* cpuDuring(pid, all)
  const sorted = value.flat().toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), cpu: micros / sorted.length }
})

/** A tool call beside the API call that it makes. */
const besideApi = Effect.fnUntraced(function* (stage: Stage, call: Call) {
  const sessions = yield* Effect.replicateEffect(openSession(stage.agent, stage.token), clients)
  const contenders = [
    { name: api, of: () => call.api },
    { name: tool, of: call.tool }
  ]
  const all = yield* inRounds(contenders, rounds, ({ of }) =>
    Effect.tap(measured(stage.pid, call.each, sessions.map(of)), () => cleared(stage))
  )
  const series = (name: string, of: "p50" | "p95" | "cpu") => seriesOf(all, name).map((_) => _[of])
  const by = ratio(series(tool, "p95"), series(api, "p95"))
  const goals: ReadonlyArray<Goal> = [
    { what: `${call.name}: p95 by that of the API call`, measured: summaryOf(by), wanted: { atMost: goal } }
  ]
  return {
    title: call.name,
    rows: [
      ["", "p50 ms", "p95 ms", "us of CPU each"],
      ...[api, tool].map((name) => [
        name,
        cell(summaryOf(series(name, "p50")), 2),
        cell(summaryOf(series(name, "p95")), 2),
        cell(summaryOf(series(name, "cpu")), 0)
      ])
    ],
    notes: [`${clients} clients, ${call.each} calls each a round; a median (least - most) of ${rounds} rounds.`],
    goals,
    numbers: Object.fromEntries(all.map(({ contender, values }) => [contender.name, values]))
  } satisfies Part
})

const listing = Effect.fnUntraced(function* ({ agent, pid, token }: Stage) {
  const session = yield* openSession(agent, token)
  const size = (yield* session.list).length
  yield* Effect.replicateEffect(session.list, 50, { discard: true })
  const values = yield* Effect.replicateEffect(measured(pid, 20, [session.list]), rounds)
  return {
    title: "tools/list, tier 1",
    rows: [
      ["", "p50 ms", "p95 ms", "us of CPU each"],
      [
        `${size} bytes`,
        cell(summaryOf(values.map((_) => _.p50)), 2),
        cell(summaryOf(values.map((_) => _.p95)), 2),
        cell(summaryOf(values.map((_) => _.cpu)), 0)
      ]
    ],
    notes: [],
    goals: [],
    numbers: { size, values }
  } satisfies Part
})

/** Sessions opened at once, with a call each. */
const crowded = Effect.fnUntraced(function* (stage: Stage) {
  const before = yield* memoryOf(stage)
  const all = Effect.forEach(
    Array.from({ length: crowd }),
    () =>
      Effect.gen(function* () {
        const session = yield* openSession(stage.agent, stage.token)
        return { session, took: yield* millis(session.call("identity_whoami", {})) }
      }),
    { concurrency: "unbounded" }
  )
  const times: Array<{ readonly p95: number; readonly whole: number; readonly mib: number }> = []
  for (let round = 0; round < 3; round++) {
    const from = performance.now()
    const answers = yield* all
    const whole = performance.now() - from
    const sorted = answers.map((_) => _.took).toSorted((a, b) => a - b)
    const mib = (yield* memoryOf(stage)) - before
    times.push({ p95: sorted[Math.floor(0.95 * (sorted.length - 1))] ?? Number.NaN, whole, mib })
    yield* Effect.forEach(answers, (_) => _.session.end, { concurrency: 16, discard: true })
  }
  return {
    title: `${crowd} sessions at once, a call each`,
    rows: [
      ["", "ms in all", "p95 of the calls, ms", "MiB more"],
      [
        `${crowd} sessions`,
        cell(summaryOf(times.map((_) => _.whole)), 0),
        cell(summaryOf(times.map((_) => _.p95)), 0),
        cell(summaryOf(times.map((_) => _.mib)), 0)
      ]
    ],
    notes: ["The memory is the resident set of the gateway, while all sessions are open."],
    goals: [],
    numbers: { times }
  } satisfies Part
})

const memoryOf = ({ operator }: Stage) =>
  Effect.map(
    send("GET", `${operator}/metrics`, 200),
    (text) => Number(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)/m.exec(text)?.[1]) / 2 ** 20
  )

/** A call of a tool beside the API call that it makes, the list of tools, and many sessions. */
export const agentsBench = Effect.gen(function* () {
  const stage = yield* staged
  const tools = yield* (yield* openSession(stage.agent, stage.token)).list
  const there = callsOf(stage).filter((_) => tools.includes(`"name":"${_.name}"`))
  const calls = yield* Effect.forEach(there, (call) => shown(call.name, besideApi(stage, call)))
  const list = yield* shown("list", listing(stage))
  const sessions = yield* shown("sessions", crowded(stage))
  yield* concluded("agents", "Tool calls by API calls, round by round", [...calls, list, sessions], {})
})
