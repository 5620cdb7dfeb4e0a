import { Config, Effect, Option } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { guarded } from "../session/address.ts"
import { discover } from "../session/discovery.ts"
import type { Profile } from "../session/Profile.ts"

const usage = (message: string, hint?: string) => new CliFailure({ exit: "usage", message, hint })

/** Of the endpoint: an address without a path is that of the plane, whose endpoint is `/mcp`. */
const endpointOf = (given: string): URL | undefined => {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return undefined
  if (url.pathname === "/") url.pathname = "/mcp"
  url.hash = ""
  return url
}

const fromEnvironment = Effect.map(
  Effect.orDie(Config.option(Config.NonEmptyString("PORTICO_AGENT_URL"))),
  Option.getOrUndefined
)

export interface Wanted {
  /** Of a flag. */
  readonly agentUrl: string | undefined
  /** Areas of tools, such as `compute`. */
  readonly areas: string | undefined
}

/** Of the customer plane, which says where agents go. */
const discovered = Effect.fnUntraced(function* (url: string) {
  const found = yield* discover(url)
  if (found?.agentUrl !== undefined) return found.agentUrl
  return yield* usage(
    `The gateway at ${url} does not say where agents go`,
    "Ask your operator for the address of the agent plane, and name it with '--agent-url' or PORTICO_AGENT_URL"
  )
})

/** Where the agent plane of a gateway takes MCP: what a flag, the environment, the profile or the gateway says. */
export const agentAddressOf = Effect.fnUntraced(function* (
  url: string,
  profile: Profile | undefined,
  { agentUrl, areas }: Wanted
) {
  const given = agentUrl ?? (yield* fromEnvironment) ?? profile?.agent_url ?? (yield* discovered(url))
  const endpoint = endpointOf(given)
  if (endpoint === undefined) return yield* usage(`'${given}' is not the address of an agent plane`)
  if (areas !== undefined) endpoint.searchParams.set("areas", areas)
  yield* guarded(endpoint.href, profile?.insecure === true)
  // Commas are readable, and mean the same.
  return endpoint.href.replaceAll("%2C", ",")
})
