import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const Status = Schema.Struct({ status: Schema.String }).annotate({ identifier: "Health" })

/** `degraded`: the component failed recently, or is slow. `unauthorized`: it rejects the gateway's own credentials. */
const State = Schema.Literals(["unknown", "ok", "degraded", "down", "unauthorized", "not configured"])

const Component = Schema.Struct({
  state: State,
  /** The message of the last failure, while the component is not `ok`. */
  message: Schema.NullOr(Schema.String),
  /** The last probe in the background; null for what this process knows at any moment. */
  checked_at: Schema.NullOr(Schema.String),
  /** Further warnings for operators. */
  warnings: Schema.Array(Schema.String)
}).annotate({ identifier: "Component" })

/**
 * The systems behind the gateway, in the body alone; the customer plane has no
 * component map. `unknown`: not probed yet. `not configured`: this cloud does
 * not have it.
 */
export const Readiness = Schema.Struct({
  status: Schema.Literals(["ready", "degraded"]),
  components: Schema.optionalKey(Schema.Record(Schema.String, Component))
}).annotate({ identifier: "Readiness" })
export type Readiness = typeof Readiness.Type

/** No authentication. Always 200 while the process can serve. */
export class Health extends HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("health", "/health", { success: Status }),
  HttpApiEndpoint.get("live", "/health/live", { success: Status }),
  HttpApiEndpoint.get("ready", "/health/ready", { success: Readiness })
) {}
