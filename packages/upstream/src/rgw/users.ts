import type { ServiceQuotas } from "@portico/contract/Tiers"
import { Effect, Schema } from "effect"
import type { Stamp } from "../keystone/Keystone.ts"
import { allPages } from "../paging.ts"
import { orOwn, type UpstreamError } from "../UpstreamError.ts"
import type { Admin } from "./admin.ts"

/** A page of all users' ids. The marker leads to the next one, and is not an id in every release. */
const Uids = Schema.Struct({
  keys: Schema.Array(Schema.String),
  truncated: Schema.Boolean,
  marker: Schema.optionalKey(Schema.String)
})

const UserInfo = Schema.Struct({ user_id: Schema.String, display_name: Schema.String, max_buckets: Schema.Int })
/** The limits in a user's record. The quota is enforced only if it is enabled. */
const UserLimits = Schema.Struct({
  max_buckets: Schema.Int,
  user_quota: Schema.Struct({ enabled: Schema.Boolean, max_size: Schema.Int, max_objects: Schema.Int })
})

export type RgwQuotas = ServiceQuotas["rgw"]

/** The admin operations on S3 users and their quotas. */
export const usersOf = ({ get, post, put, remove, system, uid }: Admin) => {
  const findUser = (projectId: string) => system.find("find user", get({ uid: uid(projectId) }), UserInfo)

  const createUser = Effect.fn("Rgw.createUser")(function* (
    options: Stamp & { readonly projectId: string; readonly maxBuckets: number }
  ) {
    const { maxBuckets, projectId, stamp } = options
    const made = system.send(
      "create user",
      put({
        uid: uid(projectId),
        "display-name": stamp,
        "max-buckets": String(maxBuckets),
        "generate-key": "false"
      })
    )
    const own = Effect.map(findUser(projectId), (found) => (found?.display_name === stamp ? found : undefined))
    yield* orOwn(made, own, { upstream: "rgw", what: `user '${uid(projectId)}'` })
  })

  const writeQuota = (projectId: string, quotas: RgwQuotas) =>
    system.send(
      "write quota",
      put({
        quota: "",
        uid: uid(projectId),
        "quota-type": "user",
        "max-size": String(quotas.max_size),
        "max-objects": String(quotas.max_objects),
        enabled: "true"
      })
    )

  /** The platform may have users of its own beside those of tenants. */
  const holderOf = (found: string): ReadonlyArray<string> => {
    const projectId = found.slice(found.indexOf("$") + 1)
    return uid(projectId) === found ? [projectId] : []
  }

  const holders = allPages<{ readonly uid: string; readonly marker: string }, UpstreamError>(
    { upstream: "rgw", call: "list users" },
    (found) => {
      const last = found.at(-1)
      const request = get({ list: "", "max-entries": "1000", ...(last === undefined ? {} : { marker: last.marker }) })
      return Effect.map(system.read("list users", request, Uids), ({ keys, marker, truncated }) => ({
        items: keys.map((_) => ({ uid: _, marker: marker ?? _ })),
        more: truncated
      }))
    }
  ).pipe(
    Effect.map((users) => users.flatMap((_) => holderOf(_.uid))),
    Effect.withSpan("Rgw.holders")
  )

  return {
    holders,
    createUser,
    writeQuota,
    removeUser: Effect.fn("Rgw.removeUser")(function* ({ projectId, stamp }: Stamp & { readonly projectId: string }) {
      if ((yield* findUser(projectId))?.display_name !== stamp) return
      yield* system.remove("remove user", remove({ uid: uid(projectId) }))
    }),
    destroyUser: (projectId: string) =>
      system.remove("destroy user", remove({ uid: uid(projectId), "purge-data": "true" })),
    readQuotas: (projectId: string) =>
      Effect.map(
        system.find("read quotas", get({ uid: uid(projectId) }), UserLimits),
        (found) =>
          found && {
            max_buckets: found.max_buckets,
            max_size: found.user_quota.enabled ? found.user_quota.max_size : -1,
            max_objects: found.user_quota.enabled ? found.user_quota.max_objects : -1
          }
      ),
    writeQuotas: Effect.fn("Rgw.writeQuotas")(function* (
      options: Stamp & { readonly projectId: string; readonly quotas: RgwQuotas }
    ) {
      const { projectId, quotas } = options
      const limit = system.send(
        "write bucket limit",
        post({ uid: uid(projectId), "max-buckets": String(quotas.max_buckets) })
      )
      yield* Effect.catchIf(
        limit,
        (error) => error.status === 404,
        () => createUser({ ...options, maxBuckets: quotas.max_buckets })
      )
      yield* writeQuota(projectId, quotas)
    })
  }
}
