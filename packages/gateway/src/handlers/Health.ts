import { apiOf } from "@portico/contract/Api"
import { Health } from "@portico/contract/Health"
import { type Plane, readiness } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

const ok = Effect.succeed({ status: "ok" })

export const HealthHandlers = (plane: Plane) =>
  HttpApiBuilder.group(apiOf(Health), "health", (handlers) =>
    handlers.handleAll(exact(handlers, { health: () => ok, live: () => ok, ready: () => readiness(plane) }))
  )
