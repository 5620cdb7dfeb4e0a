import { numberAt, objectAt, stringAt } from "../Json.ts"
import { type Handler, json } from "../Wire.ts"
import { authorized, refuse } from "./request.ts"
import type { LedgerEvent } from "./state.ts"

/** The maximum number of events in one call. */
const most = 1000

/**
 * Stores events in any order, each once by its id. Validates the whole batch first: one invalid event refuses
 * all. Events of unknown kinds are stored and cost nothing.
 */
export const ingest: Handler = authorized(({ json: body, world }) => {
  const given = objectAt(body)["events"]
  if (!Array.isArray(given) || given.length > most) {
    return refuse(422, "invalid_events", `events must be a list of at most ${most}`)
  }
  const events = given.map(eventOf)
  const broken = events.indexOf(undefined)
  if (broken >= 0) return refuse(422, "invalid_event", `events[${broken}] is not a lifecycle event`)
  let accepted = 0
  for (const event of events) {
    if (event === undefined || Object.hasOwn(world.billing.events, event.id)) continue
    world.billing.events[event.id] = event
    accepted += 1
  }
  return json(200, { accepted, duplicates: events.length - accepted })
})

const eventOf = (given: unknown): LedgerEvent | undefined => {
  const event = objectAt(given)
  const [id, kind, project_id] = [stringAt(event, "id"), stringAt(event, "kind"), event["project_id"]]
  const at = Date.parse(stringAt(event, "at") ?? "")
  const data = objectAt(event, "data")
  const [resource_type, resource_id] = [stringAt(data, "resource_type"), stringAt(data, "resource_id")]
  if (id === undefined || kind === undefined || Number.isNaN(at)) return undefined
  if (resource_type === undefined || resource_id === undefined) return undefined
  if (project_id !== null && typeof project_id !== "string") return undefined
  const detail = objectAt(data, "detail")
  return {
    id,
    kind,
    at,
    project_id,
    resource_type,
    resource_id,
    flavor: stringAt(detail, "flavor") ?? null,
    size_gb: numberAt(detail, "size_gb") ?? null,
    volume_type: stringAt(detail, "volume_type") ?? null
  }
}
