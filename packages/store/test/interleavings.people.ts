import { Duration, Effect } from "effect"
import type { CredentialRow, NewCredential } from "../src/Credentials.ts"
import { Credentials, mintLease } from "../src/Credentials.ts"
import { Holds } from "../src/Holds.ts"
import { type Begun, type Invitation, memberLease } from "../src/memberRows.ts"
import { InvitationMails } from "../src/InvitationMails.ts"
import { Members } from "../src/Members.ts"
import { OrganisationUnits } from "../src/OrganisationUnits.ts"
import { Policies } from "../src/Policies.ts"
import { ProjectRecords } from "../src/ProjectRecords.ts"
import { Rotations } from "../src/Rotations.ts"
import { Tenants } from "../src/Tenants.ts"
import { Usage } from "../src/Usage.ts"
import { pass } from "@portico/testing/store/Aging"
import { credential, successor } from "./credential.ts"
import { type Act, scenario } from "./interleavings.ts"
import { present } from "./stories.ts"

const projectId = "project-1"
const tables = ["policies", "organisation_units", "credentials", "tenants", "record_counts"]

const tenant = Effect.flatMap(Tenants, (_) =>
  _.insert({ project_id: projectId, slug: "acme", name: "Acme", tier: "discovery", stamp: "stamp" })
)

const invitation = (change: Partial<Invitation> = {}): Invitation => ({
  projectId,
  email: "ann@acme.example",
  role: "customer",
  displayName: "Ann",
  invitedBy: "owner",
  ...change
})

