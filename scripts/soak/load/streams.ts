import { Effect } from "effect"
import { request } from "undici"
import { textAt } from "../client.ts"
import type { Tail } from "../evidence.ts"
import { openSession } from "../../bench/agents/session.ts"
import { as, type Load, type Tenant } from "./tenant.ts"

/**
 * Reads a tenant's events as they happen, and goes on behind the last one whenever the stream ends, at whatever replica.
 * A stream is left on purpose now and then.
 */
export const tailing = (load: Load, tenant: Tenant) =>
  Effect.gen(function* () {
    const noted: Tail = { tenant: tenant.name, projectId: tenant.projectId, ids: [] }
    load.evidence.tails.push(noted)
    let cursor: string | undefined
    yield* Effect.forever(
      Effect.gen(function* () {
        const replica = load.client.replica()
        const left = load.random.int(5_000, 40_000)
        yield* Effect.ignore(
          Effect.tryPromise(async (signal) => {
            const { body, statusCode } = await request(`${replica.customer}/v1/events/tail`, {
              dispatcher: load.client.dispatcher,
              signal,
              bodyTimeout: 0,
              headers: {
                authorization: `Bearer ${tenant.token}`,
                ...(cursor === undefined ? {} : { "last-event-id": cursor })
              }
            })
            if (statusCode !== 200) return void (await body.dump())
            let rest = ""
            for await (const part of body.setEncoding("utf8")) {
              const messages = `${rest}${part}`.split("\n\n")
              rest = messages.pop() ?? ""
              for (const message of messages) cursor = read(message, noted) ?? cursor
            }
          }).pipe(Effect.timeout(left))
        )
        yield* Effect.sleep(load.random.int(200, 2_000))
      })
    )
  })

/** Notes the event of a message; answers the cursor behind it. */
const read = (message: string, { ids }: Tail): string | undefined => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(message)?.[1]
  const data = field("data")
  if (data !== undefined) ids.push(textAt(JSON.parse(data), "id"))
  return field("id")
}

/** An agent's session: a few tool calls. What fails is a fault of the moment. */
export const agents = Effect.fnUntraced(function* (load: Load, tenant: Tenant) {
  const { make, remove } = as(load, tenant, "agents")
  const made = yield* make("credential", "/v1/agents", { label: `agent-${load.random.int(1, 1e9)}` }, (_) =>
    textAt(_.json, "credential_id")
  )
  if (made === undefined) return
  const pat = textAt(made.answer.json, "pat")
  if (pat !== "") {
    yield* Effect.exit(
      Effect.timeout(
        Effect.gen(function* () {
          const session = yield* openSession(`${load.client.replica().agent}/mcp`, pat)
          yield* session.call("identity_whoami", {})
          yield* session.call("quotas_show_quotas", {})
          yield* session.end
        }),
        "30 seconds"
      )
    )
  }
  yield* remove("credential", `/v1/credentials/${made.id}`, made.id)
})
