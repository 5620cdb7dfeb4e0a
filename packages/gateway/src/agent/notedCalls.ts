import { nameOf } from "@portico/agent/tools/operations"
import { Api, type ApiRequest } from "@portico/agent/Api"
import { CustomerApi } from "@portico/contract/Api"
import { Context, Effect, Layer } from "effect"
import { routesOf } from "../audit/routes.ts"
import { proxyRoute } from "../proxy/proxyRoute.ts"
import { endpointsOf } from "../requests/endpoints.ts"
import { pathOf, type RecordedRoute } from "../requests/route.ts"

/** The API operation behind a tool call, as its record names it. */
export interface CalledOperation extends RecordedRoute {
  /** Null without an operation. */
  readonly method: string | null
}

/** The API calls that a tool call has made so far. */
export class NotedCalls {
  #called: ApiRequest | undefined

  /** Notes a call. A tool may read before it writes; the first write then replaces the read. */
  note(request: ApiRequest): void {
    if (this.#called === undefined || this.#called.method === "GET") this.#called = request
  }

  /**
   * The call for the record of the tool call.
   *
   * @param writes whether the tool changes something. A read is then not returned, because the tool did not act yet
   */
  called(writes: boolean): ApiRequest | undefined {
    return writes && this.#called?.method === "GET" ? undefined : this.#called
  }
}

/** The API calls of the current tool call. */
export const CurrentNotedCalls = Context.Reference<NotedCalls | undefined>("portico/gateway/CurrentNotedCalls", {
  defaultValue: () => undefined
})

/** The API, with each call noted for the record of the tool call that makes it. */
export const NotedApi = Layer.effect(
  Api,
  Effect.map(Api, (api) =>
    Api.of({
      call: (agent, request) =>
        Effect.flatMap(CurrentNotedCalls, (noted) => {
          noted?.note(request)
          return api.call(agent, request)
        })
    })
  )
)

const none: CalledOperation = { method: null, route: null, resources: [] }

/**
 * Returns the operation behind a tool call. It comes from the API call that the tool made, or before any call, from the
 * tool's name and without ids.
 */
export const operationTeller = () => {
  const routeOf = routesOf(CustomerApi)
  const byTool = new Map<string, CalledOperation>(
    endpointsOf(CustomerApi).map(({ endpoint: { identifier, method, path: route }, group }) => [
      nameOf(`${group}.${identifier}`),
      { method, route, resources: [] }
    ])
  )
  return (tool: string, called: ApiRequest | undefined): CalledOperation => {
    if (called === undefined) return byTool.get(tool) ?? none
    const path = pathOf(called.path)
    const proxied = proxyRoute(path)
    return { method: called.method, ...(proxied.route === null ? routeOf(called.method, path) : proxied) }
  }
}
