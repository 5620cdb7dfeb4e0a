import { randomBytes, randomInt } from "node:crypto"
import { Result } from "effect"
import { entry } from "../Json.ts"
import type { Answer, Step } from "../Wire.ts"
import { refuse } from "./errors.ts"
import { showQuota } from "./quotas.ts"
import { done, flagAt, numberIn, type Request, untyped, userOf } from "./request.ts"
import { type Key, noQuota, type RgwState, type RgwUser, type Usage } from "./state.ts"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

const newAccessKey = () => Array.from({ length: 20 }, () => letters[randomInt(letters.length)]).join("")
const newSecretKey = () => randomBytes(30).toString("base64").replaceAll(/[+/]/g, "0")

const showKeys = ({ keys, uid }: RgwUser) => keys.map((_) => ({ user: uid, ..._, active: true }))

export const bucketsOf = (rgw: RgwState, { uid }: RgwUser) => Object.values(rgw.buckets).filter((_) => _.owner === uid)

/** The usage of all buckets of a user. */
export const usageOf = (rgw: RgwState, user: RgwUser): Usage =>
  bucketsOf(rgw, user).reduce<Usage>(
    (sum, _) => ({
      size: sum.size + _.size,
      size_actual: sum.size_actual + _.size_actual,
      num_objects: sum.num_objects + _.num_objects
    }),
    { size: 0, size_actual: 0, num_objects: 0 }
  )

/** As of the last `sync`; kilobytes are rounded up, and the "utilized" sizes of users are not computed. */
const statsOf = ({ synced = { size: 0, size_actual: 0, num_objects: 0 } }: RgwUser) => ({
  size: synced.size,
  size_actual: synced.size_actual,
  size_utilized: 0,
  size_kb: Math.ceil(synced.size / 1024),
  size_kb_actual: Math.ceil(synced.size_actual / 1024),
  size_kb_utilized: 0,
  num_objects: synced.num_objects
})

const showUser = (user: RgwUser) => ({
  tenant: user.tenant,
  user_id: user.user_id,
  display_name: user.display_name,
  email: user.email,
  suspended: user.suspended ? 1 : 0,
  max_buckets: user.max_buckets,
  subusers: [],
  keys: showKeys(user),
  swift_keys: [],
  caps: user.caps,
  op_mask: "read, write, delete",
  default_placement: "",
  default_storage_class: "",
  placement_tags: [],
  bucket_quota: showQuota(user.bucket_quota),
  user_quota: showQuota(user.user_quota),
  temp_url_keys: [],
  type: "rgw",
  mfa_ids: []
})

const ownerOf = (rgw: RgwState, accessKey: string | null): RgwUser | undefined =>
  Object.values(rgw.users).find((_) => _.keys.some((key) => key.access_key === accessKey))

/** A given key is stored unchanged; only a generated one has RGW's format. */
const keyFrom = ({ query, rgw }: Request, holder: string): Step<Key> => {
  const access_key = query.get("access-key") ?? newAccessKey()
  const owner = ownerOf(rgw, access_key)
  if (access_key === "") return refuse("InvalidArgument")
  if (owner !== undefined && owner.uid !== holder) return refuse("KeyExists")
  return Result.succeed({ access_key, secret_key: query.get("secret-key") ?? newSecretKey() })
}

const withKey = (keys: ReadonlyArray<Key>, key: Key): ReadonlyArray<Key> =>
  [...keys.filter((_) => _.access_key !== key.access_key), key].toSorted((a, b) =>
    a.access_key < b.access_key ? -1 : 1
  )

/** Tenant and name of a uid; the parameter `tenant` wins over the uid's. */
const identityOf = (query: URLSearchParams) => {
  const uid = query.get("uid") ?? ""
  const at = uid.indexOf("$")
  const tenant = query.get("tenant") ?? (at < 0 ? "" : uid.slice(0, at))
  return { tenant, user_id: uid.slice(at + 1) }
}

const emailTaken = (rgw: RgwState, email: string, holder: string): boolean =>
  email !== "" && Object.values(rgw.users).some((_) => _.email === email.toLowerCase() && _.uid !== holder)

