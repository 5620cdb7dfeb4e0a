import { eventually } from "../../packages/gateway/test/processes/children.ts"
import type { Fault } from "@portico/simulator/Fault"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, Fiber } from "effect"
import { join } from "node:path"
import { directory } from "../../packages/gateway/test/postgres/Postgres.ts"
import { belongingsOf, inLines } from "./reconciliation.ts"
import { type Gateway, listAt, type Stage, stage, textAt } from "./stage.ts"
import { furnish, invite, type Key, mint, must, onboard, type Tenant } from "./tenant.ts"

/** A sentence that has to hold after a restore, and whether it does. */
export interface Claim {
  readonly holds: boolean
  readonly sentence: string
  readonly seen: string
}

export interface Rehearsed {
  readonly claims: ReadonlyArray<Claim>
  /** What the doctor found before the gateway started, a line each. */
  readonly findings: ReadonlyArray<string>
  /** What one side has and the other does not know, in lines. */
  readonly reconciliation: ReadonlyArray<string>
}

export interface Rehearsing {
  /** Whether `after-restore.sql` runs, as the operators' page says. */
  readonly prepared: boolean
  readonly say: (line: string) => void
}

/** The creation of Hooli's network takes this long, so that the backup catches its onboarding half way. */
const slow: Fault = {
  service: "neutron",
  method: "POST",
  path: "/v2.0/networks",
  when: "before",
  as: { delay_ms: 4000 }
}

/** This volume is not removed, so that the backup catches the destruction of its owner half way. */
const stuck = (volume: string): Fault => ({
  service: "cinder",
  method: "DELETE",
  path: `/v3/*/volumes/${volume}`,
  times: "always",
  when: "before",
  as: { status: 503 }
})

const volumesOf = (on: Stage, { projectId }: Tenant) =>
  Effect.map(on.cloud.state, (state) =>
    listAt(state, "cinder.volumes").filter((_) => JSON.stringify(_).includes(projectId))
  )

interface Before {
  readonly acme: Tenant
  readonly globex: Tenant
  readonly umbrella: Tenant
  readonly hooli: Tenant
  readonly vandelay: Tenant
  readonly kept: Key
  readonly leaver: Key
  /** A member's user id. */
  readonly formerMember: string
}

/**
 * Four tenants with things and keys, one of them closing and one being destroyed, and a fifth that the backup catches
 * half way.
 */
const beforeTheBackup = Effect.fnUntraced(function* (on: Stage, gateway: Gateway, dump: Effect.Effect<unknown>) {
  const url = on.cloud.url
  const acme = yield* onboard(gateway, url, "Acme")
  const globex = yield* onboard(gateway, url, "Globex")
  const umbrella = yield* onboard(gateway, url, "Umbrella")
  const vandelay = yield* onboard(gateway, url, "Vandelay")
  for (const tenant of [acme, globex, umbrella, vandelay]) yield* furnish(gateway, tenant)
  const kept = yield* mint(gateway, acme, "kept", "before-the-backup")
  const leaver = yield* mint(gateway, acme, "leaver")
  const formerMember = yield* invite(gateway, acme, "former@acme.example")
  yield* close(gateway, umbrella, "Umbrella")
  yield* close(gateway, vandelay, "Vandelay")
  const [volume] = yield* volumesOf(on, vandelay)
  yield* on.cloud.fault(stuck(textAt(volume, "id")))
  const reason = { body: { reason: "the contract has ended" } }
  must(yield* gateway.operator("POST", `${yield* accountOf(on, vandelay)}/finalize`, reason), "finalize Vandelay")
  const destroying = Effect.flatMap(on.database.psql("portico", "SELECT reason FROM purges"), (_) =>
    _ === "account_closure" ? Effect.void : Effect.fail("no destruction yet")
  )
  yield* Effect.orDie(eventually(destroying, "20 seconds"))

  yield* on.cloud.fault(slow)
  const onboarding = yield* Effect.forkChild(onboard(gateway, url, "Hooli"))
  const begun = Effect.flatMap(on.database.psql("portico", "SELECT count(*) FROM onboardings"), (_) =>
    _ === "1" ? Effect.void : Effect.fail("no onboarding yet")
  )
  yield* Effect.orDie(eventually(begun, "20 seconds"))
  yield* Effect.sleep("500 millis")
  yield* dump
  const hooli = yield* Fiber.join(onboarding)
  return { acme, globex, umbrella, vandelay, kept, leaver, formerMember, hooli } satisfies Before
})

