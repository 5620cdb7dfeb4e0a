import { HttpApi, type HttpApiGroup } from "effect/http-api"

interface Branch {
  readonly words: Map<string, Branch>
  /** The branch for any segment. */
  parameter?: Branch
  /** The path that ends here. */
  route?: string
  /** The path that matches any rest. */
  rest?: string
}

const branch = (): Branch => ({ words: new Map() })

/** Paths outside the API that exist on a plane. */
const others = ["/docs", "/openapi.json", "/metrics"]

/**
 * Finds the declared path of an endpoint for a path: `/v1/credentials/:credential_id`. Undefined when there is none.
 * The cost is one look-up a segment, independent of the number of endpoints.
 */
export const templatesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ((path: string) => string | undefined) => {
  const root = branch()
  const add = (path: string) => {
    let at = root
    for (const segment of path.split("/").slice(1)) {
      if (segment === "*") return void (at.rest = path)
      if (segment.startsWith(":")) at = at.parameter ??= branch()
      else {
        const next = at.words.get(segment) ?? branch()
        at.words.set(segment, next)
        at = next
      }
    }
    at.route = path
  }
  for (const path of others) add(path)
  HttpApi.reflect(api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => add(endpoint.path) })
  return (path) => find(root, path.split("/"), 1)
}

const find = (at: Branch, segments: ReadonlyArray<string>, index: number): string | undefined => {
  const segment = segments[index]
  if (segment === undefined) return at.route
  const word = at.words.get(segment)
  const found = word === undefined ? undefined : find(word, segments, index + 1)
  if (found !== undefined) return found
  const byParameter = at.parameter === undefined || segment === "" ? undefined : find(at.parameter, segments, index + 1)
  return byParameter ?? at.rest
}
