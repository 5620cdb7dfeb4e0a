import { DateTime, Effect } from "effect"
import { hostname } from "node:os"
import { resolve } from "node:path"
import { CliFailure } from "../CliFailure.ts"
import { agentAddressOf } from "../mcp/agentAddress.ts"
import { harmless } from "../output/sanitize.ts"
import { localTime } from "../output/localTime.ts"
import { sentence } from "../output/sentence.ts"
import type { Portico } from "../Portico.ts"
import { Screen } from "../Screen.ts"
import { Session } from "../Session.ts"
import type { AgentEntry, Profile } from "../session/Profile.ts"
import { addProfile, dropProfile, readProfiles } from "../session/profiles.ts"
import { keepTokens, type Kept, lockedTokens, readTokens, removeTokens, writeTokens } from "../session/tokens.ts"
import { checkSecrecy } from "../setup/files.ts"
import { follow } from "../setup/Plan.ts"
import { ownCommand, variable } from "../setup/surroundings.ts"
import { type ClientName, clients, type Fields, type Server } from "./clients.ts"
import { backUp, type Configuration, foreignRefusal, isOurs, readConfiguration, withEntry } from "./configuration.ts"
import { mint, revoke, type WantedCredential } from "./credential.ts"

export interface Wanted extends Omit<WantedCredential, "label"> {
  readonly client: ClientName
  readonly label: string | undefined
  /** Of the entry. */
  readonly name: string
  readonly areas: string | undefined
  readonly agentUrl: string | undefined
  readonly remote: boolean
  readonly withToken: boolean
  readonly file: string | undefined
  readonly absolute: boolean
  readonly force: boolean
  readonly dryRun: boolean
}

const usage = (message: string, hint?: string) => new CliFailure({ exit: "usage", message, hint })

/** The profile of an agent: one for each entry of a client. */
export const profileNameOf = ({ client, name }: Pick<Wanted, "client" | "name">): string =>
  name === "portico" ? `agent-${client}` : `agent-${client}-${name}`

const checkName = (name: string) =>
  /^[a-z0-9][a-z0-9-]{0,39}$/i.test(name)
    ? Effect.void
    : usage(`'${name}' is no name for a server: letters, digits and '-', at most 40`)

/** What this program needs of its environment, of which clients pass on little. */
const environment = Effect.gen(function* () {
  const names = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "NODE_EXTRA_CA_CERTS"]
  const values = yield* Effect.forEach(names, (name) => Effect.map(variable(name), (_) => [name, _] as const))
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
})

/** The gateway of a person. An agent connects no agents. */
const personOf = Effect.gen(function* () {
  const session = yield* Session
  const profile = yield* session.profile
  if (profile?.agent !== undefined) {
    return yield* usage(`'${profile.name}' is the profile of an agent`, "Name the profile of a person with --profile")
  }
  return { portico: yield* session.connect, profile }
})

