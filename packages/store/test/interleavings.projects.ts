import { Duration, Effect } from "effect"
import { type AccountEntry, Accounts } from "../src/Accounts.ts"
import { Holds } from "../src/Holds.ts"
import { Journal, lease, type NewEntry } from "../src/Journal.ts"
import { ProjectRecords } from "../src/ProjectRecords.ts"
import { purgeLease, Purges } from "../src/Purges.ts"
import { Signups } from "../src/Signups.ts"
import { changeLease, Tenants } from "../src/Tenants.ts"
import { pass } from "@portico/testing/store/Aging"
import { type Act, scenario } from "./interleavings.ts"
import { limits, signup } from "./signup.ts"
import { present } from "./stories.ts"

const projectId = "project-1"
const tables = ["onboardings", "purges", "tenants", "accounts"]

const tenants = <A>(use: (tenants: Tenants["Service"]) => Effect.Effect<A>) => Effect.flatMap(Tenants, use)
const accounts = <A>(use: (accounts: Accounts["Service"]) => Effect.Effect<A>) => Effect.flatMap(Accounts, use)
const purges = <A>(use: (purges: Purges["Service"]) => Effect.Effect<A>) => Effect.flatMap(Purges, use)
const journal = <A>(use: (journal: Journal["Service"]) => Effect.Effect<A>) => Effect.flatMap(Journal, use)
const signups = <A>(use: (signups: Signups["Service"]) => Effect.Effect<A>) => Effect.flatMap(Signups, use)

const acme = { project_id: projectId, slug: "acme", name: "Acme", tier: "discovery", stamp: "stamp" } as const

/** A tenant with its account. */
const account = Effect.gen(function* () {
  yield* tenants((_) => _.insert(acme))
  return yield* accounts((_) => _.open({ projectId, name: "Acme" }))
})

const held = (): Act => Effect.flatMap(Holds, (_) => _.hold(projectId, "project_deletion"))
const released = (): Act => Effect.flatMap(Holds, (_) => _.release(projectId, "project_deletion"))
const ended = (): Act => Effect.flatMap(ProjectRecords, (_) => _.end(projectId))

const changing = Effect.gen(function* () {
  yield* account
  return yield* present(tenants((_) => _.beginChange(projectId, "standard")))
})

const onChange: Readonly<Record<string, (lease: string) => Act>> = {
  "Tenants.beginChange": () =>
    Effect.map(
      tenants((_) => _.beginChange(projectId, "extension")),
      (_) => _ !== undefined
    ),
  "Tenants.endChange": (lease) => tenants((_) => _.endChange(projectId, lease, { tier: "standard", suspended: false })),
  "Tenants.releaseChange": (lease) => tenants((_) => _.releaseChange(projectId, lease)),
  "Holds.hold": held,
  "Holds.release": released,
  "ProjectRecords.end": ended
}

const closing = { by: "owner", reason: null, windowDays: 0 }

const onAccount: Readonly<Record<string, (entry: AccountEntry) => Act>> = {
  "Accounts.close": (_) => accounts(({ close }) => close(_.number, closing)),
  "Accounts.reopen": (_) => accounts(({ reopen }) => reopen(_.number)),
  "Accounts.condemn": (_) => accounts(({ condemn }) => condemn(_.number, { by: "operator", reason: "now" })),
  "Accounts.claim": () => accounts(({ claim }) => claim),
  "Accounts.renew": (_) => accounts(({ renew }) => renew(_)),
  "Accounts.release": (_) => accounts(({ release }) => release(_)),
  "Accounts.refuse": (_) => accounts(({ refuse }) => refuse(_, "no")),
  "Accounts.destroy": (_) => accounts(({ destroy }) => destroy(_)),
  "Accounts.vacate": (_) => accounts(({ vacate }) => vacate(_.number, projectId)),
  "ProjectRecords.end": ended
}

const purge = {
  project_id: projectId,
  reason: "project_deletion",
  requested_by: "user",
  request_id: "request"
} as const
const claimed = Effect.gen(function* () {
  yield* purges((_) => _.open(purge))
  return yield* present(purges((_) => _.claim({ projectId })))
})
type Purge = Effect.Success<typeof claimed>

const onPurge: Readonly<Record<string, (entry: Purge) => Act>> = {
  "Purges.open": () => purges((_) => _.open(purge)),
  "Purges.claim": () => purges((_) => _.claim({ projectId })),
  "Purges.claim of any": () => purges((_) => _.claim({ reason: "project_deletion" })),
  "Purges.keep": (entry) => purges((_) => _.keep(entry, { failures: 1 })),
  "Purges.passReturn": (entry) => purges((_) => _.passReturn(entry)),
  "Purges.release": (entry) => purges((_) => _.release(entry, { state: "cancelled" }, undefined)),
  "Purges.cancel": () => purges((_) => _.cancel(projectId)),
  "Purges.close": (entry) => purges((_) => _.close(entry))
}

