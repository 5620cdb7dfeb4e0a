import { Result } from "effect"
import { type JsonObject, numberAt, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Answer, json, type Routes, type Step } from "../Wire.ts"
import { refuseFlaws, onlyKeys, refuse, ruled, refuseError } from "./answers.ts"
import { zoneError, zoneFlaws } from "./fields.ts"
import { listOf } from "./lists.ts"
import { childrenOf } from "./placement.ts"
import { bodyOf, call, own, param, type Request, seen } from "./request.ts"
import { nameServers, workMillis, type Zone } from "./state.ts"
import { showZone } from "./view.ts"
import { addZone, bump, touch } from "./writes.ts"

/** `default_ttl`. */
const defaultTtl = 3600

/** SECONDARY zones are read-only for tenants. */
const managedEmail = "hostmaster@example.com"

export const findZone = (request: Request): Step<Zone> =>
  own(request, request.designate.zones, param(request, "zone_id"), "Zone", "zone")

/** A zone that the caller may change. */
export const liveZone = (request: Request): Step<Zone> =>
  Result.flatMap(findZone(request), (zone) =>
    zone.deleted_from === null ? Result.succeed(zone) : refuse(400, "bad_request", "Can not update a deleting zone")
  )

const creatable = new Set(["name", "email", "ttl", "description", "type", "masters", "attributes"])

const create = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const given = { type: "PRIMARY", ...(yield* bodyOf(request)) }
    yield* onlyKeys("zone", given, creatable)
    yield* refuseError(zoneError(given))
    yield* refuseFlaws(zoneFlaws(given))
    const added = addZone(request.designate, request.incoming.now, {
      project_id: request.projectId,
      name: stringAt(given, "name") ?? "",
      email: given.type === "SECONDARY" ? managedEmail : (stringAt(given, "email") ?? ""),
      ttl: numberAt(given, "ttl") ?? defaultTtl,
      description: stringAt(given, "description") ?? null,
      type: given.type === "SECONDARY" ? "SECONDARY" : "PRIMARY",
      masters: stringsAt(given, "masters") ?? [],
      attributes: attributesOf(given)
    })
    const shown = showZone(request, yield* ruled(added))
    return json(202, shown, { location: shown.links.self })
  })

const attributesOf = (given: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(objectAt(given, "attributes")).map(([key, value]) => [key, String(value)]))

const list = (request: Request): Step<Answer> =>
  listOf(request, seen(request, request.designate.zones, showZone), {
    collection: "zones",
    filters: ["name", "type", "email", "status", "description", "ttl"],
    sortKeys: ["created_at", "id", "updated_at", "name", "tenant_id", "serial", "ttl", "status"]
  })

const update = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { designate, incoming } = request
    const zone = yield* liveZone(request)
    const given = yield* bodyOf(request)
    const shown = showZone(request, zone)
    yield* onlyKeys("zone", given, new Set(["email", "ttl", "description", "masters"]), shown)
    yield* refuseError(zoneError(given))
    yield* refuseFlaws(zoneFlaws({ ...shown, ...given }))
    zone.email = stringAt(given, "email") ?? zone.email
    zone.ttl = given["ttl"] === null ? defaultTtl : (numberAt(given, "ttl") ?? zone.ttl)
    if ("description" in given) zone.description = stringAt(given, "description") ?? null
    zone.masters = stringsAt(given, "masters") ?? zone.masters
    bump(designate, incoming.now, zone)
    return json(202, showZone(request, zone))
  })

/** The name stays in use until the deletion is done. */
const remove = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { now } = request.incoming
    const zone = yield* findZone(request)
    if (childrenOf(request.designate, zone.name).length > 0) {
      return yield* refuse(400, "zone_has_sub_zone", "Please delete any subzones before deleting this zone")
    }
    if (zone.deleted_from === null) {
      touch(zone, now, "DELETE")
      zone.deleted_from = now + workMillis
    }
    return json(202, showZone(request, zone))
  })

const nameservers = (request: Request): Step<Answer> =>
  Result.map(findZone(request), () =>
    json(200, { nameservers: nameServers.map((hostname, i) => ({ hostname, priority: i + 1 })) })
  )

export const zoneRoutes: Routes = {
  "GET /v2/zones": call(list),
  "POST /v2/zones": call(create),
  "GET /v2/zones/:zone_id": call((request) => Result.map(findZone(request), (_) => json(200, showZone(request, _)))),
  "PATCH /v2/zones/:zone_id": call(update),
  "DELETE /v2/zones/:zone_id": call(remove),
  "GET /v2/zones/:zone_id/nameservers": call(nameservers)
}
