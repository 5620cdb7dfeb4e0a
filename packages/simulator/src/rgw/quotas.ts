import { Result } from "effect"
import { booleanAt, has, numberAt, objectAt } from "../Json.ts"
import type { Answer, Step } from "../Wire.ts"
import { refuse } from "./errors.ts"
import { done, flagAt, type Request, untyped, userOf } from "./request.ts"
import { noQuota, type Quota } from "./state.ts"

const bodyLimit = 1024

export const showQuota = (quota: Quota) => ({
  enabled: quota.enabled,
  check_on_raw: quota.check_on_raw,
  max_size: quota.max_size,
  max_size_kb: quota.max_size < 0 ? 0 : Math.ceil(quota.max_size / 1024),
  max_objects: quota.max_objects
})

/** A body replaces the whole quota: a missing size is 0 bytes, and a missing `enabled` is false. */
const fromBody = (value: unknown): Quota => {
  const given = objectAt(value)
  const kilobytes = numberAt(given, "max_size_kb")
  return {
    enabled: booleanAt(given, "enabled") ?? false,
    check_on_raw: booleanAt(given, "check_on_raw") ?? false,
    max_size: numberAt(given, "max_size") ?? (kilobytes === undefined ? 0 : kilobytes * 1024),
    max_objects: numberAt(given, "max_objects") ?? -1
  }
}

/** Parameters change the given fields and keep the others. */
const fromQuery = (query: URLSearchParams, old: Quota): Quota => {
  // A value that is not a number changes nothing.
  const read = (name: string) => (/^-?\d+$/.test(query.get(name) ?? "") ? Number(query.get(name)) : undefined)
  const kilobytes = read("max-size-kb")
  return {
    ...old,
    max_size: read("max-size") ?? (kilobytes === undefined ? old.max_size : kilobytes * 1024),
    max_objects: read("max-objects") ?? old.max_objects,
    enabled: flagAt(query, "enabled") ?? old.enabled
  }
}

/** With any body the parameters are ignored. */
export const readQuota = ({ incoming, query }: Request, old: Quota): Step<Quota> => {
  const { body, json } = incoming
  if (body.length > bodyLimit) return refuse("EntityTooLarge")
  if (body.length === 0) return Result.succeed(fromQuery(query, old))
  return json === undefined ? refuse("InvalidArgument") : Result.succeed(fromBody(json))
}

export const getQuota = (request: Request): Step<Answer> =>
  Result.flatMap(userOf(request), ({ bucket_quota, user_quota }) => {
    const type = request.query.get("quota-type") ?? ""
    if (type === "user") return Result.succeed(untyped(showQuota(user_quota)))
    if (type === "bucket") return Result.succeed(untyped(showQuota(bucket_quota)))
    return type === ""
      ? Result.succeed(untyped({ bucket_quota: showQuota(bucket_quota), user_quota: showQuota(user_quota) }))
      : refuse("InvalidArgument")
  })

export const putQuota = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, query } = request
    const user = yield* userOf(request)
    const type = query.get("quota-type") ?? ""
    if (type === "user") user.user_quota = yield* readQuota(request, user.user_quota)
    else if (type === "bucket") user.bucket_quota = yield* readQuota(request, user.bucket_quota)
    else if (type !== "" || !has(incoming.json, "user_quota") || !has(incoming.json, "bucket_quota")) {
      return yield* refuse("InvalidArgument")
    } else {
      user.user_quota = fromBody(objectAt(incoming.json)["user_quota"] ?? noQuota)
      user.bucket_quota = fromBody(objectAt(incoming.json)["bucket_quota"] ?? noQuota)
    }
    return done
  })
