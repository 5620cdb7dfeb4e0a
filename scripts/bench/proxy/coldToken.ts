import { Effect, Schedule, Schema } from "effect"
import { Agent, get } from "node:http"
import { countsOf, hold, release } from "./identity.ts"
import { paths } from "./names.ts"
import type { Part } from "../results.ts"
import { headersOf, type Stage, tenants } from "./stage.ts"

const parallel = 1_000
/** Of a tenant that no other part asks for before this one. */
const cold = tenants - 1

class NotOnce extends Schema.TaggedError<NotOnce>()("NotOnce", { message: Schema.String }) {}

/** Sends requests at once, each on a connection of its own: when all are sent, and their statuses. */
const burst = (url: string, headers: Readonly<Record<string, string>>) => {
  const agent = new Agent({ maxSockets: parallel })
  const requests = Array.from({ length: parallel }, () => {
    const request = get(url, { agent, headers })
    const sent = new Promise<void>((resolve, reject) => request.once("finish", resolve).once("error", reject))
    const answered = new Promise<number>((resolve, reject) => {
      request.once("error", reject).once("response", (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? 0))
      })
    })
    return { sent, answered }
  })
  return {
    sent: Promise.all(requests.map((_) => _.sent)),
    statuses: Promise.all(requests.map((_) => _.answered)).finally(() => agent.destroy())
  }
}

/** A client that starts many workers with one new key: every request arrives before the first answer about the key does. */
export const coldToken = Effect.fnUntraced(function* ({ identity, portico }: Stage) {
  const before = yield* countsOf(identity)
  yield* hold(identity, "introspections")
  yield* hold(identity, "logins")
  const { sent, statuses } = burst(portico.url(paths.show), headersOf(cold))
  yield* Effect.promise(() => sent)
  // They are sent, but read by the gateway only now.
  yield* Effect.sleep("1 second")
  yield* release(identity, "introspections")
  yield* countsOf(identity).pipe(
    Effect.repeat({ until: (_) => _.logins > before.logins, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("5 seconds")
  )
  yield* Effect.sleep("1 second")
  yield* release(identity, "logins")
  const answers = yield* Effect.promise(() => statuses)
  const after = yield* countsOf(identity)

  const good = answers.filter((_) => _ === 200).length
  const introspections = after.introspections - before.introspections
  const logins = after.logins - before.logins
  const words =
    `${parallel} requests at once with a token that nobody has seen: ${introspections} introspections, ` +
    `${logins} logins for the tenant, ${good} answers with 200`
  if (introspections !== 1 || logins !== 1 || good !== parallel) {
    return yield* new NotOnce({ message: `${words}. There should be one, one and ${parallel}.` })
  }
  return {
    title: `One cold token, ${parallel} requests at once`,
    rows: [],
    notes: [`${words}.`],
    goals: [],
    numbers: { parallel, introspections, logins, good }
  } satisfies Part
})
