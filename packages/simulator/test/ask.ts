import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { callOf } from "@portico/simulator/transport"
import { Effect } from "effect"

interface Options {
  readonly token?: string | undefined
  readonly json?: unknown
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** One request to the simulated cloud, as `METHOD /mount/path?query`; the answer's JSON is loose on purpose. */
export const ask = Effect.fnUntraced(function* (method: string, target: string, options: Options = {}) {
  const cloud = yield* SimulatedCloud
  const text = options.json === undefined ? (options.body ?? "") : JSON.stringify(options.json)
  const headers = {
    host: "cloud.simulated",
    accept: "application/json",
    ...(options.token === undefined ? {} : { "x-auth-token": options.token }),
    ...(options.json === undefined ? {} : { "content-type": "application/json" }),
    ...options.headers
  }
  const call = callOf(method, target, headers, new Uint8Array(Buffer.from(text)))
  if (call === undefined) return yield* Effect.die(`no system is mounted at ${target}`)
  const outcome = yield* cloud.answer(call)
  if (outcome === "reset") return yield* Effect.die(`${method} ${target} was reset`)
  const body = Buffer.from(outcome.body).toString()
  const isJson = body !== "" && outcome.headers["content-type"]?.includes("json") === true
  return { status: outcome.status, headers: outcome.headers, body, json: isJson ? JSON.parse(body) : undefined }
})

/** Logs in with a password and a project; dies unless that works. */
export const login = Effect.fnUntraced(function* (name: string, password: string, projectId: string) {
  const answer = yield* ask("POST", "/identity/v3/auth/tokens", {
    json: {
      auth: {
        identity: { methods: ["password"], password: { user: { name, domain: { id: "default" }, password } } },
        scope: { project: { id: projectId } }
      }
    }
  })
  const token = answer.headers["x-subject-token"]
  return token ?? (yield* Effect.die(`login as ${name}: ${answer.status} ${answer.body}`))
})

export const controlToken = login(fixtures.control.name, fixtures.control.password, fixtures.adminProjectId)

/** A project with one member, and the member's token. */
export const tenantToken = Effect.fnUntraced(function* (name: string) {
  const token = yield* controlToken
  const project = yield* ask("POST", "/identity/v3/projects", { token, json: { project: { name } } })
  const user = yield* ask("POST", "/identity/v3/users", {
    token,
    json: { user: { name: `gw-${name}`, password: "pw" } }
  })
  const projectId: string = project.json.project.id
  const grant = `/identity/v3/projects/${projectId}/users/${user.json.user.id}/roles/${fixtures.roles.member}`
  yield* ask("PUT", grant, { token })
  return { projectId, userId: user.json.user.id as string, token: yield* login(`gw-${name}`, "pw", projectId) }
})
