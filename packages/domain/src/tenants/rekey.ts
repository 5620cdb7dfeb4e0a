import { Targets } from "@portico/store/Targets"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Effect } from "effect"
import { SessionSeal } from "../console/SessionSeal.ts"
import { TargetSecrets } from "../deliveries/TargetSecrets.ts"
import { SigningKeys } from "../registry/SigningKeys.ts"

/** How much was moved to the first key, and what was not. */
export interface Rekeyed {
  /** Of tenants' Keystone users. */
  readonly passwords: number
  /** Webhooks and integrations. */
  readonly targets: number
  readonly registryKeys: number
  /** Of people in the console. */
  readonly sessions: number
  /** A sentence for each tenant that has to be moved by another run. */
  readonly failures: ReadonlyArray<string>
}

/** Tenants whose passwords are written at once. */
const concurrency = 4

/**
 * Moves everything that lasts from another accepted key to the first one: the passwords of tenants' users, the secrets
 * of webhooks and integrations, the registry's signing keys, and the console's sessions. Repeatable, and safe while tenants change these.
 * Without another key it moves nothing.
 */
export const rekey = Effect.fn("rekey")(function* () {
  const tenants = yield* (yield* Tenants).list
  const moved = yield* Effect.forEach(tenants, rekeyTenant, { concurrency })
  const registryKeys = yield* (yield* SigningKeys).reseal
  const sessions = yield* (yield* SessionSeal).reseal
  return {
    passwords: moved.filter((_) => _.password).length,
    targets: moved.reduce((sum, _) => sum + _.targets, 0),
    registryKeys,
    sessions,
    failures: moved.flatMap((_) => _.failures)
  } satisfies Rekeyed
})

const rekeyTenant = Effect.fnUntraced(function* ({ project_id }: TenantEntry) {
  const keystone = yield* Keystone
  const targets = yield* resealTargets(project_id)
  return yield* Effect.match(keystone.renewTenantPassword(project_id), {
    onSuccess: (password) => ({ password, ...targets }),
    onFailure: (error) => ({
      password: false,
      targets: targets.targets,
      failures: [...targets.failures, `the password of project ${project_id} was not moved: ${error.summary}`]
    })
  })
})

const resealTargets = Effect.fnUntraced(function* (projectId: string) {
  const store = yield* Targets
  const secrets = yield* TargetSecrets
  const results = yield* Effect.forEach(yield* store.list(projectId), (entry) => {
    const renewed = secrets.renew(entry)
    return renewed === undefined
      ? Effect.succeed(undefined)
      : Effect.map(store.reseal(entry, renewed), (done) => ({ entry, done }))
  })
  const attempted = results.flatMap((_) => _ ?? [])
  return {
    targets: attempted.filter((_) => _.done).length,
    failures: attempted
      .filter((_) => !_.done)
      .map(({ entry }) => `${entry.target_id} of project ${projectId} was changed meanwhile`)
  }
})