const close = (gateway: Gateway, { projectId }: Tenant, confirm: string) =>
  Effect.map(gateway.operator("POST", `/v1/account/close?project=${projectId}`, { body: { confirm } }), (_) =>
    must(_, `close ${confirm}`)
  )

/** The path of a tenant's account. */
const accountOf = (on: Stage, { slug }: Tenant) =>
  Effect.map(
    on.database.psql("portico", `SELECT account_n FROM tenants WHERE slug = '${slug}'`),
    (number) => `/v1/tenants/accounts/${number}`
  )

interface After {
  readonly initech: Tenant
  readonly late: Key
  /** A member's user id. */
  readonly lateMember: string
  /** Where a client had read the events to. */
  readonly cursor: string
}

const eventsOf = (gateway: Gateway, token: string, cursor?: string) =>
  gateway.customer("GET", `/v1/events?order=asc&limit=1000${cursor === undefined ? "" : `&cursor=${cursor}`}`, {
    token
  })

const afterTheBackup = Effect.fnUntraced(function* (on: Stage, gateway: Gateway, before: Before) {
  const { acme, formerMember, globex, leaver, umbrella } = before
  const initech = yield* onboard(gateway, on.cloud.url, "Initech")
  yield* furnish(gateway, initech)
  const late = yield* mint(gateway, acme, "late", "after-the-backup")
  const revoked = yield* gateway.customer("DELETE", `/v1/credentials/${leaver.id}`, { token: acme.token })
  must(revoked, "revoke the leaver's key")
  const lateMember = yield* invite(gateway, acme, "late@acme.example")
  must(yield* gateway.operator("DELETE", `/v1/org/users/${formerMember}`), "remove a member")
  must(yield* gateway.operator("POST", `${yield* accountOf(on, umbrella)}/reopen`), "reopen Umbrella")
  must(yield* gateway.operator("DELETE", `/v1/projects/${globex.projectId}?confirm=${globex.slug}`), "delete Globex")
  const gone = Effect.flatMap(gateway.operator("GET", `/v1/projects/${globex.projectId}`), (_) =>
    _.status === 404 ? Effect.void : Effect.fail(_.json)
  )
  yield* Effect.orDie(eventually(gone, "60 seconds"))
  // Enough events that a client's cursor is well beyond what the backup knows.
  for (let nth = 0; nth < 40; nth++) {
    const path = "/v1/iaas/volume/volumes"
    const body = { volume: { name: `disk-${nth}`, size: 1 } }
    if (nth < 20) must(yield* gateway.customer("POST", path, { token: acme.token, body }), path)
    else yield* gateway.customer("POST", "/v1/credentials", { token: acme.token, body: { kind: "none" } })
  }
  const seen = Effect.filterOrFail(eventsOf(gateway, acme.token), (_) => JSON.stringify(_.json).includes(late.id))
  const { json } = yield* Effect.orDie(eventually(seen, "20 seconds"))
  return { initech, late, lateMember, cursor: textAt(json, "last_cursor") } satisfies After
})

/** Lets the leases and windows of the backup pass, as the hours between a backup and its restore do. */
const agedByHours = `
  UPDATE credentials SET created_at = created_at - interval '1 day';
  UPDATE onboardings SET lease_ends = lease_ends - interval '1 day';
  UPDATE credentials SET mint_ends = mint_ends - interval '1 day' WHERE state = 'minting';
  UPDATE accounts SET closes_at = closes_at - interval '60 days', closed_at = closed_at - interval '60 days'
    WHERE state = 'closing'`

const restored = Effect.fnUntraced(function* (on: Stage, file: string, { prepared }: Rehearsing) {
  const { database } = on
  yield* database.psql("postgres", "DROP DATABASE portico WITH (FORCE)")
  yield* database.psql("postgres", "CREATE DATABASE portico")
  yield* on.program("pg_restore", ["--exit-on-error", "--no-owner", "-d", database.url("portico"), file])
  yield* database.psql("portico", agedByHours)
  if (prepared) yield* on.script("after-restore.sql")
})

/** Claims, as they are found. */
const claiming = (say: (line: string) => void) => {
  const claims: Array<Claim> = []
  return {
    claims,
    claim: (sentence: string, wanted: string | number, seen: string | number) => {
      const holds = String(wanted) === String(seen)
      claims.push({ holds, sentence, seen: String(seen) })
      say(holds ? `ok      ${sentence}` : `FAILED  ${sentence}: ${seen} instead of ${wanted}`)
    }
  }
}

