import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { described, meanings, titled } from "./describe.ts"

const Status = Schema.Struct({
  status: Schema.String.annotateKey({ description: "Always `ok`: a process that cannot serve does not answer." })
}).annotate({ identifier: "Health", description: "The process answers." })

export const ComponentState = meanings("How the component is, as this process last saw it.", {
  unknown: "It was not probed yet.",
  ok: "It answered the last probes, in time.",
  degraded: "It failed recently, or is slow.",
  down: "It failed twice in a row, or from the start.",
  unauthorized: "It rejects the gateway's own credentials.",
  "not configured": "This cloud does not have it, or other replicas do."
})

const Component = Schema.Struct({
  state: ComponentState,
  since: Schema.NullOr(Schema.String).annotateKey({
    description:
      "When this process first saw it in this state. RFC 3339, UTC. Null before the first probe, and for a " +
      "component that needs no probe."
  }),
  message: Schema.NullOr(Schema.String).annotateKey({
    description: "The message of the last failure. Null while the component is `ok`, and before the first failure."
  }),
  checked_at: Schema.NullOr(Schema.String).annotateKey({
    description:
      "When it was last probed in the background. RFC 3339, UTC. Null before the first probe, and for a component " +
      "that needs no probe."
  }),
  warnings: Schema.Array(Schema.String).annotateKey({
    description: "Further warnings for operators, such as admission plug-ins that the cluster lacks. Usually empty."
  })
}).annotate({ identifier: "Component", description: "A system behind the gateway, or a part of the gateway itself." })

export const Readiness = Schema.Struct({
  status: meanings("Whether everything that the gateway needs works. The HTTP status is 200 either way.", {
    ready: "Every component is `ok` or `not configured`.",
    degraded: "A component is not: some operations fail, and others work."
  }),
  components: Schema.optionalKey(Schema.Record(Schema.String, Component)).annotateKey({
    description: "Each component by its name. Absent on the customer plane."
  })
}).annotate({ identifier: "Readiness", description: "Whether the gateway and the systems behind it work." })
export type Readiness = typeof Readiness.Type

export class Health extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("health", "/health", { success: Status }).annotateMerge(
      described(
        "Check that the API answers",
        "Answers 200 while the process can serve. It reads no other system, needs no credential and does not count " +
          "against an allowance."
      )
    ),
    HttpApiEndpoint.get("live", "/health/live", { success: Status }).annotateMerge(
      described(
        "Check that the process is alive",
        "The same as `GET /health`, under the name that a liveness probe of Kubernetes usually has: restart a " +
          "process that does not answer."
      )
    ),
    HttpApiEndpoint.get("ready", "/health/ready", { success: Readiness }).annotateMerge(
      described(
        "Show readiness",
        "Says in the body whether everything that the gateway needs works, as background probes last found it; no " +
          "system is asked during the call. The HTTP status is always 200: a gateway that answers can serve calls " +
          "that do not need the failing system."
      )
    )
  )
  .annotateMerge(
    titled(
      "Health",
      "Whether the gateway answers, and whether the systems behind it work. It is for load balancers and " +
        "monitoring, and these operations need no credential. `GET /v1/status` says how the platform works for its " +
        "customers."
    )
  ) {}
