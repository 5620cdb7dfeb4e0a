import { fixtures } from "@portico/simulator/Fixtures"
import { mounts } from "@portico/simulator/Wire"
import { audienceScope, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import { Duration, Effect, Schema } from "effect"
import { Agent, request } from "undici"

/** Keeps its connections open, as the clients of the gateway do. */
const dispatcher = new Agent({ keepAliveTimeout: 60_000 })

export interface Sent {
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly form?: Record<string, string>
}

/** Sends a request and reads the answer whole; any other status than this one is a defect. Answers the text. */
export const send = Effect.fnUntraced(function* (
  method: "GET" | "POST" | "PUT" | "DELETE",
  url: string,
  expected: number,
  { body, form, headers = {} }: Sent = {}
) {
  const answer = yield* Effect.promise(async () => {
    const { body: answered, statusCode } = await request(url, {
      dispatcher,
      method,
      headers: { ...headers, ...typeOf(body, form) },
      body: form === undefined ? (body === undefined ? null : JSON.stringify(body)) : String(new URLSearchParams(form))
    })
    return { status: statusCode, text: await answered.text() }
  })
  if (answer.status === expected) return answer.text
  return yield* Effect.die(new Error(`${method} ${url} answered ${answer.status}: ${answer.text}`))
})

const typeOf = (body: unknown, form: unknown): Record<string, string> =>
  form !== undefined
    ? { "content-type": "application/x-www-form-urlencoded" }
    : body === undefined
      ? {}
      : { "content-type": "application/json" }

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

const tokenOf = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ access_token: Schema.String })))

/** The access token of a key, as its holder gets it. */
const loggedIn = Effect.fnUntraced(function* (cloud: string, clientId: string, secret: string) {
  const pair = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString("base64")
  const scope = ["openid", projectsRolesScope, audienceScope(fixtures.idp.projectId)].join(" ")
  const answer = yield* send("POST", `${cloud}/idp/oauth/v2/token`, 200, {
    headers: { authorization: `Basic ${pair}` },
    form: { grant_type: "client_credentials", scope }
  })
  return (yield* tokenOf(answer)).access_token
})

const onboardedOf = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      tenant: Schema.Struct({ project_id: Schema.String }),
      credential: Schema.Struct({ client_id: Schema.String, client_secret: Schema.String })
    })
  )
)

/** Onboards a tenant; answers its project and the headers that it calls with. */
export const onboarded = Effect.fnUntraced(function* (cloud: string, operator: string, name: string) {
  const headers = bearer(fixtures.idp.operatorToken)
  const answer = yield* send("POST", `${operator}/v1/tenants`, 201, { headers, body: { name, tier: "extension" } })
  const { credential, tenant } = yield* onboardedOf(answer)
  const token = yield* loggedIn(cloud, credential.client_id, credential.client_secret)
  return { projectId: tenant.project_id, headers: bearer(token) }
})

/** From now on every upstream answers after so many milliseconds. */
export const slowDown = Effect.fnUntraced(function* (cloud: string, delay: number) {
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
  for (const service of Object.values(mounts)) {
    for (const method of methods) {
      const body = { service, method, path: "**", times: "always", when: "before", as: { delay_ms: delay } }
      yield* send("POST", `${cloud}/cloud/faults`, 201, { body })
    }
  }
})

export const millis = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([duration]) => Duration.toMillis(duration))

/** A platform that never runs out. */
export const unlimited = {
  SELLABLE_CORES: "100000000",
  SELLABLE_RAM_GIB: "100000000",
  SELLABLE_BLOCK_GIB: "100000000",
  SELLABLE_OBJECT_GIB: "100000000",
  SELLABLE_FLOATING_IPS: "100000000"
}