/** What the client starts, or where it goes; `token` is in the entry where that is asked for. */
const serverOf = Effect.fnUntraced(function* (wanted: Wanted, agentUrl: string, token: string | undefined) {
  if (wanted.remote) {
    return {
      kind: "remote",
      url: agentUrl,
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` }
    } satisfies Server
  }
  const [command = "portico", ...before] = yield* ownCommand(
    wanted.absolute || clients[wanted.client].lacksPath === true
  )
  const areas = wanted.areas === undefined ? [] : ["--areas", wanted.areas]
  return {
    kind: "local",
    command,
    args: [...before, "mcp", "--profile", profileNameOf(wanted), ...areas],
    env: yield* environment
  } satisfies Server
})

const fieldsOf = Effect.fnUntraced(function* (wanted: Wanted, agentUrl: string, token: string | undefined) {
  const client = clients[wanted.client]
  const fields = client.entry(yield* serverOf(wanted, agentUrl, token))
  return fields ?? (yield* usage(`${client.title} takes remote servers in its settings alone`, "Leave --remote out"))
})

/** The file of the client, and whether its entry may be written. */
const configurationOf = Effect.fnUntraced(function* (wanted: Wanted, agentUrl: string) {
  const client = clients[wanted.client]
  const path = wanted.file === undefined ? yield* client.file : resolve(wanted.file)
  if (path === undefined) return undefined
  const configuration = yield* readConfiguration(client, path, wanted.name)
  const { found } = configuration
  const isFree = found === undefined || isOurs(found.value, profileNameOf(wanted), agentUrl)
  return isFree || wanted.force ? configuration : yield* foreignRefusal(configuration)
})

const plan = Effect.fnUntraced(function* (configuration: Configuration, fields: Fields, isSecret: boolean) {
  return { changes: [{ ...(yield* withEntry(configuration, fields)), isSecret }], hints: [] }
})

const printed = Effect.fnUntraced(function* ({ client, name }: Wanted, fields: Fields) {
  const { print } = yield* Screen
  yield* print(JSON.stringify({ [clients[client].key]: { [name]: fields } }, undefined, 2))
})

/** Writes the entry, with what the file said before beside it; or prints it. */
const written = Effect.fnUntraced(function* (
  wanted: Wanted,
  configuration: Configuration | undefined,
  fields: Fields,
  isSecret: boolean
) {
  if (configuration === undefined) return yield* printed(wanted, fields)
  const planned = yield* plan(configuration, fields, isSecret)
  yield* Effect.forEach(planned.changes, checkSecrecy, { discard: true })
  yield* Effect.forEach(planned.changes, backUp, { discard: true })
  yield* follow(Effect.succeed(planned), { dryRun: false, print: false })
})

interface Previous {
  readonly profile: Profile
  readonly tokens: Kept | undefined
}

/** The agent that the entry has had until now. */
const previousOf = Effect.fnUntraced(function* (wanted: Wanted, url: string) {
  const name = profileNameOf(wanted)
  const profile = (yield* readProfiles).all.find((_) => _.name === name)
  if (profile === undefined) return undefined
  if (profile.agent === undefined || (profile.url !== url && !wanted.force)) {
    return yield* new CliFailure({
      exit: "refused",
      message: `The profile '${name}' is ${profile.agent === undefined ? "no agent's" : `that of an agent at ${profile.url}`}`,
      hint: "Take another name with --name"
    })
  }
  const tokens = yield* Effect.orElseSucceed(readTokens(profile), () => undefined)
  return { profile, tokens } satisfies Previous
})

const kept = Effect.fnUntraced(function* (
  wanted: Wanted,
  url: string,
  person: Profile | undefined,
  agent: AgentEntry,
  pat: string
) {
  const caFile = person?.ca_file ?? (yield* variable("PORTICO_CA_FILE"))
  const entry = {
    name: profileNameOf(wanted),
    url,
    plane: "customer",
    method: "pat",
    agent,
    ...(wanted.agentUrl === undefined ? {} : { agent_url: wanted.agentUrl }),
    ...(caFile === undefined ? {} : { ca_file: resolve(caFile) }),
    ...(person?.insecure === true ? { insecure: true } : {})
  } satisfies Omit<Profile, "store">
  const expires_at = DateTime.toEpochMillis(DateTime.makeUnsafe(agent.expires_at))
  // What the client has in its own file is not kept a second time.
  const tokens: Kept = wanted.remote ? {} : { access_token: pat, expires_at }
  yield* lockedTokens(entry)(
    Effect.gen(function* () {
      const profile: Profile = { ...entry, store: yield* keepTokens(entry, tokens) }
      yield* addProfile(profile)
    })
  ).pipe(Effect.catchTag("StoreProblem", ({ message }) => Effect.fail(usage(`The token cannot be kept: ${message}`))))
})

/** As it was before, after a failure. */
const restored = (wanted: Wanted, url: string, previous: Previous | undefined) => {
  const name = profileNameOf(wanted)
  if (previous === undefined) {
    const remove = (store: Profile["store"]) => Effect.ignore(removeTokens({ name, url, store }))
    return Effect.all([remove("file"), remove("keyring"), Effect.ignore(dropProfile(name))], { discard: true })
  }
  const { profile, tokens } = previous
  const back = tokens === undefined ? removeTokens(profile) : writeTokens(profile, tokens)
  return Effect.andThen(Effect.ignore(back), Effect.ignore(addProfile(profile)))
}

const ended = Effect.fnUntraced(function* (portico: Portico, { agent }: Profile) {
  const { note } = yield* Screen
  if (agent === undefined) return
  yield* revoke(portico, agent.credential_id).pipe(
    Effect.andThen(note(`The earlier credential (${agent.credential_id}) is revoked.`)),
    Effect.catch(({ detail }) =>
      note(
        `The earlier credential (${agent.credential_id}) works until ${localTime(agent.expires_at)}, because it could not be revoked: ${sentence(harmless(detail))}`
      )
    )
  )
})

/** Gives an agent a credential, and its client the entry that uses it. */
export const connect = Effect.fnUntraced(function* (wanted: Wanted) {
  const { note } = yield* Screen
  yield* checkName(wanted.name)
  const client = clients[wanted.client]
  if (wanted.withToken && !wanted.remote) return yield* usage("--with-token goes with --remote")
  const { portico, profile } = yield* personOf
  const url = portico.url.replace(/\/+$/, "")
  const agentUrl = yield* agentAddressOf(url, profile, wanted)
  const configuration = yield* configurationOf(wanted, agentUrl)
  const mints = !wanted.remote || wanted.withToken
  const placeholder = yield* fieldsOf(wanted, agentUrl, wanted.withToken ? "***" : undefined)
  if (wanted.dryRun) {
    if (configuration === undefined) return yield* printed(wanted, placeholder)
    return yield* follow(plan(configuration, placeholder, wanted.withToken), { dryRun: true, print: false })
  }
  if (!mints) {
    yield* written(wanted, configuration, placeholder, false)
    return yield* note(sentence(`${client.title} asks you to log in when it first goes there. ${client.next}`))
  }
  const previous = yield* previousOf(wanted, url)
  const label = wanted.label ?? `${client.title} on ${hostname()}`.slice(0, 100)
  const minted = yield* mint(portico, { ...wanted, label })
  const { expires_at, pat } = minted
  if (expires_at === null || pat === null) {
    return yield* new CliFailure({
      exit: "platform",
      message: "The gateway minted a credential without a token or an end"
    })
  }
  const agent: AgentEntry = {
    client: wanted.client,
    credential_id: minted.credential_id,
    tier: wanted.tier,
    expires_at
  }
  yield* Effect.gen(function* () {
    yield* kept(wanted, url, profile, agent, pat)
    const fields = yield* fieldsOf(wanted, agentUrl, wanted.withToken ? pat : undefined)
    yield* written(wanted, configuration, fields, wanted.withToken)
  }).pipe(
    Effect.onError(() =>
      Effect.andThen(restored(wanted, url, previous), Effect.ignore(revoke(portico, minted.credential_id)))
    )
  )
  const may = wanted.tier === 0 ? "reads" : "reads and writes"
  const verb = previous === undefined ? "Connected" : "Renewed"
  yield* note(
    `${verb}: '${label}' ${may} until ${localTime(agent.expires_at)} (${agent.credential_id}). 'portico agents connect ${wanted.client}' renews it.`
  )
  if (previous !== undefined) yield* ended(portico, previous.profile)
  yield* note(sentence(client.next))
})
