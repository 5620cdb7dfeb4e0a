import { assert } from "@effect/vitest"
import { lifecycleTopic } from "@portico/contract/Events"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { reconcilePurges } from "@portico/domain/projects/purge"
import { removeProject } from "@portico/domain/projects/remove"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud, type State } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Purges } from "@portico/store/Purges"
import { Effect } from "effect"
import { administrator, ownerOf, refused } from "@portico/testing/tenants/caller"
import { inTime, pass } from "@portico/testing/clock"
import { filled, neighbour, withOwner } from "./estate.ts"
import { quotasOf } from "@portico/testing/tenants/whole"
import { serviceQuotas } from "@portico/contract/Tiers"

/** What exists in the cloud. Nova keeps the history of servers that are gone, and nobody can remove it. */
export const cloudState = Effect.map(
  Effect.flatMap(SimulatedCloud, (_) => _.state),
  (state): State => Object.fromEntries(Object.entries(state).filter(([kind]) => kind !== "nova.instance_actions"))
)

/** A tenant with one of everything beside another, and what the cloud was without it. */
export const acmeBesideGlobex = Effect.gen(function* () {
  const globex = yield* neighbour()
  const without = yield* cloudState
  const { caller, credentialId, tenant, token } = yield* ownerOf("standard")
  yield* filled(tenant.projectId)
  const owner = yield* withOwner(tenant.projectId)
  const minted = yield* inTime(mint(caller, tenant, { kind: "api-key", tier: 1, label: "ci" }))
  const dead = yield* inTime(mint(caller, tenant, { kind: "mcp", tier: 0, label: "old" }))
  yield* inTime(revoke(caller, dead.credential_id))
  return {
    globex,
    without,
    owner,
    token,
    pat: minted.pat,
    projectId: tenant.projectId,
    live: [credentialId, minted.credential_id],
    dead: dead.credential_id
  }
})
export type Acme = Effect.Success<typeof acmeBesideGlobex>

/** The deletion is asked for, and nothing of it is done yet. */
export const condemned = Effect.fnUntraced(function* (projectId: string, confirm = "acme-gmbh") {
  return yield* inTime(removeProject(administrator, { projectId, confirm, requestId: "request-1" }))
})

/** Goes on as the replicas do, until the deletion is over, one way or the other. */
export const carriedOut = Effect.fnUntraced(function* (projectId: string) {
  for (let round = 0; round < 60; round++) {
    yield* inTime(reconcilePurges, "2 seconds")
    const entry = yield* (yield* Purges).find(projectId)
    if (entry === undefined || entry.lease_ends === null) return entry
    yield* pass(60)
  }
  return yield* Effect.die("the deletion does not end")
})

const billed = ["floating_ip.delete", "load_balancer.delete", "server.delete", "volume.delete", "volume.delete"]

/** Nothing is left of it, in the cloud and in the tables, but what tells that it was. */
export const gone = Effect.fnUntraced(function* (acme: Acme, because: string) {
  assert.deepStrictEqual(yield* cloudState, acme.without, because)
  const { accounts, credentials, events, purges, tenants } = yield* Memory
  // The ledger hears of each thing that was billed, once, however often it was tried.
  const told = [...events.values()].map((_) => _.envelope)
  const kinds = told.filter((_) => _["topic"] === lifecycleTopic).map((_) => _["kind"])
  assert.deepStrictEqual(kinds.toSorted(), billed, because)
  assert.deepStrictEqual([...tenants.keys()], [acme.globex], because)
  assert.strictEqual(purges.size, 0, because)
  const rows = [...credentials.values()].filter((_) => _.project_id === acme.projectId)
  assert.deepStrictEqual(
    rows.map((_) => [_.kind === "member", _.state, _.held.length]),
    [...acme.live, acme.dead].map(() => [false, "revoked", 0]),
    because
  )
  // Whoever watches credentials hears that each of them has ended, once.
  const ended = told.filter((_) => _["kind"] === "credential.revoked").map((_) => _["key"])
  assert.deepStrictEqual(ended.toSorted(), rows.map((_) => _.credential_id).toSorted(), because)
  assert.deepStrictEqual(
    [...accounts.values()].map((_) => _.state),
    ["open", "destroyed"],
    because
  )
  assert.strictEqual(yield* refused(acme.pat), "Unauthorized: Credential has been revoked", because)
})

/** It came to nothing: what every tenant has is there, once, and the credentials work. */
export const liveAgain = Effect.fnUntraced(function* ({ live, pat, projectId }: Acme, because: string) {
  const { world } = yield* SimulatedCloud
  const { credentials, tenants } = yield* Memory
  assert.deepStrictEqual(tenants.get(projectId)?.closing, [], because)
  for (const id of live) assert.deepInclude(credentials.get(id), { state: "active", held: [] }, because)
  assert.strictEqual(yield* refused(pat), "accepted", because)
  assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas("standard"), because)

  const { networks, ports, routers, subnets } = world.neutron
  const named = <T extends { readonly name: string; readonly project_id: string }>(
    things: Record<string, T>,
    name: string
  ) => Object.values(things).filter((_) => _.project_id === projectId && _.name === name)
  const [network, ...moreNetworks] = named(networks, "acme-gmbh-net")
  const [subnet, ...moreSubnets] = named(subnets, "acme-gmbh-subnet")
  const [router, ...moreRouters] = named(routers, "acme-gmbh-router")
  assert.deepStrictEqual([moreNetworks, moreSubnets, moreRouters], [[], [], []], because)
  assert.strictEqual(subnet?.network_id, network?.id, because)
  assert.deepInclude(router?.gateway, { network_id: fixtures.externalNetworkId, enable_snat: true }, because)
  const interfaces = Object.values(ports).filter(
    (_) => _.device_id === router?.id && _.device_owner === "network:router_interface" && _.network_id === network?.id
  )
  assert.lengthOf(interfaces, 1, because)
  assert.isDefined(
    Object.values(world.keystone.users).find((_) => _.name === `gw-${projectId}`),
    because
  )
  const admin = world.keystone.grants.filter((_) => _.projectId === projectId && _.roleId === fixtures.roles.admin)
  assert.deepStrictEqual(admin, [], because)
})
