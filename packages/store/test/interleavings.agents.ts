import { Duration, Effect } from "effect"
import { AgentSettings, deactivationLease } from "../src/AgentSettings.ts"
import { Credentials, type NewCredential } from "../src/Credentials.ts"
import { Holds } from "../src/Holds.ts"
import { ProjectRecords } from "../src/ProjectRecords.ts"
import { Rotations } from "../src/Rotations.ts"
import { Tenants } from "../src/Tenants.ts"
import { pass } from "@portico/testing/store/Aging"
import { credential, successor } from "./credential.ts"
import { type Act, scenario } from "./interleavings.ts"

const projectId = "project-1"
const tables = ["agent_settings", "credentials", "tenants", "record_counts"]

const tenant = Effect.flatMap(Tenants, (_) =>
  _.insert({ project_id: projectId, slug: "acme", name: "Acme", tier: "discovery", stamp: "stamp" })
)
const agents = <A>(use: (settings: AgentSettings["Service"]) => Effect.Effect<A>) => Effect.flatMap(AgentSettings, use)
const credentials = <A>(use: (credentials: Credentials["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(Credentials, use)
const agent = (id: string, change: Partial<NewCredential> = {}) => credential(id, { kind: "mcp", ...change })
const inserted = (id: string, change: Partial<NewCredential> = {}) =>
  Effect.andThen(
    tenant,
    credentials((_) => _.insert(agent(id, change)))
  )

const end = (by: string) => agents((_) => _.end(projectId, { by, confirm: ["billed"] }))
const settings = { project_id: projectId, enabled: false, confirm: ["writes"], updated_by: "admin" }
const replacing = successor("new", "old", { project_id: projectId, kind: "mcp" })

const acts: Readonly<Record<string, () => Act>> = {
  "AgentSettings.end": () => end("owner"),
  "AgentSettings.end by another owner": () => end("co-owner"),
  "AgentSettings.put": () => agents((_) => _.put(settings)),
  "AgentSettings.claimDeactivations": () => agents((_) => _.claimDeactivations),
  "AgentSettings.deactivated": () => agents((_) => _.deactivated("old")),
  "Credentials.revoke": () => credentials((_) => _.revoke("old")),
  "Credentials.activate": () => credentials((_) => _.activate("old", "pat-old")),
  "Credentials.insertWithin": () => credentials((_) => _.insertWithin(agent("more", { made_by: "old" }), 20)),
  "Credentials.remove": () => credentials((_) => _.remove("old")),
  "Rotations.begin": () => Effect.flatMap(Rotations, (_) => _.begin(replacing)),
  "Rotations.complete": () => Effect.flatMap(Rotations, (_) => _.complete("new", "pat-new", Duration.zero)),
  "Holds.hold": () => Effect.flatMap(Holds, (_) => _.hold(projectId, "account_closure")),
  "Holds.release": () => Effect.flatMap(Holds, (_) => _.release(projectId, "account_closure")),
  "ProjectRecords.end": () => Effect.flatMap(ProjectRecords, (_) => _.end(projectId))
}

export const agentScenarios = [
  scenario("an agent", { tables, given: inserted("old"), acts }),
  scenario("an agent that is held", {
    tables,
    given: Effect.andThen(
      inserted("old"),
      Effect.flatMap(Holds, (_) => _.hold(projectId, "account_closure"))
    ),
    acts
  }),
  scenario("an agent's mint at work", { tables, given: inserted("old", { state: "minting" }), acts }),
  scenario("an agent's rotation at work", {
    tables,
    given: Effect.andThen(
      inserted("old"),
      Effect.flatMap(Rotations, (_) => _.begin(replacing))
    ),
    acts
  }),
  scenario("an agent that was ended", { tables, given: Effect.andThen(inserted("old"), end("owner")), acts }),
  scenario("an agent that was ended, and whose deactivation was cut short", {
    tables,
    given: Effect.gen(function* () {
      yield* inserted("old")
      yield* end("owner")
      yield* agents((_) => _.claimDeactivations)
      yield* pass(deactivationLease)
    }),
    acts
  })
]
