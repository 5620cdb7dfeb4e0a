import { fresh, run, type Server } from "../../packages/gateway/test/postgres/Postgres.ts"
import { complete } from "../../packages/gateway/test/postgres/releases.ts"
import { programOf } from "../../packages/gateway/test/processes/bundles.ts"
import { firstLine, repository, spawned } from "../../packages/gateway/test/processes/children.ts"
import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import type { Fault } from "@portico/simulator/Fault"
import { Effect, Predicate } from "effect"
import { join } from "node:path"

/** What was answered. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly json: unknown
}

export interface Asking {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly key?: string
}

/** One request. A connection that breaks is a defect. */
export const ask = (method: string, url: string, { body, key, token }: Asking = {}): Effect.Effect<Answer> =>
  Effect.promise(async (signal) => {
    const response = await fetch(url, {
      method,
      signal,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") === true && text !== ""
    return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : undefined }
  })

/** The value at a path of objects; undefined where there is none. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((_, key) => (Predicate.isReadonlyObject(_) ? _[key] : undefined), value)

/** The text at a path of objects; empty where there is none. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => {
  const found = at(value, ...path)
  return typeof found === "string" || typeof found === "number" ? String(found) : ""
}

/** The list at a path of objects; empty where there is none. */
export const listAt = (value: unknown, ...path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

const sellable = {
  SELLABLE_CORES: "1280",
  SELLABLE_RAM_GIB: "2560",
  SELLABLE_BLOCK_GIB: "12000",
  SELLABLE_OBJECT_GIB: "3000",
  SELLABLE_FLOATING_IPS: "160"
}

const cloud = Effect.gen(function* () {
  const child = yield* spawned({
    command: [process.execPath, yield* programOf("cloud")],
    settings: { CLOUD_PORT: "0" }
  })
  const { url = "" } = yield* firstLine(child)
  return {
    url,
    state: Effect.map(ask("GET", `${url}/cloud/state`), (_) => _.json),
    fault: (fault: Fault) => ask("POST", `${url}/cloud/faults`, { body: fault }),
    clearFaults: ask("DELETE", `${url}/cloud/faults`)
  }
})

/** A gateway as a process of its own on that database. */
const gatewayOn = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>>) {
  const child = yield* spawned({ command: [process.execPath, yield* programOf("gateway")], settings })
  const { customer_url = "", operator_url = "" } = yield* firstLine(child)
  return {
    kill: Effect.andThen(child.signal("SIGKILL"), child.ended),
    customer: (method: string, path: string, asking: Asking) => ask(method, `${customer_url}${path}`, asking),
    operator: (method: string, path: string, asking: Asking = {}) =>
      ask(method, `${operator_url}${path}`, { token: fixtures.idp.operatorToken, ...asking })
  }
})

export type Gateway = Effect.Success<ReturnType<typeof gatewayOn>>

/** A simulated cloud, a PostgreSQL with its client programs, and gateways on its database `portico`. */
export const stage = Effect.gen(function* () {
  if (complete === undefined) return yield* Effect.die(new Error("run scripts/parts/postgresql.sh first"))
  const platform = yield* cloud
  const database: Server = yield* fresh(complete)
  const settings = {
    ...gatewaySettings(platform.url),
    ...sellable,
    DATABASE_URL: database.url("portico"),
    CUSTOMER_PORT: "0",
    OPERATOR_PORT: "0",
    AGENT_PORT: "0",
    SWEEP_SECONDS: "1",
    LOG_LEVEL: "Error"
  }
  const program = (name: string, args: ReadonlyArray<string>) => run(join(database.release.bin, name), args)
  return {
    cloud: platform,
    database,
    gateway: gatewayOn(settings),
    /** One of PostgreSQL's client programs, by the words that an operator types. */
    program,
    /** A script of deploy/postgresql, as an operator runs it. */
    script: (name: string, variables: Readonly<Record<string, string>> = {}) =>
      program("psql", [
        database.url("portico"),
        "-X",
        "-v",
        "ON_ERROR_STOP=1",
        ...Object.entries(variables).flatMap(([key, value]) => ["-v", `${key}=${value}`]),
        "-f",
        join(repository, "deploy/postgresql", name)
      ]),
    /** What `portico-doctor` finds with the gateway's settings. */
    doctor: (...flags: ReadonlyArray<string>) =>
      Effect.scoped(
        Effect.gen(function* () {
          const child = yield* spawned({
            command: [process.execPath, join(repository, "packages/gateway/src/doctor.ts"), "--json", ...flags],
            settings
          })
          yield* child.ended
          const found: unknown = JSON.parse(child.stdout())
          return listAt({ found }, "found").map((_) => ({
            check: textAt(_, "check"),
            state: textAt(_, "state"),
            detail: textAt(_, "detail"),
            fix: textAt(_, "fix")
          }))
        })
      )
  }
})

export type Stage = Effect.Success<typeof stage>
