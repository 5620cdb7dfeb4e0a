import { Result } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { entry, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { toMicros } from "../times.ts"
import { onlyKeys, policyRefused, refuse, refuseError } from "./answers.ts"
import { descriptionErrorOf } from "./fields.ts"
import { listOf } from "./lists.ts"
import { baseOf, bodyOf, call, optionalBodyOf, own, param, type Request, seen, sees } from "./request.ts"
import type { TransferAccept, TransferRequest } from "./state.ts"
import { stampOrNull } from "./view.ts"
import { liveZone } from "./zones.ts"

/** A caller other than the owner sees neither the key nor the projects. */
const showRequest = (request: Request, transfer: TransferRequest) => {
  const open = {
    id: transfer.id,
    zone_id: transfer.zone_id,
    zone_name: transfer.zone_name,
    description: transfer.description,
    status: transfer.status,
    links: { self: `${baseOf(request)}/v2/zones/tasks/transfer_requests/${transfer.id}` }
  }
  return request.scope.admin || request.projectId === transfer.project_id
    ? {
        ...open,
        project_id: transfer.project_id,
        target_project_id: transfer.target_project_id,
        key: transfer.key,
        created_at: toMicros(transfer.created_at),
        updated_at: stampOrNull(transfer.updated_at)
      }
    : open
}

const showAccept = (request: Request, accept: TransferAccept) => ({
  id: accept.id,
  zone_transfer_request_id: accept.zone_transfer_request_id,
  zone_id: accept.zone_id,
  project_id: accept.project_id,
  key: accept.key,
  status: "COMPLETE",
  created_at: toMicros(accept.created_at),
  updated_at: toMicros(accept.created_at),
  links: {
    self: `${baseOf(request)}/v2/zones/tasks/transfer_accepts/${accept.id}`,
    zone: `${baseOf(request)}/v2/zones/${accept.zone_id}`
  }
})

const isParty = (request: Request, { project_id, target_project_id }: TransferRequest): boolean =>
  sees(request, project_id) || target_project_id === request.projectId

const notFound = refuse(404, "zone_transfer_request_not_found", "Could not find ZoneTransferRequest")

const create = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { designate, incoming } = request
    const given = yield* optionalBodyOf(request)
    const zone = yield* liveZone(request)
    yield* onlyKeys("transfer_request", given, new Set(["target_project_id", "description"]))
    yield* refuseError(descriptionErrorOf(given))
    const open = Object.values(designate.transferRequests).some((_) => _.zone_id === zone.id && _.status === "ACTIVE")
    if (open) return yield* refuse(409, "duplicate_zone_transfer_request", "Duplicate ZoneTransferRequest")
    const transfer: TransferRequest = {
      id: randomUUID(),
      zone_id: zone.id,
      zone_name: zone.name,
      project_id: zone.project_id,
      target_project_id: stringAt(given, "target_project_id") ?? null,
      description: stringAt(given, "description") ?? null,
      key: randomBytes(4).toString("hex").toUpperCase(),
      status: "ACTIVE",
      created_at: incoming.now,
      updated_at: null
    }
    designate.transferRequests[transfer.id] = transfer
    const shown = showRequest(request, transfer)
    return json(201, shown, { location: shown.links.self })
  })

const any = (request: Request, id: string): Step<TransferRequest> => {
  const { transferRequests } = request.designate
  const transfer = entry(transferRequests, id)
  return transfer === undefined ? notFound : Result.succeed(transfer)
}

/** Found in any project; a request without a target project is visible to every caller with its id. */
const show = (request: Request): Step<Answer> =>
  Result.flatMap(any(request, param(request, "transfer_request_id")), (transfer) =>
    request.scope.admin || transfer.target_project_id === null || isParty(request, transfer)
      ? Result.succeed(json(200, showRequest(request, transfer)))
      : policyRefused
  )