const members = <A>(use: (members: Members["Service"]) => Effect.Effect<A>) => Effect.flatMap(Members, use)
const credentials = <A>(use: (credentials: Credentials["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(Credentials, use)

/** What an attempt is told of; its record is in the tables. */
const tagOf = (begun: Begun) => ("row" in begun ? [begun._tag, begun.row.role, begun.row.state] : begun._tag)

const begin = (change: Partial<Invitation> = {}, allowance = 20): Act =>
  Effect.map(
    members((_) => _.begin(invitation(change), allowance)),
    tagOf
  )

const invited = Effect.gen(function* () {
  yield* tenant
  const begun = yield* members((_) => _.begin(invitation(), 20))
  return "row" in begun ? begun.row : yield* Effect.die(begun._tag)
})

const member = Effect.fnUntraced(function* (change: Partial<Invitation> = {}, userId = "user-ann") {
  return yield* present(members((_) => _.insert(invitation(change), userId)))
})

const mail = (email: string, project = projectId, window = Duration.hours(1)): Act =>
  Effect.flatMap(InvitationMails, (_) => _.take(project, email, { window, perProject: 3, perAddress: 2 }))

const end = (): Act => Effect.flatMap(ProjectRecords, (_) => _.end(projectId))

const onInvitation: Readonly<Record<string, (row: CredentialRow) => Act>> = {
  "Members.begin": () => begin(),
  "Members.begin with another role": () => begin({ role: "customer-viewer" }),
  "Members.begin elsewhere": () => begin({ projectId: "project-2" }),
  "Members.complete": (row) => members((_) => _.complete(row, "user-ann")),
  "Members.renew": (row) => members((_) => _.renew(row)),
  "Members.rest": (row) => members((_) => _.rest(row)),
  "Members.drop": (row) => members((_) => _.drop(row)),
  "Members.insert": () => members((_) => _.insert(invitation(), "user-other")),
  "Members.claimAbandoned": () => members((_) => _.claimAbandoned),
  "ProjectRecords.end": end
}

const onMember: Readonly<Record<string, (row: CredentialRow) => Act>> = {
  "Members.begin with another role": () => begin({ role: "customer-viewer" }),
  "Members.setRole": (row) => members((_) => _.setRole(row, "customer-viewer")),
  "Members.setRole to owner": (row) => members((_) => _.setRole(row, "customer-owner")),
  "Members.setBilling": (row) => members((_) => _.setBilling(row.user_id, true)),
  "Members.beginRemoval": (row) => members((_) => _.beginRemoval(row)),
  "Members.drop": (row) => members((_) => _.drop(row)),
  "Members.claimAbandoned": () => members((_) => _.claimAbandoned),
  "OrganisationUnits.place": (row) => Effect.flatMap(OrganisationUnits, (_) => _.place(projectId, row.user_id, "ops")),
  "OrganisationUnits.remove": () => Effect.flatMap(OrganisationUnits, (_) => _.remove(projectId, "ops")),
  "ProjectRecords.end": end
}

const unit = Effect.flatMap(OrganisationUnits, (_) => _.insert({ project_id: projectId, path: "ops", created_by: "o" }))

const machine = (id: string, change: Partial<NewCredential> = {}) =>
  credentials((_) => _.insert(credential(id, { project_id: projectId, ...change })))

const onCredential = (id: string): Readonly<Record<string, () => Act>> => ({
  "Credentials.activate": () => credentials((_) => _.activate(id, `pat-${id}`)),
  "Credentials.revoke": () => credentials((_) => _.revoke(id)),
  "Credentials.remove": () => credentials((_) => _.remove(id)),
  "Credentials.claimAbandonedMints": () => credentials((_) => _.claimAbandonedMints),
  "Holds.hold": () => Effect.flatMap(Holds, (_) => _.hold(projectId, "project_deletion")),
  "Holds.hold for a closure": () => Effect.flatMap(Holds, (_) => _.hold(projectId, "account_closure")),
  "Holds.release": () => Effect.flatMap(Holds, (_) => _.release(projectId, "project_deletion")),
  "ProjectRecords.end": end
})

const rotate = (id: string, rotates: string): Act =>
  Effect.flatMap(Rotations, (_) => _.begin(successor(id, rotates, { project_id: projectId })))

const onRotation: Readonly<Record<string, () => Act>> = {
  "Rotations.begin": () => rotate("new-2", "old"),
  "Rotations.complete": () => Effect.flatMap(Rotations, (_) => _.complete("new", "pat-new", Duration.zero)),
  "Rotations.claimOverdue": () => Effect.flatMap(Rotations, (_) => _.claimOverdue),
  "OrganisationUnits.place": () => Effect.flatMap(OrganisationUnits, (_) => _.place(projectId, "old", "ops")),
  "Credentials.revoke": () => credentials((_) => _.revoke("old")),
  "Credentials.revoke of the successor": () => credentials((_) => _.revoke("new")),
  "Credentials.remove": () => credentials((_) => _.remove("new")),
  "Credentials.claimAbandonedMints": () => credentials((_) => _.claimAbandonedMints),
  "Holds.hold": () => Effect.flatMap(Holds, (_) => _.hold(projectId, "project_deletion")),
  "ProjectRecords.end": end
}

const inUnits: Readonly<Record<string, () => Act>> = {
  "OrganisationUnits.insert": () =>
    Effect.flatMap(OrganisationUnits, (_) => _.insert({ project_id: projectId, path: "ops.night", created_by: "o" })),
  "OrganisationUnits.remove": () => Effect.flatMap(OrganisationUnits, (_) => _.remove(projectId, "ops")),
  "OrganisationUnits.place": () => Effect.flatMap(OrganisationUnits, (_) => _.place(projectId, "ci", "ops")),
  "OrganisationUnits.takeOut": () => Effect.flatMap(OrganisationUnits, (_) => _.takeOut(projectId, "ci", "ops")),
  "OrganisationUnits.removeAll": () => Effect.flatMap(OrganisationUnits, (_) => _.removeAll(projectId)),
  "Policies.put": () =>
    Effect.flatMap(Policies, (_) =>
      _.put({ project_id: projectId, ou: "ops", max_tier: 0, denies: [], updated_by: "o" })
    ),
  "Policies.remove": () => Effect.flatMap(Policies, (_) => _.remove(projectId, "ops")),
  "Credentials.revoke": () => credentials((_) => _.revoke("ci")),
  // What is minted, or invited, goes into the unit of its maker.
  "Credentials.insertWithin": () =>
    credentials((_) => _.insertWithin(credential("more", { project_id: projectId, ou: "ops" }), 20)),
  "Members.begin": () => begin({ ou: "ops" })
}

export const people = [
  scenario("an address that has no record", {
    tables,
    given: tenant,
    acts: {
      "Members.begin": () => begin(),
      "Members.begin with another role": () => begin({ role: "customer-viewer" }),
      "Members.begin elsewhere": () => begin({ projectId: "project-2" }),
      "Members.insert": () => members((_) => _.insert(invitation(), "user-ann")),
      "ProjectRecords.end": end
    }
  }),
  scenario("the last place of an allowance", {
    tables,
    given: Effect.andThen(tenant, machine("ci")),
    acts: {
      "Members.begin": () => begin({}, 2),
      "Members.begin of another person": () => begin({ email: "bob@acme.example" }, 2),
      "Credentials.insertWithin": () =>
        credentials((_) => _.insertWithin(credential("new", { project_id: projectId, state: "minting" }), 2)),
      "Credentials.insertWithin once more": () =>
        credentials((_) => _.insertWithin(credential("newer", { project_id: projectId, state: "minting" }), 2)),
      "Credentials.insert": () => machine("newest"),
      "Credentials.revoke": () => credentials((_) => _.revoke("ci")),
      "Rotations.begin": () => rotate("successor", "ci"),
      "Holds.hold": () => Effect.flatMap(Holds, (_) => _.hold(projectId, "project_deletion"))
    }
  }),
  scenario("invitation mails", {
    tables: ["invitation_mails"],
    given: Effect.asVoid(mail("ann@acme.example")),
    acts: {
      "InvitationMails.take": () => mail("ann@acme.example"),
      "InvitationMails.take to the address again": () => mail("Ann@acme.example"),
      "InvitationMails.take to another": () => mail("bob@acme.example"),
      "InvitationMails.take in another project": () => mail("ann@acme.example", "project-2"),
      "InvitationMails.take once the first is forgotten": () => mail("ann@acme.example", projectId, Duration.zero)
    }
  }),
  scenario("an invitation at work", { tables, given: invited, acts: onInvitation }),
  scenario("an invitation at rest", {
    tables,
    given: Effect.tap(invited, (row) => members((_) => _.rest(row))),
    acts: onInvitation
  }),
  scenario("an invitation whose lease has ended", {
    tables,
    given: Effect.tap(invited, () => pass(memberLease)),
    acts: onInvitation
  }),
  scenario("a member", { tables, given: Effect.andThen(tenant, Effect.andThen(unit, member())), acts: onMember }),
  scenario("the only owner", {
    tables,
    given: Effect.andThen(tenant, member({ role: "customer-owner" })),
    acts: onMember
  }),
  scenario("two owners", {
    tables,
    given: Effect.gen(function* () {
      yield* tenant
      const ann = yield* member({ role: "customer-owner" })
      return [ann, yield* member({ role: "customer-owner", email: "bob@acme.example" }, "user-bob")] as const
    }),
    acts: {
      "Members.setRole": ([ann]) => members((_) => _.setRole(ann, "customer")),
      "Members.setRole of the other": ([, bob]) => members((_) => _.setRole(bob, "customer")),
      "Members.beginRemoval": ([ann]) => members((_) => _.beginRemoval(ann)),
      "Members.beginRemoval of the other": ([, bob]) => members((_) => _.beginRemoval(bob)),
      "ProjectRecords.end": end
    }
  }),
  scenario("a member who is being removed", {
    tables,
    given: Effect.gen(function* () {
      yield* tenant
      const leaving = yield* present(
        Effect.flatMap(member(), (row) =>
          members((_) => Effect.map(_.beginRemoval(row), (_) => (_ === "last owner" ? undefined : _)))
        )
      )
      yield* pass(memberLease)
      return leaving
    }),
    acts: onMember
  }),
  scenario("a mint at work", {
    tables,
    given: Effect.andThen(tenant, machine("ci", { state: "minting" })),
    acts: onCredential("ci")
  }),
  scenario("a mint whose lease has ended", {
    tables,
    given: Effect.andThen(tenant, Effect.andThen(machine("ci", { state: "minting" }), pass(mintLease))),
    acts: onCredential("ci")
  }),
  scenario("a credential", {
    tables,
    given: Effect.andThen(tenant, machine("ci")),
    acts: {
      ...onCredential("ci"),
      "Rotations.begin": () => rotate("new", "ci"),
      "Rotations.begin once more": () => rotate("newer", "ci"),
      "Usage.note": () =>
        Effect.flatMap(Effect.all([Usage, credentials((_) => _.find("ci"))]), ([usage, row]) =>
          row === undefined ? Effect.void : usage.note([{ credentialId: "ci", at: row.created_at, from: "192.0.2.1" }])
        )
    }
  }),
  scenario("a credential that is held", {
    tables,
    given: Effect.gen(function* () {
      yield* tenant
      yield* machine("ci")
      yield* Effect.flatMap(Holds, (_) => _.hold(projectId, "project_deletion"))
    }),
    acts: {
      ...onCredential("ci"),
      "Rotations.begin": () => rotate("new", "ci"),
      "Credentials.insertWithin": () =>
        credentials((_) => _.insertWithin(credential("new", { project_id: projectId }), 20))
    }
  }),
  scenario("a rotation at work", {
    tables,
    given: Effect.andThen(tenant, Effect.andThen(unit, Effect.andThen(machine("old"), rotate("new", "old")))),
    acts: onRotation
  }),
  scenario("a rotation that is complete", {
    tables,
    given: Effect.gen(function* () {
      yield* tenant
      yield* unit
      yield* machine("old")
      yield* rotate("new", "old")
      yield* Effect.flatMap(Rotations, (_) => _.complete("new", "pat-new", Duration.zero))
    }),
    acts: { ...onRotation, "Rotations.begin of the successor": () => rotate("newer", "new") }
  }),
  scenario("an organisation unit", {
    tables,
    given: Effect.andThen(tenant, Effect.andThen(unit, machine("ci"))),
    acts: inUnits
  }),
  scenario("an organisation unit with a credential", {
    tables,
    given: Effect.gen(function* () {
      yield* tenant
      yield* unit
      yield* machine("ci", { ou: "ops" })
    }),
    acts: inUnits
  })
]
