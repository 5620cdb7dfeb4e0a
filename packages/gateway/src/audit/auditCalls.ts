import { Audit, isAudited } from "@portico/domain/audit/Audit"
import { Effect, Exit } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { RequestId } from "../requests/RequestId.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"
import { isConsole } from "../requests/consolePaths.ts"
import { parametersOf, pathOf } from "../requests/route.ts"
import { routesOf } from "./routes.ts"
import { CurrentAuditDraft, AuditDraft } from "./AuditDraft.ts"

/**
 * Records every mutating call to a plane's router when it ends, including calls that were rejected, that matched no
 * route, or that ended in a bug. It records a read only when the endpoint declares that it answers a secret. The
 * router names the endpoint, because it accepts several spellings of a path. The console's sessions are no calls of
 * the API: the identity provider records logins.
 */
export const auditCalls = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) =>
  Effect.gen(function* () {
    const audit = yield* Audit
    const sources = yield* SourceAddresses
    const routeOf = routesOf(api)

    return <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const draft = new AuditDraft()
        return httpEffect.pipe(
          Effect.provideService(CurrentAuditDraft, draft),
          Effect.onExit((exit) => {
            if (isConsole(pathOf(request.url)) || (!isAudited(request.method) && !draft.auditedRead)) return Effect.void
            const { resources, route } = routeOf(request.method, pathOf(request.url))
            return Effect.flatMap(RequestId, (request_id) =>
              audit.record({
                method: request.method,
                route: draft.route ?? route,
                resources: [...resources, ...draft.resources],
                // No status when the client disconnects: it receives no answer, and the operation may still go on.
                status: Exit.isSuccess(exit) ? exit.value.status : null,
                parameters: parametersOf(request.url),
                fields: draft.fields,
                caller: draft.caller,
                source: sources.of(arrivalOf(request)) ?? null,
                request_id
              })
            )
          })
        )
      })
  })
