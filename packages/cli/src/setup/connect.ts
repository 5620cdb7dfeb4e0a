import { Effect } from "effect"
import { isAbsolute, resolve } from "node:path"
import { CliFailure } from "../CliFailure.ts"
import { Session } from "../Session.ts"
import { ownCommand } from "./surroundings.ts"
import type { Target } from "./Target.ts"

export interface Reached {
  readonly absolute: boolean
  readonly caFile: string | undefined
}

/** The gateway of the profile, as the configuration of a client names it. */
export const targetOf = Effect.fnUntraced(function* ({ absolute, caFile }: Reached) {
  const session = yield* Session
  const { url } = yield* session.connect
  const profile = yield* session.profile
  const authorities = caFile ?? profile?.ca_file
  return {
    url: url.replace(/\/+$/, ""),
    profile: profile?.name,
    source: profile === undefined ? url.replace(/\/+$/, "") : `profile ${profile.name}`,
    command: yield* ownCommand(absolute),
    caFile: authorities === undefined || isAbsolute(authorities) ? authorities : resolve(authorities)
  } satisfies Target
})

/** Where S3 clients reach the object gateway: the answer names it without a secret. */
export const endpointOf = Effect.fnUntraced(function* (given: string | undefined) {
  const { use } = yield* (yield* Session).connect
  const endpoint = given ?? (yield* use((_, signal) => _.objectStorage.listBuckets({}, { signal }))).endpoint
  // The address as it was parsed: a line break within it would be a setting of its own, such as a command to run.
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, "")
  return yield* new CliFailure({ exit: "usage", message: `'${endpoint}' is not the address of an object gateway` })
})
