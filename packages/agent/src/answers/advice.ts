import { failureTable } from "@portico/contract/Failures"
import { exampleOf } from "@portico/contract/failures/constructors"
import { knownOperations } from "./operations.ts"

/** The name of the tool of an operation, or undefined when no agent can call it. */
export type ToolOf = (operation: string) => string | undefined

export interface Advice {
  readonly status: number
  /** An example of the response's `detail`: a sentence, or a list of errors in the request. */
  readonly meaning: unknown
  readonly cause: string
  readonly fix: string
}

const catalogue = new Map(failureTable.map((_) => [_.code, _]))

/** Every code of the catalogue. */
export const codes: ReadonlyArray<string> = failureTable.map((_) => _.code)

/** Operations by the spelling of the catalogue, such as `GET /v1/credentials`; the longest first. */
const routes = [...knownOperations.values()]
  .filter((_) => !_.path.endsWith("*"))
  .map(({ id, method, path }) => {
    const route = `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`
    return { id, route, pattern: new RegExp(`\`?${route.replaceAll(/[/{}*.]/g, String.raw`\$&`)}(?![\\w/{?])\`?`, "g") }
  })
  .toSorted((one, other) => other.route.length - one.route.length)

/** A text of the catalogue with tools in place of their routes. A route without a tool stays, for a person to call. */
export const inTools = (text: string, toolOf: ToolOf): string =>
  routes
    .reduce((written, { id, pattern }) => {
      const tool = toolOf(id)
      return tool === undefined ? written : written.replaceAll(pattern, `the tool \`${tool}\``)
    }, text)
    .replaceAll(/\bGET \/v1\/iaas\/([a-z-]+)\/([\w/-]+)(?![\w/{?])/g, (route, service: string, path: string) => {
      const tool = toolOf(`read:${service}`)
      return tool === undefined ? route : `the tool \`${tool}\` with path ${path}`
    })
    .replaceAll(/\bunder (?=the tool `)/g, "with ")
    .replaceAll(/^the tool/g, "The tool")

/** What the catalogue says about a code; undefined for a code that it does not have. */
export const adviceOf = (code: string, toolOf: ToolOf): Advice | undefined => {
  const found = catalogue.get(code)
  return found === undefined
    ? undefined
    : {
        status: found.status,
        meaning: exampleOf(found).detail,
        cause: inTools(found.cause, toolOf),
        fix: inTools(found.fix, toolOf)
      }
}