const attempt: NewEntry = { attempt_id: "attempt-1", name: "Acme", slug: "acme", tier: "discovery", steps: ["project"] }
const running = journal((_) => _.open(attempt))
type Entry = Effect.Success<typeof running>

const onEntry: Readonly<Record<string, (entry: Entry) => Act>> = {
  "Journal.settle": (entry) => journal((_) => _.settle(entry)),
  "Journal.turnBack": (entry) => journal((_) => _.turnBack(entry, "no", true)),
  "Journal.did": (entry) => journal((_) => _.did(entry, "project")),
  "Journal.withdrew": (entry) => journal((_) => _.withdrew(entry, "project")),
  "Journal.locate": (entry) => journal((_) => _.locate(entry, projectId)),
  "Journal.drop": (entry) => journal((_) => _.drop(entry)),
  "Journal.rest": (entry) => journal((_) => _.rest(entry)),
  "Journal.stick": (entry) => journal((_) => _.stick(entry, [{ step: "project", message: "no" }])),
  "Journal.claimAbandoned": () => journal((_) => _.claimAbandoned),
  "Journal.claim": (entry) => journal((_) => _.claim(entry.attempt_id)),
  "Journal.reopen": (entry) => journal((_) => _.reopen(entry, "stamp"))
}

const signupTables = ["signups", "signup_requests", "onboardings", "tenants"]
const ann = signup("1")

export const projects = [
  scenario("a tenant", { tables, given: Effect.as(account, ""), acts: onChange }),
  scenario("a tenant whose quotas are being written", { tables, given: changing, acts: onChange }),
  scenario("a tenant whose quota write took too long", {
    tables,
    given: Effect.tap(changing, () => pass(changeLease)),
    acts: onChange
  }),
  scenario("an open account", { tables, given: account, acts: onAccount }),
  scenario("an account whose window is over", {
    tables,
    given: Effect.tap(account, ({ number }) => accounts((_) => _.close(number, closing))),
    acts: onAccount
  }),
  scenario("an account that is being destroyed", {
    tables,
    given: Effect.gen(function* () {
      const { number } = yield* account
      yield* accounts((_) => _.close(number, closing))
      return yield* present(accounts((_) => _.claim))
    }),
    acts: onAccount
  }),
  scenario("no purge", { tables, given: Effect.void, acts: { "Purges.open": () => purges((_) => _.open(purge)) } }),
  scenario("a purge at work", { tables, given: claimed, acts: onPurge }),
  scenario("a purge whose process died", { tables, given: Effect.tap(claimed, () => pass(purgeLease)), acts: onPurge }),
  scenario("an onboarding at work", { tables, given: running, acts: onEntry }),
  scenario("an onboarding whose process died", {
    tables,
    given: Effect.tap(running, () => pass(lease)),
    acts: onEntry
  }),
  scenario("no signup", {
    tables: signupTables,
    given: Effect.void,
    acts: {
      "Signups.request": () => signups((_) => _.request(ann, "192.0.2.1", limits)),
      "Signups.request once more": () =>
        signups((_) => _.request({ ...ann, signup_id: "signup-2" }, "192.0.2.1", limits)),
      "Signups.request past a limit": () =>
        signups((_) => _.request(signup("3"), "192.0.2.1", { ...limits, perSource: 1, window: Duration.minutes(1) }))
    }
  }),
  scenario("a signup", {
    tables: signupTables,
    given: Effect.gen(function* () {
      yield* signups((_) => _.request(ann, "192.0.2.1", limits))
      return yield* present(signups((_) => _.find(ann.signup_id)))
    }),
    acts: {
      "Signups.claim": (entry) => signups((_) => _.claim(entry, "attempt-1")),
      "Signups.claim for another attempt": (entry) => signups((_) => _.claim(entry, "attempt-2")),
      "Signups.reject": (entry) => signups((_) => _.reject(entry, "operator"))
    }
  }),
  scenario("a signup with an attempt", {
    tables: signupTables,
    given: Effect.gen(function* () {
      yield* signups((_) => _.request(ann, "192.0.2.1", limits))
      const entry = yield* present(signups((_) => _.find(ann.signup_id)))
      yield* signups((_) => _.claim(entry, "attempt-1"))
      return yield* present(signups((_) => _.find(ann.signup_id)))
    }),
    acts: {
      "Signups.claim for another attempt": (entry) => signups((_) => _.claim(entry, "attempt-2")),
      "Signups.settle": () => signups((_) => _.settle("attempt-1", { projectId, by: "operator" })),
      "Signups.reject": (entry) => signups((_) => _.reject(entry, "operator"))
    },
    otherwise: []
  })
]
