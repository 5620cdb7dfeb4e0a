import { Result } from "effect"
import { type JsonObject, numberAt, stringAt, stringsAt } from "../Json.ts"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { refuseFlaws, onlyKeys, policyRefused, refuse, ruled, refuseError } from "./answers.ts"
import { isNameOfType, recordsetError, recordsetFlaws } from "./fields.ts"
import { listOf } from "./lists.ts"
import { recordsetPlace } from "./placement.ts"
import { baseOf, bodyOf, call, param, type Request, sees } from "./request.ts"
import { type Recordset, recordsetsOf, type Zone } from "./state.ts"
import { showRecordset } from "./view.ts"
import { addRecordset, bump, recordsWithin, touch } from "./writes.ts"
import { findZone, liveZone } from "./zones.ts"

const notFound = refuse(404, "recordset_not_found", "Could not find RecordSet")

const find = (request: Request, zone: Zone): Step<Recordset> => {
  const recordset = request.designate.recordsets[param(request, "recordset_id")]
  return recordset?.zone_id === zone.id ? Result.succeed(recordset) : notFound
}

const listed = {
  collection: "recordsets",
  filters: ["name", "type", "ttl", "data", "status", "description"],
  sortKeys: ["created_at", "id", "updated_at", "zone_id", "tenant_id", "name", "type", "ttl", "records"]
}

const list = (request: Request): Step<Answer> =>
  Result.flatMap(findZone(request), (zone) =>
    listOf(
      request,
      recordsetsOf(request.designate, zone.id).map((_) => showRecordset(request, _, zone)),
      listed
    )
  )

const listAll = (request: Request): Step<Answer> => {
  const { recordsets, zones } = request.designate
  const all = Object.values(recordsets).flatMap((recordset) => {
    const zone = zones[recordset.zone_id]
    return zone !== undefined && sees(request, zone.project_id) ? [showRecordset(request, recordset, zone)] : []
  })
  return listOf(request, all, listed)
}

const show = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const zone = yield* findZone(request)
    return json(200, showRecordset(request, yield* find(request, zone), zone))
  })

/** A recordset without its zone in the path redirects to the path with the zone. */
const locate = (request: Request): Step<Answer> => {
  const { recordsets, zones } = request.designate
  const recordset = recordsets[param(request, "recordset_id")]
  const zone = recordset && zones[recordset.zone_id]
  return recordset === undefined || zone === undefined || !sees(request, zone.project_id)
    ? notFound
    : Result.succeed(empty(301, { location: `${baseOf(request)}/v2/zones/${zone.id}/recordsets/${recordset.id}` }))
}

const creatable = new Set(["name", "type", "records", "ttl", "description"])

/** The body is validated before the zone is looked up. */
const create = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { designate, incoming, scope } = request
    const given = yield* bodyOf(request)
    yield* onlyKeys("recordset", given, creatable)
    yield* refuseError(recordsetError(given))
    if (!isNameOfType(given)) return yield* refuse(400, "invalid_object", "name is invalid")
    yield* refuseFlaws(recordsetFlaws(given))
    if (given["type"] === "SOA") return yield* refuse(400, "bad_request", "Creating a SOA recordset is not allowed")
    const zone = yield* liveZone(request)
    if (zone.type === "SECONDARY" && !scope.admin) return yield* policyRefused
    const added = addRecordset(designate, incoming.now, zone, {
      name: stringAt(given, "name") ?? "",
      type: stringAt(given, "type") ?? "",
      records: recordsAt(given) ?? [],
      ttl: numberAt(given, "ttl") ?? null,
      description: stringAt(given, "description") ?? null
    })
    const shown = showRecordset(request, yield* ruled(added), zone)
    // A recordset without records needs no update of the name servers.
    return json(shown.status === "ACTIVE" ? 201 : 202, shown, { location: shown.links.self })
  })

/** Records are a set: duplicates are dropped. */
const recordsAt = (given: JsonObject): ReadonlyArray<string> | undefined => {
  const records = stringsAt(given, "records")
  return records && [...new Set(records)]
}

/** Recordsets that the service manages: immutable, except for an administrator with the header for managed records. */
const unmanaged = (request: Request, recordset: Recordset, verb: "updated" | "deleted"): Step<void> =>
  recordset.managed && !request.editManaged
    ? refuse(400, "bad_request", `Managed records may not be ${verb}`)
    : Result.void

const update = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { designate, incoming } = request
    // The recordset is looked up first: the caller cannot see a recordset of a zone that it cannot see.
    if (Result.isFailure(findZone(request))) return yield* notFound
    const zone = yield* liveZone(request)
    const recordset = yield* find(request, zone)
    yield* unmanaged(request, recordset, "updated")
    if (recordset.type === "SOA") return yield* refuse(400, "bad_request", "Updating SOA recordsets is not allowed")
    if (recordset.type === "NS" && recordset.name === zone.name) {
      return yield* refuse(400, "bad_request", "Updating a root zone NS record is not allowed")
    }
    const given = yield* bodyOf(request)
    const shown = showRecordset(request, recordset, zone)
    yield* onlyKeys("recordset", given, new Set(["records", "ttl", "description"]), shown)
    yield* refuseError(recordsetError(given))
    yield* refuseFlaws(recordsetFlaws({ ...shown, ...given }))
    const records = recordsAt(given) ?? recordset.records
    yield* ruled(recordsetPlace(designate, zone, { ...recordset, records }))
    yield* ruled(recordsWithin(designate, zone, records, recordset))
    recordset.records = records
    if ("ttl" in given) recordset.ttl = numberAt(given, "ttl") ?? null
    if ("description" in given) recordset.description = stringAt(given, "description") ?? null
    touch(recordset, incoming.now, "UPDATE")
    bump(designate, incoming.now, zone)
    return json(202, showRecordset(request, recordset, zone))
  })

/** The recordset is removed at once; the answer still shows a pending deletion. */
const remove = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { designate, incoming } = request
    const zone = yield* liveZone(request)
    const recordset = yield* find(request, zone)
    if (recordset.type === "SOA") return yield* refuse(400, "bad_request", "Deleting a SOA recordset is not allowed")
    yield* unmanaged(request, recordset, "deleted")
    touch(recordset, incoming.now, "DELETE")
    delete designate.recordsets[recordset.id]
    bump(designate, incoming.now, zone)
    return json(202, showRecordset(request, recordset, zone))
  })

export const recordsetRoutes: Routes = {
  "GET /v2/recordsets": call(listAll),
  "GET /v2/recordsets/:recordset_id": call(locate),
  "GET /v2/zones/:zone_id/recordsets": call(list),
  "POST /v2/zones/:zone_id/recordsets": call(create),
  "GET /v2/zones/:zone_id/recordsets/:recordset_id": call(show),
  "PUT /v2/zones/:zone_id/recordsets/:recordset_id": call(update),
  "DELETE /v2/zones/:zone_id/recordsets/:recordset_id": call(remove)
}