const projectsIn = (state: unknown): ReadonlyArray<string> =>
  listAt(state, "keystone.projects").map((_) => textAt(_, "id"))

/** The findings of what the database alone has. */
const ofTheDatabase = /^(?:tenants without|live credentials|members without)/

const yesOrNo = (value: boolean): string => (value ? "yes" : "no")

/**
 * Restores a backup that is older than the newest writes, the way docs/operators/backup.md says, and looks what became
 * of everything: a simulated cloud, a PostgreSQL and gateways as processes of their own.
 */
export const rehearseRestore = Effect.fnUntraced(function* (rehearsing: Rehearsing) {
  const { say } = rehearsing
  const { claim, claims } = claiming(say)
  const on = yield* stage
  const file = join(yield* directory, "portico.dump")

  say("a cloud, a PostgreSQL and a gateway run; tenants come, and the backup is made")
  const first = yield* on.gateway
  const dump = on.program("pg_dump", ["--format=custom", "--file", file, on.database.url("portico")])
  const before = yield* beforeTheBackup(on, first, dump)
  const after = yield* afterTheBackup(on, first, before)
  const { acme, formerMember, globex, hooli, kept, leaver, umbrella, vandelay } = before
  const { cursor, initech, late, lateMember } = after
  say("more was written; now the gateway is killed, the database is lost, and the backup is restored")
  yield* first.kill
  yield* on.cloud.clearFaults
  yield* restored(on, file, rehearsing)

  const found = (yield* on.doctor("--records")).filter((_) => _.check === "records")
  const findings = found.map((_) => `${_.detail}`)
  const finds = (text: string): boolean => findings.some((_) => _.includes(text))
  claim("the doctor names the project that the database does not know", "yes", yesOrNo(finds(initech.projectId)))
  claim("the doctor names the project of the onboarding that was caught half way", "yes", yesOrNo(finds(hooli.slug)))
  claim("the doctor names the tenant whose project is gone", "yes", yesOrNo(finds(globex.projectId)))
  claim("the doctor names the machine user without a credential", "yes", yesOrNo(finds(late.id)))
  claim("the doctor names the credential that was revoked", "yes", yesOrNo(finds(leaver.id)))
  claim("the doctor names the member that was removed", "yes", yesOrNo(finds(formerMember)))
  claim("the doctor names the person without a membership", "yes", yesOrNo(finds(lateMember)))
  claim("the doctor names the bucket without a tenant", "yes", yesOrNo(finds(`${initech.slug}-files; 1 key`)))
  claim("the doctor names the zone without a tenant", "yes", yesOrNo(finds(`${initech.slug}.example. (`)))
  claim("the doctor says nothing of what both know", "no", yesOrNo(finds(acme.projectId) || finds(kept.id)))

  const gateway = yield* on.gateway
  // Several rounds of every job.
  yield* Effect.sleep("4 seconds")
  const state = yield* on.cloud.state
  const projects = projectsIn(state)
  const has = ({ projectId }: Tenant): string => yesOrNo(projects.includes(projectId))
  claim("what was onboarded after the backup is still at the platform", "yes", has(initech))
  claim("what the backup caught half way is still at the platform", "yes", has(hooli))
  claim("the account that was closing, and was reopened, is not destroyed", "yes", has(umbrella))

  claim("the account whose destruction was caught half way keeps its project", "yes", has(vandelay))
  const reopened = yield* gateway.operator("POST", `${yield* accountOf(on, vandelay)}/reopen`)
  claim("it can be reopened", 200, reopened.status)
  // Several rounds of the purges.
  yield* Effect.sleep("3 seconds")
  claim("what it had left stays", 1, (yield* volumesOf(on, vandelay)).length)
  const purge = yield* on.database.psql(
    "portico",
    "SELECT state, lease_ends FROM purges WHERE reason = 'account_closure'"
  )
  claim("its destruction is called off", "cancelled|", purge)

  const status = (token: string) => Effect.map(gateway.customer("GET", "/v1/whoami", { token }), (_) => _.status)
  claim("a key from before the backup works", 200, yield* status(kept.token))
  claim("a key of the account that was reopened works", 200, yield* status(vandelay.token))
  claim("a key that was revoked after the backup does not work", 401, yield* status(leaver.token))
  claim("a key that was minted after the backup does not work", 403, yield* status(late.token))
  claim("the first key of a tenant from after the backup does not work", 403, yield* status(initech.token))

  const again = (key: string, label: string) =>
    gateway.customer("POST", "/v1/credentials", {
      token: acme.token,
      key,
      body: { kind: "api-key", tier: 1, label }
    })
  const replayed = yield* again("before-the-backup", "kept")
  claim(
    "a request under a key from before is answered again",
    "true",
    replayed.headers.get("idempotent-replayed") ?? ""
  )
  const anew = yield* again("after-the-backup", "late")
  claim(
    "a request under a key from after is carried out again",
    "201 null",
    `${anew.status} ${anew.headers.get("idempotent-replayed")}`
  )

  const newKey = textAt(anew.json, "credential_id")
  const news = yield* Effect.option(
    eventually(
      Effect.filterOrFail(eventsOf(gateway, acme.token, cursor), (_) => JSON.stringify(_.json).includes(newKey)),
      "5 seconds"
    )
  )
  claim("a client that reads on behind its old cursor gets the new events", "Some", news._tag)

  say("the operator reconciles, as the page says")
  yield* reconciled(on, gateway, { ...before, ...after })
  const left = (yield* on.doctor("--records")).filter((_) => _.check === "records")
  claim(
    "the doctor finds nothing more to reconcile",
    "ok",
    left.map((_) => `${_.state === "ok" ? "ok" : _.detail}`).join("; ")
  )
  const administrator = yield* invite(gateway, initech, "admin@initech.example")
  const listed = Effect.filterOrFail(gateway.operator("GET", `/v1/org/users?project_id=${initech.projectId}`), (_) =>
    JSON.stringify(_.json).includes(administrator)
  )
  const isThere = yield* Effect.option(eventually(listed, "5 seconds"))
  claim("the adopted tenant has an administrator, who mints its new keys", "Some", isThere._tag)

  const unknown = [initech.projectId, hooli.projectId]
  return {
    claims,
    findings,
    reconciliation: [
      `at the platform, of the projects ${initech.slug} and ${hooli.slug}, which the database did not know`,
      ...inLines(belongingsOf(state, unknown)).map((_) => `  ${_}`),
      `at the identity provider, of keys and people that the database did not know`,
      ...inLines(belongingsOf(state, [late.id])).map((_) => `  ${_}`),
      ...inLines(belongingsOf(state, [lateMember])).map((_) => `  ${_}`),
      `in the database, which the platform did not know`,
      ...findings.filter((_) => ofTheDatabase.test(_)).map((_) => `  ${_}`)
    ]
  } satisfies Rehearsed
})

