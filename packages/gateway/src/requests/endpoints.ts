import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"

/** An endpoint as its API declares it. */
export interface DeclaredEndpoint {
  readonly group: string
  readonly endpoint: HttpApiEndpoint.Top
  /** The keys of its middleware. */
  readonly middleware: ReadonlySet<string>
}

const known = new WeakMap<object, ReadonlyArray<DeclaredEndpoint>>()

/** The endpoints of an API. An API is walked once, because that builds the schemas of every answer. */
export const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<DeclaredEndpoint> => {
  const before = known.get(api)
  if (before !== undefined) return before
  const found: Array<DeclaredEndpoint> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) => {
      found.push({ group: group.identifier, endpoint, middleware: new Set([...middleware].map((_) => _.key)) })
    }
  })
  known.set(api, found)
  return found
}
