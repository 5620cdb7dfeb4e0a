import { Caller } from "@portico/contract/Access"
import { reconcileAccounts } from "@portico/domain/accounts/destroy"
import { closeAccount } from "@portico/domain/accounts/close"
import { finalizeAccount } from "@portico/domain/accounts/finalize"
import { reopenAccount } from "@portico/domain/accounts/reopen"
import { mint } from "@portico/domain/credentials/mint"
import { Accounts } from "@portico/store/Accounts"
import { Credentials, type MemberRole } from "@portico/store/Credentials"
import { Bus } from "@portico/domain/events/Bus"
import { type Duration, Effect, Layer } from "effect"
import { administrator, callerOf, ownerOf } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"
import { simulatedWith } from "@portico/testing/cloud/Simulated"

/** Everything that an account needs to begin and to end. */
export const Whole = (more: Readonly<Record<string, string>> = {}) =>
  Bus.layer.pipe(Layer.provideMerge(simulatedWith(more)))

/** A member of the project, and what the calls of that person look like. */
export const member = Effect.fnUntraced(function* (projectId: string, role: MemberRole, name: string = role) {
  yield* (yield* Credentials).insert({
    credential_id: `member-${name}`,
    project_id: projectId,
    user_id: name,
    kind: "member",
    tier: 2,
    label: name,
    state: "active",
    client_id: "",
    pat_hash: null,
    created_by: "test",
    expires_at: null,
    role
  })
  return new Caller({ ...callerOf(projectId), userId: name, human: true, role })
})

/** An account with an owner and the first credential, whose token was used a moment ago. */
export const account = Effect.gen(function* () {
  const first = yield* ownerOf("standard")
  const owner = yield* member(first.tenant.projectId, "customer-owner", "olivia")
  const row = yield* (yield* Accounts).findByProject(first.tenant.projectId)
  if (row === undefined) return yield* Effect.die("onboarding has made no account")
  const more = (label: string, days?: number) =>
    inTime(
      mint(first.caller, first.tenant, {
        kind: "api-key",
        tier: 1,
        label,
        ...(days === undefined ? {} : { expires_in_days: days })
      })
    )
  return {
    ...first,
    projectId: first.tenant.projectId,
    owner,
    number: row.number,
    path: String(row.number),
    name: row.name,
    mint: more
  }
})

export type Account = Effect.Success<typeof account>

/** As much of one as its changes need. */
type Named = Pick<Account, "name" | "owner" | "path">

export const close = ({ name, owner }: Named) => closeAccount(owner, undefined, { confirm: name })

export const reopen = ({ path }: Named) => reopenAccount(path)

export const finalize = ({ path }: Named, reason?: string) =>
  finalizeAccount(administrator, path, reason === undefined ? {} : { reason })

/** The row of the account, as it is now. */
export const rowOf = Effect.fnUntraced(function* ({ number }: Pick<Account, "number">) {
  const row = yield* (yield* Accounts).find(number)
  return row ?? (yield* Effect.die(`no account ${number}`))
})

/** What every process runs beside its requests. */
export const workingEvery = (pause: Duration.Input) =>
  Effect.forkScoped(Effect.forever(Effect.andThen(reconcileAccounts, Effect.sleep(pause))))

export const working = workingEvery("1 second")
