import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { described, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { operatorRoutes } from "./groups.ts"
import { ComponentState } from "./Health.ts"
import { Capacity } from "./Signups.ts"
import { ServiceStatus, StatusRow } from "./Status.ts"
import { Tier } from "./Tiers.ts"

const percentOf = (what: string) =>
  Schema.NullOr(Schema.Finite).annotateKey({
    description: `${what}, in percent, to one decimal. Null where nothing is measured.`
  })

const generated_at = Schema.String.annotateKey({ description: "The time of the response. RFC 3339, UTC." })

const services = Schema.Array(StatusRow).annotateKey({
  description: "The services as in `GET /v1/status`, with the results of the probes."
})

const alarmStates = {
  ok: Schema.Int.annotateKey({ description: "The number of alarms in the state `ok`." }),
  alarm: Schema.Int.annotateKey({ description: "The number of alarms in the state `alarm`." }),
  insufficient_data: Schema.Int.annotateKey({ description: "The number of alarms in the state `insufficient_data`." })
}

export const MonitoringOverview = Schema.Struct({
  generated_at,
  overall: ServiceStatus.annotateKey({ description: "As in `GET /v1/status`." }),
  services,
  incidents: Schema.Int.annotateKey({
    description: "The number of incidents that stand now. Maintenance does not count."
  }),
  nodes: Schema.Struct({
    total: Schema.Int.annotateKey({ description: "The number of nodes that the monitoring knows." }),
    up: Schema.Int.annotateKey({ description: "The number of nodes that are up." }),
    cpu_percent: percentOf("The mean use of the nodes' processors"),
    memory_percent: percentOf("The mean use of the nodes' memory")
  }).annotateKey({ description: "The platform's nodes." }),
  instances: Schema.Struct({
    measured: Schema.Int.annotateKey({ description: "The number of servers with measurements, of all projects." }),
    cpu_percent: percentOf("The mean use of their processors"),
    memory_percent: percentOf("The mean use of their memory")
  }).annotateKey({ description: "The servers of all projects." }),
  tenants: Schema.Struct({
    total: Schema.Int.annotateKey({ description: "The number of tenants, suspended ones included." }),
    suspended: Schema.Int.annotateKey({ description: "The number of suspended tenants." })
  }).annotateKey({ description: "The tenants." }),
  alarms: Schema.Struct(alarmStates).annotateKey({ description: "The alarms of all tenants, disabled ones included." })
}).annotate({ identifier: "MonitoringOverview", description: "The platform in a few numbers." })
export type MonitoringOverview = typeof MonitoringOverview.Type

export const FleetNode = Schema.Struct({
  node: Schema.String.annotateKey({ description: "The node's name in the monitoring." }),
  up: Schema.Boolean.annotateKey({ description: "Whether the node is up." }),
  cpu_percent: percentOf("The use of its processors"),
  memory_percent: percentOf("The use of its memory")
}).annotate({ identifier: "FleetNode", description: "A node of the platform." })
export type FleetNode = typeof FleetNode.Type

export const FleetTenant = Schema.Struct({
  project_id: Schema.String.annotateKey({ description: "The project's id." }),
  name: Schema.NullOr(Schema.String).annotateKey({
    description: "The tenant's name. Null for a measured project without a tenant."
  }),
  tier: Schema.NullOr(Tier).annotateKey({
    description: "The tenant's tier. Null for a measured project without a tenant."
  }),
  suspended: Schema.Boolean.annotateKey({
    description: "Whether the tenant is suspended. False for a project without a tenant."
  }),
  instances: Schema.Int.annotateKey({ description: "The number of its servers with measurements." }),
  cpu_percent: percentOf("The mean use of their processors"),
  memory_percent: percentOf("The mean use of their memory"),
  alarms: Schema.Struct(alarmStates).annotateKey({ description: "Its alarms, disabled ones included." })
}).annotate({ identifier: "FleetTenant", description: "A tenant, or another measured project." })
export type FleetTenant = typeof FleetTenant.Type

export const MonitoringFleet = Schema.Struct({
  generated_at,
  services,
  nodes: Schema.Array(FleetNode).annotateKey({ description: "Every node, sorted by name." }),
  tenants: Schema.Array(FleetTenant).annotateKey({
    description: "Every tenant, and then every measured project without a tenant."
  })
}).annotate({ identifier: "MonitoringFleet", description: "Every node and every tenant with its use." })
export type MonitoringFleet = typeof MonitoringFleet.Type

const Physical = Schema.Struct({
  total: Schema.Int.annotateKey({ description: "The total." }),
  used: Schema.Int.annotateKey({ description: "The part in use." })
}).annotate({ identifier: "PhysicalCapacity", description: "The amount of a resource, and its use." })

export const PlatformCapacity = Schema.Struct({
  generated_at,
  sellable: Capacity.annotateKey({ description: "The sellable budget, as in `GET /v1/signups/capacity`." }),
  physical: Schema.Struct({
    hypervisors: Schema.Int.annotateKey({ description: "The number of hypervisors." }),
    vcpus: Physical.annotateKey({
      description:
        "Processor threads of all hypervisors, without overcommit, and the virtual processors given to servers."
    }),
    memory_mib: Physical.annotateKey({ description: "Memory of all hypervisors, in MiB, without overcommit." }),
    disk_gib: Physical.annotateKey({
      description: "Local disks of all hypervisors, in GiB. A disk that hypervisors share counts once for each of them."
    }),
    running_instances: Schema.Int.annotateKey({ description: "The number of running servers." }),
    storage_bytes: Schema.NullOr(Physical).annotateKey({
      description:
        "The storage cluster, in bytes, before replication. Null on a cloud whose monitoring does not measure one."
    })
  }).annotateKey({ description: "The capacity of the hardware, summed over all hypervisors." })
}).annotate({
  identifier: "PlatformCapacity",
  description: "The remaining sellable budget, and the capacity of the hardware."
})
export type PlatformCapacity = typeof PlatformCapacity.Type

const milliseconds = (share: string) =>
  Schema.NullOr(Schema.Finite).annotateKey({
    description:
      `The milliseconds within which ${share} of the calls ended, up to the end of the response, estimated from a ` +
      "histogram. Null without a call."
  })

export const UpstreamRow = Schema.Struct({
  upstream: Schema.String.annotateKey({
    description: "The system, such as `nova`, as in the label `system` of the gateway's metrics."
  }),
  component: Schema.NullOr(Schema.String).annotateKey({
    description: "Its name in `GET /health/ready`. Null for a system that is not probed, such as the name servers."
  }),
  state: Schema.NullOr(ComponentState).annotateKey({ description: "As in `GET /health/ready`. Null without a probe." }),
  since: Schema.NullOr(Schema.String).annotateKey({
    description: "When this process first saw it in this state. RFC 3339, UTC. Null without a result of a probe."
  }),
  checked_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When it was last probed. RFC 3339, UTC. Null without a result of a probe."
  }),
  message: Schema.NullOr(Schema.String).annotateKey({
    description: "The message of the last failed probe. Null while the state is `ok`, and before the first failure."
  }),
  calls: Schema.Int.annotateKey({
    description:
      "The number of calls of the last minutes, probes included. Calls whose client left and upgraded connections do not " +
      "count."
  }),
  failed: Schema.Int.annotateKey({
    description: "How many of them had no answer, or one with a status of 500 or above."
  }),
  failed_percent: percentOf("The share of the calls that failed"),
  p50_ms: milliseconds("half"),
  p95_ms: milliseconds("95 of 100"),
  last_failure: Schema.NullOr(
    Schema.Struct({
      at: Schema.String.annotateKey({ description: "When it ended. RFC 3339, UTC." }),
      call: Schema.String.annotateKey({
        description: "The name of the call, such as `create project`; the method of a call that was passed through."
      }),
      status: Schema.NullOr(Schema.Int).annotateKey({ description: "The status of the answer. Null without one." })
    })
  ).annotateKey({
    description:
      "The last call that failed since the process started, however long ago, without the upstream's message, " +
      "which may quote secrets. Null for none."
  })
}).annotate({ identifier: "UpstreamRow", description: "A system behind the gateway, and how its calls went." })
export type UpstreamRow = typeof UpstreamRow.Type

