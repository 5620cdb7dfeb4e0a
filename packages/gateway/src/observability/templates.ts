import { HttpApi, type HttpApiGroup } from "effect/http-api"

interface Branch {
  readonly words: Map<string, Branch>
  /** Where any segment goes on. */
  parameter?: Branch
  /** What ends here. */
  route?: string
  /** What takes whatever else comes. */
  rest?: string
}

const branch = (): Branch => ({ words: new Map() })

/** Paths that are no endpoints, and are there all the same. */
const others = ["/docs", "/openapi.json", "/metrics"]

/**
 * Finds the declared path of an endpoint for a path: `/v1/credentials/:credential_id`.
 * Undefined when there is none. It costs a look-up a segment, however many
 * endpoints there are.
 */
export const templatesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ((path: string) => string | undefined) => {
  const root = branch()
  const grow = (path: string) => {
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
  for (const path of others) grow(path)
  HttpApi.reflect(api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => grow(endpoint.path) })
  return (path) => find(root, path.split("/"), 1)
}

const find = (at: Branch, segments: ReadonlyArray<string>, place: number): string | undefined => {
  const segment = segments[place]
  if (segment === undefined) return at.route
  const word = at.words.get(segment)
  const found = word === undefined ? undefined : find(word, segments, place + 1)
  if (found !== undefined) return found
  const anything = at.parameter === undefined || segment === "" ? undefined : find(at.parameter, segments, place + 1)
  return anything ?? at.rest
}