export const createUser = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { query, rgw } = request
    const { tenant, user_id } = identityOf(query)
    const uid = tenant === "" ? user_id : `${tenant}$${user_id}`
    const display_name = query.get("display-name") ?? ""
    const email = (query.get("email") ?? "").toLowerCase()
    // An empty uid is an AccessDenied.
    if (user_id === "") return yield* refuse("AccessDenied")
    if (display_name === "") return yield* refuse("InvalidArgument")
    if (!/^\w*$/.test(tenant)) return yield* refuse("InvalidTenantName")
    if (entry(rgw.users, uid) !== undefined) return yield* refuse("UserAlreadyExists")
    if (emailTaken(rgw, email, uid)) return yield* refuse("EmailExists")
    const max_buckets = numberIn(query, "max-buckets") ?? 1000
    const wanted = query.has("access-key") || query.has("secret-key") || (flagAt(query, "generate-key") ?? true)
    const user: RgwUser = {
      uid,
      tenant,
      user_id,
      display_name,
      email,
      suspended: flagAt(query, "suspended") ?? false,
      max_buckets,
      keys: wanted ? [yield* keyFrom(request, uid)] : [],
      caps: [],
      user_quota: noQuota,
      bucket_quota: noQuota
    }
    rgw.users[uid] = user
    return untyped(showUser(user))
  })

export const getUser = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { query, rgw } = request
    const byKey = query.has("uid") ? undefined : ownerOf(rgw, query.get("access-key"))
    if (!query.has("uid") && query.has("access-key") && byKey === undefined) return yield* refuse("NoSuchUser")
    const user = byKey ?? (yield* userOf(request))
    if (flagAt(query, "sync") === true) user.synced = usageOf(rgw, user)
    const stats = flagAt(query, "stats") === true ? { stats: statsOf(user) } : {}
    return untyped({ ...showUser(user), ...stats })
  })

export const modifyUser = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { query, rgw } = request
    const user = yield* userOf(request)
    const email = (query.get("email") ?? user.email).toLowerCase()
    if (emailTaken(rgw, email, user.uid)) return yield* refuse("EmailExists")
    const max_buckets = numberIn(query, "max-buckets") ?? user.max_buckets
    const wanted = query.has("access-key") || query.has("secret-key") || flagAt(query, "generate-key") === true
    if (wanted) user.keys = withKey(user.keys, yield* keyFrom(request, user.uid))
    user.max_buckets = max_buckets
    user.email = email
    user.display_name = query.get("display-name") ?? user.display_name
    user.suspended = flagAt(query, "suspended") ?? user.suspended
    return untyped(showUser(user))
  })

/** A user with buckets is not removed: here `BucketAlreadyExists` means that a bucket still exists. */
export const deleteUser = (request: Request): Step<Answer> =>
  Result.flatMap(userOf(request), (user) => {
    const { query, rgw } = request
    const buckets = bucketsOf(rgw, user)
    if (buckets.length > 0 && flagAt(query, "purge-data") !== true) return refuse("BucketAlreadyExists")
    for (const { bucket, tenant } of buckets) delete rgw.buckets[`${tenant}/${bucket}`]
    delete rgw.users[user.uid]
    return Result.succeed(done)
  })

export const listUsers = ({ query, rgw }: Request): Step<Answer> => {
  const marker = query.get("marker") ?? ""
  const rest = Object.keys(rgw.users)
    .filter((_) => marker === "" || _ > marker)
    .toSorted((a, b) => (a < b ? -1 : 1))
  const keys = rest.slice(0, numberIn(query, "max-entries") ?? 1000)
  const truncated = keys.length < rest.length
  const answer = { keys, truncated, count: keys.length, ...(truncated ? { marker: keys.at(-1) } : {}) }
  return Result.succeed(untyped(answer))
}

/** Answers with all keys of the user. Replaces the secret of an existing access key. */
export const createKey = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const user = yield* userOf(request)
    const type = request.query.get("key-type") ?? "s3"
    if (type !== "s3") return yield* refuse("InvalidArgument")
    user.keys = withKey(user.keys, yield* keyFrom(request, user.uid))
    return untyped(showKeys(user))
  })

export const deleteKey = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { query, rgw } = request
    const accessKey = query.get("access-key")
    if (accessKey === null) return yield* refuse("InvalidArgument")
    const owner = ownerOf(rgw, accessKey)
    const user = query.has("uid") ? yield* userOf(request) : owner
    if (user === undefined || owner?.uid !== user.uid) return yield* refuse("InvalidAccessKeyId")
    user.keys = user.keys.filter((_) => _.access_key !== accessKey)
    return done
  })
