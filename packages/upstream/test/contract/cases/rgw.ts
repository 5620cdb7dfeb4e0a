import { Rgw } from "@portico/upstream/rgw/Rgw"
import { Effect } from "effect"
import { at } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers, attempt } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const quotas = { max_buckets: 5, max_size: 20 * 1024 ** 3, max_objects: -1 }

/** A tenant's S3 user in RGW's own terms, gone at the end of the case. */
const named = Effect.fnUntraced(function* (word: string) {
  const rgw = yield* Rgw
  const systems = yield* Systems
  const projectId = systems.named(word).replaceAll("-", "")
  const stamp = `portico-attempt:${word}`
  yield* Effect.addFinalizer(() => Effect.ignore(rgw.removeUser({ projectId, stamp })))
  const query = (more: Readonly<Record<string, string>>) =>
    new URLSearchParams({ uid: rgw.uid(projectId), format: "json", ...more }).toString()
  return { projectId, stamp, query }
})

export const rgw: Cases = {
  "a user is made once for one stamp, and removed by it alone": Effect.gen(function* () {
    const rgw = yield* Rgw
    const own = yield* named("one")
    const { projectId } = own
    const make = (stamp: string) => attempt(rgw.createUser({ projectId, stamp, maxBuckets: 5 }))
    return {
      made: yield* make(own.stamp),
      again: yield* make(own.stamp),
      byAnother: yield* make("portico-attempt:two"),
      removedByAnother: yield* attempt(rgw.removeUser({ projectId, stamp: "portico-attempt:two" })),
      stillThere: yield* make("portico-attempt:two"),
      removed: yield* attempt(rgw.removeUser(own)),
      removedAgain: yield* attempt(rgw.removeUser(own))
    }
  }).pipe(Effect.scoped),

  "limits are written to a user, which is created if it is missing": Effect.gen(function* () {
    const rgw = yield* Rgw
    const { ask } = yield* Systems
    const own = yield* named("limits")
    const quota = ask("control", `GET rgw/admin/user?quota=&quota-type=user&${own.query({})}`)
    const ofNobody = yield* attempt(rgw.writeQuota(own.projectId, quotas))
    const made = yield* attempt(rgw.writeQuotas({ ...own, quotas }))
    const first = yield* answers({ quota, user: ask("control", `GET rgw/admin/user?${own.query({})}`) })
    const again = yield* attempt(rgw.writeQuotas({ ...own, quotas }))
    const none = yield* attempt(rgw.writeQuotas({ ...own, quotas: { max_buckets: -1, max_size: 0, max_objects: 0 } }))
    const last = yield* answers({ quota, user: ask("control", `GET rgw/admin/user?${own.query({})}`) })
    return { ofNobody, made, first, again, none, last }
  }).pipe(Effect.scoped),

  "users in the raw": Effect.gen(function* () {
    const { ask } = yield* Systems
    const own = yield* named("raw")
    const put = (query: string) => ask("control", `PUT rgw/admin/user?${query}`)
    const post = (more: Readonly<Record<string, string>>) => ask("control", `POST rgw/admin/user?${own.query(more)}`)
    const user = { "display-name": own.stamp, "generate-key": "false" }
    return yield* answers({
      made: put(own.query(user)),
      again: put(own.query(user)),
      shown: ask("control", `GET rgw/admin/user?${own.query({})}`),
      changed: post({ "max-buckets": "7" }),
      changedToWords: post({ "max-buckets": "many" }),
      suspended: post({ suspended: "true" }),
      quotaOfNoType: ask("control", `GET rgw/admin/user?quota=&${own.query({})}`),
      quotaOfOddType: ask("control", `GET rgw/admin/user?quota=&${own.query({ "quota-type": "odd" })}`),
      quotaWords: put(`quota=&${own.query({ "quota-type": "user", "max-size": "many" })}`),
      quotaAfterWords: ask("control", `GET rgw/admin/user?quota=&${own.query({ "quota-type": "user" })}`),
      buckets: ask("control", `GET rgw/admin/bucket?${own.query({})}`),
      removed: ask("control", `DELETE rgw/admin/user?${own.query({})}`),
      removedAgain: ask("control", `DELETE rgw/admin/user?${own.query({})}`),
      shownAfter: ask("control", `GET rgw/admin/user?${own.query({})}`),
      changedAfter: post({ "max-buckets": "7" })
    })
  }).pipe(Effect.scoped),

  "invalid requests for users": Effect.gen(function* () {
    const { ask } = yield* Systems
    const put = (parameters: Readonly<Record<string, string>>) =>
      ask("control", `PUT rgw/admin/user?${new URLSearchParams({ format: "json", ...parameters })}`)
    return yield* answers({
      noUid: put({ "display-name": "x" }),
      emptyUid: put({ uid: "", "display-name": "x" }),
      noDisplayName: put({ uid: "contract-wrong" }),
      tenantWithHyphen: put({ uid: "a-b$contract", "display-name": "x", "generate-key": "false" }),
      tenantWithDot: put({ uid: "a.b$contract", "display-name": "x", "generate-key": "false" })
    })
  }),

  "keys: generated, given, conflicting, removed twice": Effect.gen(function* () {
    const { ask, named: name } = yield* Systems
    const own = yield* named("keys")
    const other = yield* named("others")
    const user = { "display-name": own.stamp, "generate-key": "false" }
    const key = name("KEY").toUpperCase()
    yield* ask("control", `PUT rgw/admin/user?${own.query(user)}`)
    yield* ask("control", `PUT rgw/admin/user?${other.query({ ...user, "display-name": other.stamp })}`)
    const put = (query: string) => ask("control", `PUT rgw/admin/user?key=&${query}`)
    const result = yield* answers(
      {
        generated: put(own.query({ "generate-key": "true" })),
        given: put(own.query({ "access-key": key, "secret-key": "secret" })),
        givenAgain: put(own.query({ "access-key": key, "secret-key": "secret" })),
        taken: put(other.query({ "access-key": key, "secret-key": "secret" })),
        ofNobody: put(new URLSearchParams({ uid: absent.hex, "generate-key": "true" }).toString()),
        removed: ask("control", `DELETE rgw/admin/user?key=&${own.query({ "access-key": key })}`),
        removedAgain: ask("control", `DELETE rgw/admin/user?key=&${own.query({ "access-key": key })}`)
      },
      // Generated keys differ from run to run.
      ({ headers, json, status, text }) =>
        Array.isArray(json)
          ? { status, keys: json.length, of: at(json, 0, "user"), names: Object.keys(Object(at(json, 0))) }
          : { status, type: headers["content-type"] ?? null, body: json ?? text }
    )
    return result
  }).pipe(Effect.scoped),

  "missing resources": Effect.gen(function* () {
    const { ask, named: name } = yield* Systems
    return yield* answers({
      user: ask("control", `GET rgw/admin/user?uid=${absent.hex}`),
      noUid: ask("control", "GET rgw/admin/user"),
      quota: ask("control", `GET rgw/admin/user?quota=&quota-type=user&uid=${absent.hex}`),
      removed: ask("control", `DELETE rgw/admin/user?uid=${absent.hex}`),
      bucket: ask("control", `GET rgw/admin/bucket?bucket=${name("bucket")}`),
      bucketsOfNobody: ask("control", `GET rgw/admin/bucket?uid=${absent.hex}`),
      path: ask("control", "GET rgw/admin/nothing-here")
    })
  }),

  "missing and invalid signatures": Effect.gen(function* () {
    const { ask } = yield* Systems
    const headers = {
      "x-amz-date": "20200101T000000Z",
      "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
      authorization:
        "AWS4-HMAC-SHA256 Credential=NOBODYSACCESSKEY0001/20200101/default/s3/aws4_request, " +
        `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${"0".repeat(64)}`
    }
    return yield* answers({
      nothing: ask("nobody", `GET rgw/admin/user?uid=${absent.hex}`),
      long_ago: ask("nobody", `GET rgw/admin/user?uid=${absent.hex}`, { headers }),
      nonsense: ask("nobody", `GET rgw/admin/user?uid=${absent.hex}`, { headers: { authorization: "nonsense" } })
    })
  })
}