/** Everything that the doctor named is put right. */
const reconciled = Effect.fnUntraced(function* (on: Stage, gateway: Gateway, known: Before & After) {
  const { acme, formerMember, globex, hooli, initech, late, leaver } = known
  const state = yield* on.cloud.state
  for (const tenant of [initech, hooli]) {
    const project = listAt(state, "keystone.projects").find((_) => textAt(_, "id") === tenant.projectId)
    const tags = listAt(project, "tags").map(String)
    const tag = (prefix: string): string => tags.find((_) => _.startsWith(prefix)) ?? ""
    yield* on.script("adopt-project.sql", {
      project_id: tenant.projectId,
      slug: textAt(project, "name"),
      name: textAt(project, "description"),
      tier: tag("tier:").slice("tier:".length),
      stamp: tag("portico-attempt:")
    })
  }
  yield* on.script("forget-project.sql", { project_id: globex.projectId })
  must(yield* gateway.operator("DELETE", `/v1/credentials/${leaver.id}`), "revoke the leaver's key again")
  must(yield* gateway.operator("DELETE", `/v1/org/users/${formerMember}`), "remove a member again")
  yield* invite(gateway, acme, "late@acme.example")
  for (const id of [late.id, initech.credentialId, hooli.credentialId]) yield* deactivate(on, id)
})

/** As in the console of the identity provider, or by its API. */
const deactivate = (on: Stage, userId: string) =>
  Effect.promise(async () => {
    const { AUTH_URL, ZITADEL_ORG_ID = "", ZITADEL_SERVICE_TOKEN } = gatewaySettings(on.cloud.url)
    const response = await fetch(`${AUTH_URL}/management/v1/users/${userId}/_deactivate`, {
      method: "POST",
      headers: { authorization: `Bearer ${ZITADEL_SERVICE_TOKEN}`, "x-zitadel-orgid": ZITADEL_ORG_ID },
      body: "{}"
    })
    if (!response.ok) throw new Error(`deactivate ${userId}: ${response.status} ${await response.text()}`)
  })
