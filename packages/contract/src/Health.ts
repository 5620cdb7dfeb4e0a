import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const Status = Schema.Struct({ status: Schema.String }).annotate({ identifier: "Health" })

/** `degraded`: it failed lately, or is slow. `unauthorized`: it does not accept the gateway's own credentials. */
const State = Schema.Literals(["unknown", "ok", "degraded", "down", "unauthorized", "not configured"])

const Component = Schema.Struct({
  state: State,
  /** The words of the last failure, while the component is not `ok`. */
  message: Schema.NullOr(Schema.String),
  /** When it was last looked at, in the background; null for what this process knows at any moment. */
  checked_at: Schema.NullOr(Schema.String),
  /** What an operator should know of it besides. */
  warnings: Schema.Array(Schema.String)
}).annotate({ identifier: "Component" })

/**
 * What the gateway stands on, in the body alone; the customer plane has no component map. `unknown` is what was not
 * looked at yet, `not configured` what this cloud does not have.
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
