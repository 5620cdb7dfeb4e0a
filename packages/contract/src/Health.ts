import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const Status = Schema.Struct({ status: Schema.String }).annotate({ identifier: "Health" })

/**
 * What the gateway stands on, in the body alone; the customer plane has no component map. `behind` is said of its
 * background jobs: one of them has failed several times in a row. `not configured` is what this cloud does not have.
 */
export const Readiness = Schema.Struct({
  status: Schema.Literals(["ready", "degraded"]),
  components: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Literals(["ok", "unreachable", "behind", "not configured"]))
  ),
  /** What the Kubernetes cluster lacks to keep tenants apart; absent when nothing is known to be missing. */
  warnings: Schema.optionalKey(Schema.Array(Schema.String))
}).annotate({ identifier: "Readiness" })
export type Readiness = typeof Readiness.Type

/** No authentication. Always 200 while the process can serve. */
export class Health extends HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("health", "/health", { success: Status }),
  HttpApiEndpoint.get("live", "/health/live", { success: Status }),
  HttpApiEndpoint.get("ready", "/health/ready", { success: Readiness })
) {}
