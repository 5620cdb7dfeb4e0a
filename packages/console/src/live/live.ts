import { plane } from "#plane"
import * as v from "valibot"
import { portico } from "../api/portico.ts"
import { groupOf, queries } from "../api/queries.ts"
import { refusalOf } from "../api/refusal.ts"

/** An event as pages need it: the payload stays with those who show it. */
const Told = v.object({
  id: v.string(),
  topic: v.string(),
  kind: v.string(),
  at: v.string(),
  key: v.string(),
  data: v.record(v.string(), v.unknown())
})
export type Told = v.InferOutput<typeof Told>

/** The end of a project or an account begins with its credentials, and a return ends there. */
const heldKinds: ReadonlySet<string> = new Set(["credential.suspended", "credential.restored"])

/** What is out of date after an event of a topic. A record of the audit names the route that was written to. */
const groupsOf = ({ data, kind, topic }: Told): ReadonlyArray<string> => {
  switch (topic) {
    case "billing.lifecycle":
      return ["iaas", "quotas", "metrics"]
    case "asg.lifecycle":
      return ["autoscaling", "iaas"]
    case "alarms":
      return ["alarms"]
    case "iam.credentials":
      return ["credentials", "agents", ...(heldKinds.has(kind) ? ["account", "projects"] : [])]
    case "billing.budgets":
      return ["money"]
    case "webhooks":
      return ["webhooks", "integrations"]
    case "agent.actions":
      return ["agents", "audit"]
    case "api.audit":
      return ["audit", "events", ...written(String(data["route"] ?? ""))]
    default:
      return []
  }
}

/** `/v1/nat-gateways/:ngw_id` was written to: the group has the route's name, but for these. */
const renamed: Readonly<Record<string, ReadonlyArray<string>>> = {
  org: ["org-users", "policy", "identity"],
  access: ["policy"],
  budgets: ["money"],
  invoices: ["money"],
  cost: ["money"],
  account: ["account", "projects"],
  projects: ["projects", "account"],
  databases: ["databases", "quotas"],
  dns: ["dns", "quotas"],
  iaas: ["iaas", "quotas"],
  "object-storage": ["object-storage", "quotas"]
}

const written = (route: string): ReadonlyArray<string> => {
  const [, , first = ""] = route.split("/")
  return plane.written[first] ?? renamed[first] ?? (first === "" ? [] : [first])
}

const listeners = new Set<(told: Told) => void>()

/** Several windows show the same tenant: one holds the stream, for a browser has six connections for one host. */
const windows = new BroadcastChannel("portico-events")

let waiting = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Many events at once are one look. */
const outdatedSoon = (groups: ReadonlyArray<string>) => {
  for (const group of groups) waiting.add(group)
  timer ??= setTimeout(() => {
    const due = waiting
    waiting = new Set()
    timer = undefined
    void queries.invalidateQueries({
      predicate: ({ queryKey: [operation] }) => typeof operation === "string" && due.has(groupOf(operation))
    })
  }, 400)
}

const take = (told: Told) => {
  outdatedSoon(groupsOf(told))
  for (const listener of listeners) listener(told)
}

windows.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const told = v.safeParse(Told, data)
  if (told.success) take(told.output)
})

const follow = async (signal: AbortSignal): Promise<void> => {
  for await (const { event } of portico.events.tail({}, { signal })) {
    const told = v.safeParse(Told, event)
    if (!told.success) continue
    windows.postMessage(told.output)
    take(told.output)
  }
}

/** Between two attempts to get a stream. Once there is one, the client mends it by itself. */
const pauseMillis = 15_000

const rest = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, pauseMillis)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

const stayLive = async (signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const status = await follow(signal).then(
      () => 0,
      (error: unknown) => refusalOf(error).status
    )
    // Whoever may not read events has none, and pages ask by themselves.
    if (status >= 400 && status < 500 && status !== 429) return
    await rest(signal)
  }
}

/** Follows the events that the caller may read, those of all tenants for an operator, until the signal ends. */
export const goLive = (signal: AbortSignal): void => {
  void navigator.locks.request("portico-events", { signal }, () => stayLive(signal)).catch(() => undefined)
}

export const onEvent = (listener: (told: Told) => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
