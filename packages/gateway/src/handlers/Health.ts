import { OperatorApi } from "@portico/contract/Api"
import { type Plane, readiness } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const ok = Effect.succeed({ status: "ok" })

export const HealthHandlers = (plane: Plane) =>
  HttpApiBuilder.group(OperatorApi, "health", (handlers) =>
    handlers
      .handle("health", () => ok)
      .handle("live", () => ok)
      .handle("ready", () => readiness(plane))
  )
