import { Effect, FileSystem, Result, Schema } from "effect"
import { publish } from "./dns/state.ts"
import { fixtures } from "./Fixtures.ts"
import { isObject, parseJson, stringAt } from "./Json.ts"
import { FaultRule, Method, Records } from "./schemas.ts"
import { SimulatedCloud } from "./SimulatedCloud.ts"
import { callOf } from "./transport.ts"
import { mounts, type ServiceName } from "./Wire.ts"

/** The services that an administrator calls without signing each call. */
const seedable = Object.values(mounts).filter((_) => _ !== "rgw" && _ !== "company")

/** One call of an administrator. */
const SeedCall = Schema.Struct({
  service: Schema.Literals(seedable),
  method: Method,
  /** Below the mount, with its query. `${name}` is a value that an earlier call kept. */
  path: Schema.String.check(Schema.isPattern(/^\//, { expected: "a path below the mount" })),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  body: Schema.optionalKey(Schema.Unknown),
  /** Names for parts of the answer, such as `{"acme": "project.id"}`. */
  keep: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})

/** What a new cloud gets before its first caller: calls in their order, then records of the DNS, then fault rules. */
export const Seed = Schema.Struct({
  calls: Schema.optionalKey(Schema.Array(SeedCall)),
  dns: Schema.optionalKey(Schema.Array(Records)),
  faults: Schema.optionalKey(Schema.Array(FaultRule))
})

/** The file is missing, is not a seed, or one of its calls is refused. */
export class CannotSeed extends Schema.TaggedError<CannotSeed>()("CannotSeed", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The seed ${this.file} cannot be used: ${this.reason}`
  }
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Seed), { onExcessProperty: "error", errors: "all" })

/** Fills the cloud of the context, and forgets the calls that this took. */
export const seed = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.mapError(
    (yield* FileSystem.FileSystem).readFileString(file),
    ({ reason }) =>
      new CannotSeed({ file, reason: reason._tag === "NotFound" ? "there is no such file" : reason.message })
  )
  const wanted = decode(text)
  if (Result.isFailure(wanted)) return yield* new CannotSeed({ file, reason: wanted.failure.message })
  const { calls = [], dns = [], faults = [] } = wanted.success

  const cloud = yield* SimulatedCloud
  const kept = new Map<string, string>()
  for (const [index, call] of calls.entries()) {
    const refused = yield* make(call, kept)
    if (refused !== undefined) {
      const reason = `call ${index + 1}, ${call.service} ${call.method} ${call.path}: ${refused}`
      return yield* new CannotSeed({ file, reason })
    }
  }
  for (const { name, records, ttl, type } of dns) publish(cloud.world.dns, name, type, records, ttl)
  for (const fault of faults) yield* cloud.fault(fault)
  yield* cloud.clearCalls
})

/** Undefined, or why the call did not do what the seed wants. */
const make = Effect.fnUntraced(function* (call: typeof SeedCall.Type, kept: Map<string, string>) {
  const unknown = [...JSON.stringify([call.path, call.body ?? null]).matchAll(placeholder)]
    .map(([, name = ""]) => name)
    .find((name) => !kept.has(name))
  if (unknown !== undefined) return `no call before it keeps '${unknown}'`

  const body = call.body === undefined ? undefined : filled(call.body, kept)
  const credentials = yield* credentialsFor(call.service)
  const answer = yield* send(
    call.service,
    call.method,
    filledText(call.path, kept),
    { ...credentials, ...call.headers },
    body
  )
  if (answer === undefined) return "it cannot be sent"
  if (answer.status >= 400) return `it is answered ${answer.status}: ${answer.text}`
  for (const [name, path] of Object.entries(call.keep ?? {})) {
    const value = path.split(".").reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), answer.json)
    if (typeof value !== "string" && typeof value !== "number") return `its answer has no '${path}': ${answer.text}`
    kept.set(name, String(value))
  }
  return undefined
})

const placeholder = /\$\{([^}]*)\}/g

const filledText = (text: string, kept: ReadonlyMap<string, string>): string =>
  text.replaceAll(placeholder, (all, name: string) => kept.get(name) ?? all)

const filled = (value: unknown, kept: ReadonlyMap<string, string>): unknown => {
  if (typeof value === "string") return filledText(value, kept)
  if (Array.isArray(value)) return value.map((_) => filled(_, kept))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, _]) => [key, filled(_, kept)]))
}

const mountOf = (service: ServiceName): string => Object.entries(mounts).find(([, _]) => _ === service)?.[0] ?? service

const send = Effect.fnUntraced(function* (
  service: ServiceName,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: unknown
) {
  const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const bytes = new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body))
  const call = callOf(
    method,
    `/${mountOf(service)}${path}`,
    { host: "localhost", "content-type": "application/json", ...lowerCase },
    bytes
  )
  if (call === undefined) return undefined
  const answer = yield* (yield* SimulatedCloud).answer(call)
  if (answer === "reset") return undefined
  const text = Buffer.from(answer.body).toString("utf8")
  return { status: answer.status, headers: answer.headers, text, json: parseJson(text) }
})

const { billing, control, idp, kubernetes } = fixtures

/** The administrator's credentials for a service. */
const credentialsFor = (
  service: ServiceName
): Effect.Effect<Readonly<Record<string, string>>, never, SimulatedCloud> => {
  const bearer = (token: string) => Effect.succeed({ authorization: `Bearer ${token}` })
  switch (service) {
    case "zitadel":
      return bearer(idp.serviceToken)
    case "kubernetes":
      return bearer(kubernetes.token)
    case "billing":
      return bearer(billing.token)
    case "prometheus":
    case "resolver":
      return Effect.succeed({})
    default:
      return login
  }
}

const login = Effect.map(
  send(
    "keystone",
    "POST",
    "/v3/auth/tokens",
    {},
    {
      auth: {
        identity: {
          methods: ["password"],
          password: { user: { name: control.name, domain: { id: "default" }, password: control.password } }
        },
        scope: { project: { name: "admin", domain: { id: "default" } } }
      }
    }
  ),
  (answer): Readonly<Record<string, string>> => ({
    "x-auth-token": stringAt(answer?.headers ?? {}, "x-subject-token") ?? ""
  })
)