/** Only its creator may change it; its target sees it and gets a 403. */
const changeable = (request: Request): Step<TransferRequest> =>
  Result.flatMap(any(request, param(request, "transfer_request_id")), (transfer) => {
    if (!isParty(request, transfer)) return notFound
    return sees(request, transfer.project_id) ? Result.succeed(transfer) : policyRefused
  })

const update = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const transfer = yield* changeable(request)
    const given = yield* bodyOf(request)
    yield* onlyKeys("transfer_request", given, new Set(["description"]), showRequest(request, transfer))
    yield* refuseError(descriptionErrorOf(given))
    transfer.description = stringAt(given, "description") ?? null
    transfer.updated_at = request.incoming.now
    return json(200, showRequest(request, transfer))
  })

const remove = (request: Request): Step<Answer> =>
  Result.map(changeable(request), ({ id }) => {
    delete request.designate.transferRequests[id]
    return empty(204)
  })

/** The zone changes its project at once. The target's quota is not checked. */
const accept = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { designate, incoming, projectId, scope } = request
    const given = objectAt(yield* bodyOf(request))
    yield* onlyKeys("transfer_accept", given, new Set(["key", "zone_transfer_request_id"]))
    const transfer = yield* any(request, stringAt(given, "zone_transfer_request_id") ?? "")
    if (transfer.status !== "ACTIVE") {
      return yield* refuse(400, "invalid_zone_transfer_request", "Zone Transfer Request has been used")
    }
    if (given["key"] !== transfer.key) {
      return yield* refuse(403, "invalid_key", "Key does not match stored key for request")
    }
    const target = transfer.target_project_id
    if (target !== null && target !== projectId && !scope.admin) return yield* policyRefused
    const zone = designate.zones[transfer.zone_id]
    if (zone === undefined) return yield* refuse(404, "zone_not_found", "Could not find Zone")
    zone.project_id = projectId
    zone.updated_at = incoming.now
    transfer.status = "COMPLETE"
    transfer.updated_at = incoming.now
    const made: TransferAccept = {
      id: randomUUID(),
      zone_transfer_request_id: transfer.id,
      zone_id: zone.id,
      project_id: projectId,
      key: transfer.key,
      created_at: incoming.now
    }
    designate.transferAccepts[made.id] = made
    const shown = showAccept(request, made)
    return json(201, shown, { location: shown.links.self })
  })

const sortKeys = ["created_at", "id", "updated_at"]

export const transferRoutes: Routes = {
  "POST /v2/zones/:zone_id/tasks/transfer_requests": call(create),
  "GET /v2/zones/tasks/transfer_requests": call((request) =>
    listOf(
      request,
      Object.values(request.designate.transferRequests)
        .filter((_) => isParty(request, _))
        .map((_) => showRequest(request, _)),
      { collection: "transfer_requests", filters: ["status"], sortKeys }
    )
  ),
  "GET /v2/zones/tasks/transfer_requests/:transfer_request_id": call(show),
  "PATCH /v2/zones/tasks/transfer_requests/:transfer_request_id": call(update),
  "DELETE /v2/zones/tasks/transfer_requests/:transfer_request_id": call(remove),
  "POST /v2/zones/tasks/transfer_accepts": call(accept),
  // Only administrators may list; a single entry has a wider policy.
  "GET /v2/zones/tasks/transfer_accepts": call((request) =>
    request.scope.admin
      ? listOf(request, seen(request, request.designate.transferAccepts, showAccept), {
          collection: "transfer_accepts",
          filters: ["status"],
          sortKeys
        })
      : policyRefused
  ),
  "GET /v2/zones/tasks/transfer_accepts/:transfer_accept_id": call((request) =>
    Result.map(
      own(
        request,
        request.designate.transferAccepts,
        param(request, "transfer_accept_id"),
        "ZoneTransferAccept",
        "zone_transfer_accept"
      ),
      (_) => json(200, showAccept(request, _))
    )
  )
}
