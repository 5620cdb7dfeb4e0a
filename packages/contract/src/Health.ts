import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const Status = Schema.Struct({ status: Schema.String }).annotate({ identifier: "Health" })

/** Upstream state stands in the body alone; the customer plane has no component map. */
export const Readiness = Schema.Struct({
  status: Schema.Literals(["ready", "degraded"]),
  components: Schema.optionalKey(Schema.Record(Schema.String, Schema.Literals(["ok", "unreachable"])))
}).annotate({ identifier: "Readiness" })
export type Readiness = typeof Readiness.Type

/** No authentication. Always 200 while the process can serve. */
export class Health extends HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("health", "/health", { success: Status }),
  HttpApiEndpoint.get("live", "/health/live", { success: Status }),
  HttpApiEndpoint.get("ready", "/health/ready", { success: Readiness })
) {}
