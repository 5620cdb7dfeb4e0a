import { Effect } from "effect"
import { resolve } from "node:path"
import { CliFailure } from "../CliFailure.ts"
import { localTime } from "../output/localTime.ts"
import { Screen } from "../Screen.ts"
import { Session } from "../Session.ts"
import type { Profile } from "../session/Profile.ts"
import { dropProfile, readProfiles } from "../session/profiles.ts"
import { lockedTokens, removeTokens } from "../session/tokens.ts"
import { follow } from "../setup/Plan.ts"
import { type ClientName, clients } from "./clients.ts"
import { backUp, foreignRefusal, isOurs, readConfiguration, withoutEntry } from "./configuration.ts"
import { profileNameOf } from "./connect.ts"
import { revoke } from "./credential.ts"

export interface Wanted {
  readonly client: ClientName
  readonly name: string
  readonly file: string | undefined
  readonly agentUrl: string | undefined
  readonly force: boolean
  readonly dryRun: boolean
}

/** Removes the entry of the client; true when there was one. */
const unwritten = Effect.fnUntraced(function* (wanted: Wanted) {
  const client = clients[wanted.client]
  const path = wanted.file === undefined ? yield* client.file : resolve(wanted.file)
  if (path === undefined) return false
  const configuration = yield* readConfiguration(client, path, wanted.name)
  const { found } = configuration
  if (found === undefined) return false
  const profile = profileNameOf(wanted)
  const isLocal = isOurs(found.value, profile, undefined)
  if (!isLocal && !wanted.force && !isOurs(found.value, profile, yield* agentUrlOf(wanted))) {
    return yield* foreignRefusal(configuration)
  }
  const change = yield* withoutEntry(configuration)
  if (!wanted.dryRun) yield* backUp(change)
  yield* follow(Effect.succeed({ changes: [change], hints: [] }), { dryRun: wanted.dryRun, print: false })
  return true
})

/** A remote entry is known by its address. */
const agentUrlOf = Effect.fnUntraced(function* ({ agentUrl }: Wanted) {
  const session = yield* Session
  const { url } = yield* session.connect
  const { agentAddressOf } = yield* Effect.promise(() => import("../mcp/agentAddress.ts"))
  const wanted = { agentUrl, areas: undefined }
  return yield* Effect.orElseSucceed(agentAddressOf(url, yield* session.profile, wanted), () => undefined)
})

/** Ends the credential at the gateway that gave it. */
const revoked = Effect.fnUntraced(function* ({ agent, url }: Profile) {
  if (agent === undefined) return
  const { note } = yield* Screen
  const gateway = yield* (yield* Session).connect
  const still = `The credential ${agent.credential_id} works until ${localTime(agent.expires_at)}`
  const hint = `End it with 'portico credentials revoke ${agent.credential_id}'`
  if (gateway.url.replace(/\/+$/, "") !== url) {
    return yield* new CliFailure({ exit: "refused", message: `${still}: it is of ${url}`, hint })
  }
  yield* revoke(gateway, agent.credential_id).pipe(
    Effect.tapError(() => note(`${still}, because it could not be revoked. ${hint}.`))
  )
  yield* note(`The credential ${agent.credential_id} is revoked.`)
})

/** Takes the entry out of the client's file, the token out of this machine, and the credential out of the world. */
export const disconnect = Effect.fnUntraced(function* (wanted: Wanted) {
  const { note } = yield* Screen
  const name = profileNameOf(wanted)
  const profile = (yield* readProfiles).all.find((_) => _.name === name && _.agent !== undefined)
  const hadEntry = yield* unwritten(wanted)
  if (profile === undefined && !hadEntry) {
    return yield* new CliFailure({
      exit: "notFound",
      message: `${clients[wanted.client].title} has no agent by the name '${wanted.name}'`,
      hint: "'portico agents list' shows those that there are"
    })
  }
  if (profile === undefined) return
  if (wanted.dryRun) return yield* note(`The credential ${profile.agent?.credential_id} would be revoked.`)
  yield* lockedTokens(profile)(removeTokens(profile)).pipe(
    Effect.catchTag("StoreProblem", ({ message }) => note(`The token could not be removed: ${message}.`))
  )
  yield* revoked(profile)
  yield* dropProfile(name)
})
