import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { MinimumTier, PlatformAdmin, Validated, WellFormed, WithoutTenant } from "./Access.ts"
import { described, meanings, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { authenticated, callerRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { PointInTime } from "./PointInTime.ts"
import { line, lines } from "./Text.ts"
import { optionalBody } from "./optionalBody.ts"

export const StatusService = meanings("A service, as customers know it.", {
  compute: "Servers.",
  storage: "Volumes and images.",
  network: "Networks, floating IPs and load balancers.",
  portal: "Logins.",
  api: "This API, with metrics and alarms.",
  billing: "Costs, budgets and invoices. Absent on a cloud without billing.",
  events: "Events, and the API's own records.",
  "object-storage": "Buckets and S3 keys.",
  databases: "Managed databases and the Kubernetes cluster. Absent on a cloud without a cluster."
})
export type StatusService = typeof StatusService.Type

const serviceStates = {
  ok: "It works.",
  degraded: "A part of it fails, or it is slow.",
  down: "It cannot be used."
}

export const ServiceStatus = meanings("How a service is.", serviceStates)
export type ServiceStatus = typeof ServiceStatus.Type

export const StatusRow = Schema.Struct({
  service: StatusService,
  status: ServiceStatus.annotateKey({
    description:
      "The worse of two states: that of the platform's probes and measurements, and that of the present incidents."
  }),
  detail: Schema.String.annotateKey({ description: "The status in a sentence for customers." }),
  probe: Schema.optionalKey(Schema.String).annotateKey({
    description: "The result of the probes of each system behind the service. Absent on the customer plane."
  })
}).annotate({ identifier: "StatusRow", description: "A service and its status." })
export type StatusRow = typeof StatusRow.Type

export const NoticeKind = meanings("The kind of a notice.", {
  incident: "Something fails now. It raises the status of its services while it stands.",
  maintenance: "Work is planned. It is shown in advance and changes no status."
})
export type NoticeKind = typeof NoticeKind.Type

export const Severity = meanings("How severe a notice is. For maintenance it is only shown.", {
  minor: "An incident makes its services at least `degraded`.",
  major: "An incident makes its services at least `degraded`.",
  critical: "An incident makes its services `down`."
})
export type Severity = typeof Severity.Type

const affected = "The affected services. Empty for the whole platform: then an incident changes `overall` alone."

export const Notice = Schema.Struct({
  incident_id: Schema.String.annotateKey({ description: "The notice's id: `inc-` and 12 hexadecimal digits." }),
  kind: NoticeKind,
  title: Schema.String.annotateKey({ description: "The title, one line." }),
  services: Schema.Array(StatusService).annotateKey({ description: affected }),
  severity: Severity,
  starts_at: Schema.String.annotateKey({ description: "When it begins. RFC 3339, UTC." }),
  ends_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When it ends. RFC 3339, UTC. Null while the end is not known: the notice stays until it is removed."
  }),
  message: Schema.String.annotateKey({ description: "The text, which may have several lines. Empty for none." }),
  created_at: Schema.String.annotateKey({ description: "When the notice was published. RFC 3339, UTC." }),
  created_by: Schema.optionalKey(Schema.String).annotateKey({
    description: "The user id of the operator who published it. Absent on the customer plane."
  })
}).annotate({
  identifier: "StatusNotice",
  description: "An incident or a maintenance, written by the platform's operators."
})
export type Notice = typeof Notice.Type

export const StatusDocument = Schema.Struct({
  generated_at: Schema.String.annotateKey({ description: "The time of the response. RFC 3339, UTC." }),
  overall: ServiceStatus.annotateKey({
    description: "The worst status of all services, and of the incidents that affect the whole platform."
  }),
  services: Schema.Array(StatusRow).annotateKey({
    description: "One row for each service that this cloud has."
  }),
  incidents: Schema.Array(Notice).annotateKey({ description: "The incidents that stand now, newest first." }),
  maintenance: Schema.Array(Notice).annotateKey({
    description: "Present and future maintenance, the next one first."
  })
}).annotate({ identifier: "StatusDocument", description: "The status of the platform." })
export type StatusDocument = typeof StatusDocument.Type

const Services = Schema.Array(StatusService).check(
  Schema.makeFilter((all: ReadonlyArray<string>) => new Set(all).size === all.length, {
    expected: "different services"
  })
)

export const IncidentCreate = Schema.Struct({
  kind: Schema.optionalKey(NoticeKind).annotateKey({ description: "Default `incident`." }),
  title: Schema.optionalKey(line(200)).annotateKey({
    description: "The title, 1 to 200 characters on one line. Default `Incident` or `Maintenance`."
  }),
  services: Schema.optionalKey(Services).annotateKey({ description: `${affected} Default: empty.` }),
  severity: Schema.optionalKey(Severity).annotateKey({ description: "Default `minor`." }),
  starts_at: Schema.optionalKey(PointInTime).annotateKey({ description: "When it begins. Default: now." }),
  ends_at: Schema.optionalKey(PointInTime).annotateKey({
    description: "When it ends, later than `starts_at`. Default: when it is removed."
  }),
  message: Schema.optionalKey(lines(4000)).annotateKey({
    description: "The text, 1 to 4000 characters, which may have several lines. Default: empty."
  })
}).annotate({
  identifier: "IncidentCreate",
  description:
    "A new notice. Without any field, or without a body, it is a minor incident of the whole platform from now on."
})
export type IncidentCreate = typeof IncidentCreate.Type

export class Status extends HttpApiGroup.make("status")
  .add(
    HttpApiEndpoint.get("show", "/status", { success: StatusDocument })
      .annotateMerge(
        described(
          "Show the platform's status",
          "Returns how each service is, the incidents that stand and the maintenance to come, at most 100 notices " +
            "together. It always answers 200: a service that cannot be read is not `ok`. The platform " +
            "probes itself in the background, so a failure shows within a minute. Every credential may call it, " +
            "also one without a tenant."
        )
      )
      .annotate(WithoutTenant, true)
  )
  .annotateMerge(
    titled(
      "Status",
      "Whether the platform works. It has the status of each service as customers know it, with incidents and " +
        "maintenance that the operators announce."
    )
  )
  .pipe(callerRoutes) {}

export class Incidents extends HttpApiGroup.make("incidents")
  .add(
    HttpApiEndpoint.post("create", "/status/incidents", {
      payload: optionalBody(IncidentCreate),
      success: Notice.pipe(HttpApiSchema.status(201)),
      error: failures("incident_span_refused")
    })
      .annotateMerge(
        described(
          "Publish an incident or maintenance",
          "Publishes a notice for all customers, from the next status on. An incident is shown from `starts_at` " +
            "until `ends_at` and meanwhile raises the status of its services; maintenance is shown at once until it " +
            "ends, and changes no status. Every field is optional, and so is the body. A notice cannot be changed: " +
            "remove it and publish another one. Each repetition without an idempotency key publishes another notice."
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.delete("remove", "/status/incidents/:incident_id", {
      params: { incident_id: Schema.String.annotateKey({ description: "The id of the notice." }) },
      success: Notice,
      error: failures("incident_not_found")
    }).annotateMerge(
      described(
        "Remove an incident or maintenance",
        "Removes a notice, over or not, from the next status on, and returns it as it was."
      )
    )
  )
  .annotateEndpoints(MinimumTier, 2)
  .annotateMerge(
    titled(
      "Incidents",
      "Incidents and maintenance that operators announce in the status. An incident stands now, and maintenance is to " +
        "come; both are notices of one form."
    )
  )
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .pipe(authenticated)
  .middleware(Validated) {}
