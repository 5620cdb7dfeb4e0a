import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed, WithoutTenant } from "./Access.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { PointInTime } from "./PointInTime.ts"

/** The customers' names of the platform's services (contract, Status document). */
export const StatusService = Schema.Literals([
  "compute",
  "storage",
  "network",
  "portal",
  "api",
  "billing",
  "events",
  "object-storage",
  "databases"
])
export type StatusService = typeof StatusService.Type

export const ServiceStatus = Schema.Literals(["ok", "degraded", "down"])
export type ServiceStatus = typeof ServiceStatus.Type

export const StatusRow = Schema.Struct({
  service: StatusService,
  status: ServiceStatus,
  /** Discloses nothing about the systems behind the service. */
  detail: Schema.String,
  /** The probe's result, on the operator plane alone. */
  probe: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "StatusRow" })
export type StatusRow = typeof StatusRow.Type

export const NoticeKind = Schema.Literals(["incident", "maintenance"])
export type NoticeKind = typeof NoticeKind.Type

/** For an incident: `critical` makes its services `down`, the others make them `degraded`. */
export const Severity = Schema.Literals(["minor", "major", "critical"])
export type Severity = typeof Severity.Type

export const Notice = Schema.Struct({
  incident_id: Schema.String,
  kind: NoticeKind,
  title: Schema.String,
  /** The affected services; empty for the whole platform. */
  services: Schema.Array(StatusService),
  severity: Severity,
  starts_at: Schema.String,
  /** Null until the end is known: the notice stays until it is removed. */
  ends_at: Schema.NullOr(Schema.String),
  message: Schema.String,
  created_at: Schema.String,
  /** The operator's user id, on the operator plane alone. */
  created_by: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "StatusNotice" })
export type Notice = typeof Notice.Type

export const StatusDocument = Schema.Struct({
  generated_at: Schema.String,
  /** The worst status of the services, and of the incidents that affect all of them. */
  overall: ServiceStatus,
  services: Schema.Array(StatusRow),
  /** The present ones, newest first. */
  incidents: Schema.Array(Notice),
  /** The present and the future ones, the next one first. */
  maintenance: Schema.Array(Notice)
}).annotate({ identifier: "StatusDocument" })
export type StatusDocument = typeof StatusDocument.Type

const words = (longest: number, isAllowed: RegExp, expected: string) =>
  Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longest), Schema.isPattern(isAllowed, { expected }))

const Services = Schema.Array(StatusService).check(
  Schema.makeFilter((all: ReadonlyArray<string>) => new Set(all).size === all.length, {
    expected: "different services"
  })
)

/** Every field may be missing: then it is an incident without a message that begins now. */
export const IncidentCreate = Schema.Struct({
  kind: Schema.optionalKey(NoticeKind),
  title: Schema.optionalKey(words(200, /^[^\p{Cc}\p{Cs}]*$/u, "text of one line")),
  services: Schema.optionalKey(Services),
  /** Default `minor`. */
  severity: Schema.optionalKey(Severity),
  /** Default: now. */
  starts_at: Schema.optionalKey(PointInTime),
  ends_at: Schema.optionalKey(PointInTime),
  message: Schema.optionalKey(words(4000, /^(?:[^\p{Cc}\p{Cs}]|[\n\t])*$/u, "text without control characters"))
}).annotate({ identifier: "IncidentCreate" })
export type IncidentCreate = typeof IncidentCreate.Type

/** Both planes; a platform administrator may call it too. */
export class Status extends HttpApiGroup.make("status")
  .add(HttpApiEndpoint.get("show", "/status", { success: StatusDocument }).annotate(WithoutTenant, true))
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}

/** Operator plane. */
export class Incidents extends HttpApiGroup.make("incidents")
  .add(
    HttpApiEndpoint.post("create", "/status/incidents", {
      // The body itself may be missing too.
      payload: [IncidentCreate, Schema.Undefined],
      success: Notice.pipe(HttpApiSchema.status(201)),
      error: failures("incident_span_refused")
    }).middleware(Creates),
    HttpApiEndpoint.delete("remove", "/status/incidents/:incident_id", {
      params: { incident_id: Schema.String },
      success: Notice,
      error: failures("incident_not_found")
    })
  )
  .annotateEndpoints(MinimumTier, 2)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