export const MonitoringUpstreams = Schema.Struct({
  generated_at,
  window_seconds: Schema.Int.annotateKey({
    description: "The seconds that the calls are counted over, in whole minutes with the current one."
  }),
  upstreams: Schema.Array(UpstreamRow).annotateKey({ description: "Every upstream, sorted by name." })
}).annotate({
  identifier: "MonitoringUpstreams",
  description: "The systems behind the gateway, as the process that answers sees them."
})
export type MonitoringUpstreams = typeof MonitoringUpstreams.Type

/** A source that cannot be read is a 502 with its message, and never a number. */
export class Monitoring extends HttpApiGroup.make("monitoring")
  .add(
    HttpApiEndpoint.get("overview", "/monitoring/overview", {
      success: MonitoringOverview,
      error: failures("service_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "Show the platform in a few numbers",
        "Sums up services, nodes, servers, tenants and alarms. It costs three queries to the monitoring, however " +
          "large the platform is. When the monitoring cannot be read the response is a 502, and on a cloud without " +
          "one a 404 (`service_not_found`)."
      )
    ),
    HttpApiEndpoint.get("fleet", "/monitoring/fleet", {
      success: MonitoringFleet,
      error: failures("service_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "Show every node and tenant with its use",
        "Returns a row for each node and for each tenant, and one for each other project that is measured, such as " +
          "the platform's own. It costs three queries to the monitoring, however many rows there are. There are no " +
          "pages. When the monitoring cannot be read the response is a 502, and on a cloud without one a 404 " +
          "(`service_not_found`)."
      )
    ),
    HttpApiEndpoint.get("upstreams", "/monitoring/upstreams", { success: MonitoringUpstreams }).annotateMerge(
      described(
        "Show the systems behind the gateway",
        "Returns a row for each upstream: whether it is ready and since when, and how many calls of the last five minutes " +
          "failed and how long they took. All numbers are those of the process that answers; another replica of " +
          "the gateway has other numbers, and the metrics of all replicas have the sum. No system is asked during " +
          "the call."
      )
    ),
    HttpApiEndpoint.get("capacity", "/capacity", {
      success: PlatformCapacity,
      error: failures("upstream_failed")
    }).annotateMerge(
      described(
        "Show sellable and physical capacity",
        "Returns the rest of the sellable budget for each tier, when it is used up at the present pace, and the " +
          "actual capacity of the hypervisors and the storage cluster, each from its own source. When one of the " +
          "sources cannot be read the response is a 502."
      )
    )
  )
  .annotateMerge(
    titled(
      "Monitoring",
      "The use of nodes and tenants, and the capacity that is left. This is the platform as a whole, for operators, as " +
        "the monitoring measures it. A source that cannot be read is an error, never a number."
    )
  )
  .pipe(operatorRoutes) {}
