import { Effect } from "effect"
import { at } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { answers } from "../outcome.ts"
import { anyone, codeOf, guest, s3Seen, textsIn } from "../s3.ts"

const xml = "application/xml"
const versioning = (status: string) => ({
  text: `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>${status}</Status></VersioningConfiguration>`,
  type: xml
})
const constraint = (place: string) => ({
  text: `<CreateBucketConfiguration><LocationConstraint>${place}</LocationConstraint></CreateBucketConfiguration>`,
  type: xml
})
const text = (body: string) => ({ text: body, type: "text/plain" })

/** Names that make trouble, in the spelling of a path. */
const oddKeys: ReadonlyArray<string> = [
  "a%20b",
  "a%2Bb",
  "a%2520b",
  "dir/",
  "dir/one",
  "dir/two",
  "%C3%A9",
  "%E6%97%A5/%F0%9F%98%80",
  "%3C%26%3E%22%27%3F%23",
  "c%01d",
  "e%0Af%09%0D",
  "~-_.%21%2A%28%29",
  "//double//",
  "%EF%BF%AE",
  "k".repeat(1024)
]

export const s3: Cases = {
  "buckets: created, created again, listed, conflicting, removed": Effect.gen(function* () {
    const own = yield* guest("buckets")
    const other = yield* guest("others")
    const { bucket } = own
    return yield* answers(
      {
        none: own.s3("GET "),
        made: own.s3(`PUT ${bucket}`),
        again: own.s3(`PUT ${bucket}`),
        withSlash: own.s3(`PUT ${bucket}/`),
        takenByAnother: other.s3(`PUT ${bucket}`),
        listed: own.s3("GET "),
        head: own.s3(`HEAD ${bucket}`),
        headByAnother: other.s3(`HEAD ${bucket}`),
        listedByAnother: other.s3(`GET ${bucket}?list-type=2`),
        removedByAnother: other.s3(`DELETE ${bucket}`),
        location: own.s3(`GET ${bucket}?location`),
        empty: own.s3(`GET ${bucket}?list-type=2`),
        removed: own.s3(`DELETE ${bucket}`),
        removedAgain: own.s3(`DELETE ${bucket}`),
        headOfNone: own.s3(`HEAD ${bucket}`),
        listOfNone: own.s3(`GET ${bucket}?list-type=2`),
        versioningOfNone: own.s3(`GET ${bucket}?versioning`)
      },
      s3Seen
    )
  }).pipe(Effect.scoped),

  "invalid requests for buckets": Effect.gen(function* () {
    const { bucket, s3 } = yield* guest("wrong", 30)
    const names = ["ab", "UPPER-case", "under_score", "two..dots", "192.168.1.1", "-hyphen", "hyphen-", "x".repeat(64)]
    const places = ["", "default", ":default-placement", "eu-west-1", "us-east-1"]
    return {
      names: yield* Effect.forEach(names, (name) => Effect.map(s3(`PUT ${name}`), codeOf)),
      places: yield* Effect.forEach(places, (place, i) =>
        Effect.map(s3(`PUT ${bucket}-${i}`, constraint(place)), codeOf)
      ),
      noXml: codeOf(yield* s3(`PUT ${bucket}`, { text: "<Create", type: xml })),
      otherXml: codeOf(yield* s3(`PUT ${bucket}`, { text: "<Other></Other>", type: xml })),
      inAnotherTenant: codeOf(yield* s3(`PUT elsewhere%3A${bucket}`)),
      patch: codeOf(yield* s3(`PATCH ${bucket}`)),
      removedService: codeOf(yield* s3("DELETE "))
    }
  }).pipe(Effect.scoped),

  "the limit of a user's buckets": Effect.gen(function* () {
    const { admin, bucket, s3 } = yield* guest("many")
    const other = yield* guest("manyothers")
    const limit = (most: number) => admin("POST", "user", { "max-buckets": String(most) })
    const make = (n: number) => Effect.map(s3(`PUT ${bucket}-${n}`), codeOf)
    yield* other.s3(`PUT ${other.bucket}`)
    yield* limit(-1)
    const negative = yield* make(1)
    yield* limit(0)
    const zero = yield* Effect.forEach([1, 2], make)
    yield* limit(3)
    const three = yield* Effect.forEach([3, 4], make)
    return {
      negative,
      zero,
      three,
      ownAgain: codeOf(yield* s3(`PUT ${bucket}-1`)),
      takenByAnother: codeOf(yield* s3(`PUT ${other.bucket}`)),
      badName: codeOf(yield* s3("PUT BAD_name")),
      removed: codeOf(yield* s3(`DELETE ${bucket}-1`)),
      afterThat: yield* make(5)
    }
  }).pipe(Effect.scoped),

  "objects: written, read, described, removed": Effect.gen(function* () {
    const { bucket, s3 } = yield* guest("objects")
    const place = `${bucket}/a%20b/%C3%A9`
    yield* s3(`PUT ${bucket}`)
    const described = { "x-amz-meta-color": "blue", "cache-control": "no-cache" }
    return yield* answers(
      {
        written: s3(`PUT ${place}`, { ...text("hello"), headers: described }),
        read: s3(`GET ${place}`),
        head: s3(`HEAD ${place}`),
        part: s3(`GET ${place}`, { headers: { range: "bytes=1-2" } }),
        lastPart: s3(`GET ${place}`, { headers: { range: "bytes=-2" } }),
        noPart: s3(`GET ${place}`, { headers: { range: "bytes=9-12" } }),
        unchanged: s3(`GET ${place}`, { headers: { "if-none-match": '"5d41402abc4b2a76b9719d911017c592"' } }),
        other: s3(`GET ${place}`, { headers: { "if-match": '"another"' } }),
        notNew: s3(`PUT ${place}`, { ...text("x"), headers: { "if-none-match": "*" } }),
        badDigest: s3(`PUT ${place}`, { ...text("x"), headers: { "content-md5": "AAAAAAAAAAAAAAAAAAAAAA==" } }),
        noDigest: s3(`PUT ${place}`, { ...text("x"), headers: { "content-md5": "nonsense" } }),
        keyTooLong: s3(`PUT ${bucket}/${"k".repeat(1025)}`, text("x")),
        noText: s3(`PUT ${bucket}/a%FFb`, text("x")),
        readOfNone: s3(`GET ${bucket}/none`),
        headOfNone: s3(`HEAD ${bucket}/none`),
        inNoBucket: s3(`PUT ${bucket}-none/key`, text("x")),
        bucketStays: s3(`DELETE ${bucket}`),
        removed: s3(`DELETE ${place}`),
        removedAgain: s3(`DELETE ${place}`),
        bucketGoes: s3(`DELETE ${bucket}`)
      },
      s3Seen
    )
  }).pipe(Effect.scoped),

  "objects with odd names are listed by their bytes, and in pages": Effect.gen(function* () {
    const { bucket, s3 } = yield* guest("odd")
    yield* s3(`PUT ${bucket}`)
    const written = yield* Effect.forEach(oddKeys, (_) => Effect.map(s3(`PUT ${bucket}/${_}`, text("x")), codeOf))
    const list = (query: string) => s3(`GET ${bucket}?list-type=2&${query}`)
    const first = yield* list("max-keys=4")
    const [token = ""] = textsIn(first, "NextContinuationToken")
    return {
      written,
      read: yield* Effect.forEach(oddKeys, (_) => Effect.map(s3(`GET ${bucket}/${_}`), codeOf)),
      raw: textsIn(yield* list(""), "Key"),
      encoded: textsIn(yield* list("encoding-type=url"), "Key"),
      first: s3Seen(first),
      second: textsIn(yield* list(`max-keys=4&continuation-token=${encodeURIComponent(token)}`), "Key"),
      after: s3Seen(yield* list("max-keys=1&start-after=dir%2Fone&fetch-owner=true")),
      ...(yield* answers(
        {
          folders: list("delimiter=%2F&max-keys=5"),
          foldersEncoded: list("delimiter=%2F&encoding-type=url&prefix=%E6%97%A5"),
          afterAFolder: list("delimiter=%2F&max-keys=2&continuation-token=dir%2F"),
          withinAFolder: list("delimiter=%2F&max-keys=2&continuation-token=dir%2Fone"),
          prefix: list("prefix=dir%2F&encoding-type=url"),
          nothing: list("max-keys=0"),
          lessThanNothing: list("max-keys=-1"),
          noNumber: list("max-keys=many"),
          tooMany: list("max-keys=5000&prefix=none"),
          firstVersionOfTheCall: s3(`GET ${bucket}?max-keys=1`)
        },
        s3Seen
      ))
    }
  }).pipe(Effect.scoped),

  "versions: stored, marked as deleted, suspended": Effect.gen(function* () {
    const { admin, bucket, s3 } = yield* guest("versions")
    const key = `${bucket}/key`
    yield* s3(`PUT ${bucket}`)
    yield* s3(`PUT ${key}`, text("before"))
    const before = yield* answers(
      {
        never: s3(`GET ${bucket}?versioning`),
        noStatus: s3(`PUT ${bucket}?versioning`, { text: "<VersioningConfiguration/>", type: xml }),
        oddStatus: s3(`PUT ${bucket}?versioning`, versioning("Off")),
        enabled: s3(`PUT ${bucket}?versioning`, versioning("Enabled")),
        shown: s3(`GET ${bucket}?versioning`)
      },
      s3Seen
    )
    const first = yield* s3(`PUT ${key}`, text("first"))
    yield* s3(`PUT ${key}`, text("second"))
    const id = first.headers["x-amz-version-id"] ?? ""
    const marked = yield* s3(`DELETE ${key}`)
    const marker = marked.headers["x-amz-version-id"] ?? ""
    const kept = yield* answers(
      {
        newest: s3(`GET ${key}`),
        one: s3(`GET ${key}?versionId=${id}`),
        unnumbered: s3(`GET ${key}?versionId=null`),
        unknown: s3(`GET ${key}?versionId=unknown`),
        marker: s3(`GET ${key}?versionId=${marker}`),
        versions: s3(`GET ${bucket}?versions`),
        firstOfThem: s3(`GET ${bucket}?versions&max-keys=1`),
        objects: s3(`GET ${bucket}?list-type=2`),
        bucketStays: s3(`DELETE ${bucket}`)
      },
      s3Seen
    )
    const stats = at((yield* admin("GET", "bucket", { stats: "true" })).json, 0, "usage")
    const suspended = yield* answers(
      {
        suspended: s3(`PUT ${bucket}?versioning`, versioning("Suspended")),
        shown: s3(`GET ${bucket}?versioning`),
        written: s3(`PUT ${key}`, text("third")),
        read: s3(`GET ${key}`),
        removed: s3(`DELETE ${key}`),
        versions: s3(`GET ${bucket}?versions`),
        unmarked: s3(`DELETE ${key}?versionId=${marker}`),
        unmarkedAgain: s3(`DELETE ${key}?versionId=${marker}`),
        withoutNumber: s3(`DELETE ${key}?versionId=null`),
        newestAgain: s3(`GET ${key}`)
      },
      s3Seen
    )
    return { before, first: s3Seen(first), marked: s3Seen(marked), kept, stats, suspended }
  }).pipe(Effect.scoped),

  "presigned addresses": Effect.gen(function* () {
    const { bucket, key, s3, shared } = yield* guest("shared")
    const [place, upload] = [`${bucket}/a%20b/%C3%A9`, `${bucket}/upload`]
    yield* s3(`PUT ${bucket}`)
    yield* s3(`PUT ${place}`, text("hello"))
    const by = (line: Effect.Effect<string>, asked = {}) => Effect.flatMap(line, (_) => anyone(_, asked))
    const good = shared(`GET ${place}`, 60)
    const unknown = { access_key: "NOBODYSACCESSKEY0001", secret_key: "x" }
    return yield* answers(
      {
        read: by(good),
        part: by(good, { headers: { range: "bytes=0-0" } }),
        asAttachment: by(shared(`GET ${place}?response-content-disposition=attachment`, 60)),
        written: by(shared(`PUT ${upload}`, 60), text("up")),
        head: by(Effect.map(good, (_) => _.replace("GET", "HEAD"))),
        ofAnother: by(Effect.map(good, (_) => _.replace("%C3%A9", "other"))),
        longer: by(Effect.map(good, (_) => _.replace("Expires=60", "Expires=61"))),
        ofNone: by(shared(`GET ${bucket}/none`, 60)),
        over: by(shared(`GET ${place}`, 60, 61)),
        old: by(shared(`GET ${place}`, 7200, 3600)),
        ahead: by(shared(`GET ${place}`, 60, -1200)),
        // Longer than seven days no signer grants.
        forEver: by(Effect.map(good, (_) => _.replace("Expires=60", "Expires=604801"))),
        withoutDate: by(Effect.map(good, (_) => _.replace("X-Amz-Date", "X-Other"))),
        unknownKey: by(Effect.map(good, (_) => _.replace(key.access_key, unknown.access_key)))
      },
      s3Seen
    )
  }).pipe(Effect.scoped),

  "missing and invalid signatures of S3": Effect.gen(function* () {
    const { admin, bucket, key, s3 } = yield* guest("signers")
    yield* s3(`PUT ${bucket}`)
    yield* s3(`PUT ${bucket}/key`, text("x"))
    const wrong = { access_key: key.access_key, secret_key: "wrong" }
    const unknown = { access_key: "NOBODYSACCESSKEY0001", secret_key: "x" }
    const before = yield* answers(
      {
        list: anyone("GET rgw/"),
        bucket: anyone(`GET rgw/${bucket}?list-type=2`),
        object: anyone(`GET rgw/${bucket}/key`),
        make: anyone(`PUT rgw/${bucket}-other`),
        nonsense: anyone(`GET rgw/${bucket}`, { headers: { authorization: "nonsense" } }),
        wrongSecret: anyone(`GET rgw/${bucket}`, { key: wrong }),
        unknownKey: anyone(`GET rgw/${bucket}`, { key: unknown }),
        administrator: anyone(`GET rgw/tenant%3A${bucket}?list-type=2`),
        plusInThePath: s3(`GET ${bucket}/a+b`),
        plusInTheQuery: s3(`GET ${bucket}?list-type=2&prefix=a+b`),
        json: s3(`GET ${bucket}/none`, { headers: { accept: "application/json" } })
      },
      s3Seen
    )
    yield* admin("POST", "user", { suspended: "true" })
    const suspended = yield* answers({ object: s3(`GET ${bucket}/key`), list: s3("GET ") }, s3Seen)
    yield* admin("DELETE", "user", { key: "", "access-key": key.access_key })
    return { before, suspended, keyGone: s3Seen(yield* s3("GET ")) }
  }).pipe(Effect.scoped),

  "quotas are enforced, in blocks": Effect.gen(function* () {
    const { admin, bucket, s3 } = yield* guest("quotas")
    const quota = (more: Readonly<Record<string, string>>, type = "user") =>
      admin("PUT", "user", { quota: "", "quota-type": type, enabled: "true", ...more })
    const put = (key: string, size: number) => Effect.map(s3(`PUT ${bucket}/${key}`, text("x".repeat(size))), codeOf)
    yield* s3(`PUT ${bucket}`)
    yield* quota({ "max-size": "10000", "max-objects": "-1" })
    const bySize = {
      fits: yield* put("one", 4097),
      tooLarge: yield* put("two", 4097),
      oneByte: yield* put("two", 1),
      instead: yield* put("one", 4097)
    }
    yield* quota({ "max-size": "0", "max-objects": "0" })
    const nothing = {
      empty: yield* put("none", 0),
      read: codeOf(yield* s3(`GET ${bucket}/one`)),
      bucket: codeOf(yield* s3(`PUT ${bucket}-more`)),
      head: s3Seen(yield* s3(`HEAD ${bucket}`))
    }
    yield* quota({ "max-size": "-1", "max-objects": "2" })
    const byNumber = { second: yield* put("two", 1), third: yield* put("three", 1) }
    yield* quota({ "max-size": "-1", "max-objects": "-1" })
    yield* quota({ "max-size": "-1", "max-objects": "2" }, "bucket")
    const ofEachBucket = {
      third: yield* put("three", 1),
      elsewhere: codeOf(yield* s3(`PUT ${bucket}-more/x`, text("x")))
    }
    const stats = (more: Readonly<Record<string, string>>) =>
      Effect.map(admin("GET", "user", { stats: "true", ...more }), (_) => at(_.json, "stats"))
    return {
      bySize,
      nothing,
      byNumber,
      ofEachBucket,
      statsBefore: yield* stats({}),
      statsSynced: yield* stats({ sync: "true" }),
      statsAfter: yield* stats({})
    }
  }).pipe(Effect.scoped),

  "uploads in parts": Effect.gen(function* () {
    const { admin, bucket, s3 } = yield* guest("parts")
    yield* s3(`PUT ${bucket}`)
    const begin = Effect.fnUntraced(function* (key: string) {
      const begun = yield* s3(`POST ${bucket}/${key}?uploads`, text(""))
      return { begun, place: `${bucket}/${key}`, id: encodeURIComponent(textsIn(begun, "UploadId")[0] ?? "") }
    })
    const one = yield* begin("one%20part")
    const part = yield* s3(`PUT ${one.place}?partNumber=1&uploadId=${one.id}`, text("whole"))
    const complete = (tag: string, id = one.id) =>
      s3(`POST ${one.place}?uploadId=${id}`, {
        text: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${tag}</ETag></Part></CompleteMultipartUpload>`,
        type: xml
      })
    const first = yield* answers(
      {
        parts: s3(`GET ${one.place}?uploadId=${one.id}`),
        uploads: s3(`GET ${bucket}?uploads`),
        objects: s3(`GET ${bucket}?list-type=2`),
        wrongTag: complete('"wrong"'),
        noParts: s3(`POST ${one.place}?uploadId=${one.id}`, { text: "<CompleteMultipartUpload/>", type: xml }),
        unknown: complete('"x"', "unknown"),
        partOfUnknown: s3(`PUT ${one.place}?partNumber=1&uploadId=unknown`, text("x")),
        partsOfUnknown: s3(`GET ${one.place}?uploadId=unknown`),
        // Where it is, in a spelling of the service's own.
        completed: Effect.map(complete(part.headers["etag"] ?? ""), (_) => ({
          ..._,
          text: _.text.replace(/<Location>.*<\/Location>/, "")
        })),
        read: s3(`GET ${one.place}`)
      },
      s3Seen
    )
    const two = yield* begin("two")
    for (const number of [1, 2]) yield* s3(`PUT ${two.place}?partNumber=${number}&uploadId=${two.id}`, text("small"))
    const usage = at((yield* admin("GET", "bucket", { stats: "true" })).json, 0, "usage")
    const second = yield* answers(
      {
        aborted: s3(`DELETE ${two.place}?uploadId=${two.id}`),
        abortedAgain: s3(`DELETE ${two.place}?uploadId=${two.id}`),
        removed: s3(`DELETE ${one.place}`)
      },
      s3Seen
    )
    yield* begin("three")
    const bucketWithUpload = s3Seen(yield* s3(`DELETE ${bucket}`))
    return { begun: s3Seen(one.begun), part: s3Seen(part), first, usage, second, bucketWithUpload }
  }).pipe(Effect.scoped),

  "many objects removed at once": Effect.gen(function* () {
    const { bucket, s3 } = yield* guest("lists")
    const remove = (text: string) => s3(`POST ${bucket}?delete`, { text, type: xml })
    yield* s3(`PUT ${bucket}`)
    for (const key of ["one", "%3Ctwo%3E"]) yield* s3(`PUT ${bucket}/${key}`, text("x"))
    const plain = yield* answers(
      {
        one: remove("<Delete><Object><Key>one</Key></Object></Delete>"),
        escaped: remove("<Delete><Object><Key>&lt;two&gt;</Key></Object></Delete>"),
        quiet: remove("<Delete><Quiet>true</Quiet><Object><Key>none</Key></Object></Delete>"),
        nothing: remove("<Delete></Delete>"),
        noXml: remove("<Delete>"),
        left: s3(`GET ${bucket}?list-type=2`)
      },
      s3Seen
    )
    yield* s3(`PUT ${bucket}?versioning`, versioning("Enabled"))
    const marked = yield* remove("<Delete><Object><Key>key</Key></Object></Delete>")
    const [id = ""] = textsIn(marked, "DeleteMarkerVersionId")
    const unmarked = yield* remove(`<Delete><Object><Key>key</Key><VersionId>${id}</VersionId></Object></Delete>`)
    return {
      plain,
      marked: s3Seen(marked),
      unmarked: s3Seen(unmarked),
      bucketGoes: s3Seen(yield* s3(`DELETE ${bucket}`))
    }
  }).pipe(Effect.scoped),

  "access lists: what they grant to another user, and what never": Effect.gen(function* () {
    const own = yield* guest("lists")
    const other = yield* guest("granted")
    const { bucket } = own
    const uid = ({ bucket }: { readonly bucket: string }) => `tenant$${bucket.replaceAll("-", "")}`
    const [owner, stranger] = [uid(own), uid(other)]
    const list = (of: string, ...grants: ReadonlyArray<readonly [grantee: string, permission: string]>) => ({
      text: `<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Owner><ID>${of}</ID></Owner><AccessControlList>${grants
        .map(
          ([grantee, permission]) =>
            `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>${grantee}</ID></Grantee><Permission>${permission}</Permission></Grant>`
        )
        .join("")}</AccessControlList></AccessControlPolicy>`,
      type: xml
    })
    const canned = (name: string) => ({ headers: { "x-amz-acl": name } })
    yield* own.s3(`PUT ${bucket}`)
    yield* own.s3(`PUT ${bucket}/one`, text("kept"))
    /** What another user may do now. */
    const reach = answers(
      {
        list: other.s3(`GET ${bucket}?list-type=2`),
        read: other.s3(`GET ${bucket}/one`),
        absent: other.s3(`GET ${bucket}/none`),
        write: other.s3(`PUT ${bucket}/two`, text("theirs")),
        lists: other.s3(`GET ${bucket}?acl`),
        grant: other.s3(`PUT ${bucket}?acl`, canned("public-read-write")),
        grantObject: other.s3(`PUT ${bucket}/one?acl`, canned("public-read")),
        versioning: other.s3(`GET ${bucket}?versioning`),
        ownBuckets: other.s3("GET ")
      },
      codeOf
    )
    const outcome = {
      fresh: s3Seen(yield* own.s3(`GET ${bucket}?acl`)),
      freshObject: s3Seen(yield* own.s3(`GET ${bucket}/one?acl`)),
      private: yield* reach,
      refused: yield* answers(
        {
          noCanned: own.s3(`PUT ${bucket}?acl`, canned("nonsense")),
          noUser: own.s3(`PUT ${bucket}?acl`, list(owner, ["tenant$nobody", "READ"])),
          otherOwner: own.s3(`PUT ${bucket}?acl`, list(stranger, [stranger, "FULL_CONTROL"])),
          noPermission: own.s3(`PUT ${bucket}?acl`, list(owner, [stranger, "NONSENSE"])),
          noXml: own.s3(`PUT ${bucket}?acl`, { text: "<x", type: xml })
        },
        s3Seen
      ),
      canned: s3Seen(yield* own.s3(`PUT ${bucket}?acl`, canned("public-read"))),
      cannedShown: s3Seen(yield* own.s3(`GET ${bucket}?acl`)),
      readable: yield* reach,
      granted: s3Seen(
        yield* own.s3(
          `PUT ${bucket}?acl`,
          list(owner, [owner, "FULL_CONTROL"], [stranger, "READ"], [stranger, "WRITE"])
        )
      ),
      grantedShown: s3Seen(yield* own.s3(`GET ${bucket}?acl`)),
      writable: yield* reach,
      written: yield* answers(
        {
          byOwner: own.s3(`GET ${bucket}/two`),
          listByOwner: own.s3(`GET ${bucket}/two?acl`),
          byWriter: other.s3(`GET ${bucket}/two`),
          removedByOwner: own.s3(`DELETE ${bucket}/two`),
          removedByWriter: other.s3(`DELETE ${bucket}/one`)
        },
        codeOf
      )
    }
    return outcome
  }).pipe(Effect.scoped),

  "a user is removed with its buckets on request": Effect.gen(function* () {
    const { admin, bucket, s3 } = yield* guest("purged")
    yield* s3(`PUT ${bucket}`)
    const fresh = at((yield* admin("GET", "bucket", { stats: "true" })).json, 0, "usage")
    yield* s3(`PUT ${bucket}/key`, text("x"))
    const filled = at((yield* admin("GET", "bucket", { stats: "true" })).json, 0, "usage")
    yield* s3(`DELETE ${bucket}/key`)
    const emptied = at((yield* admin("GET", "bucket", { stats: "true" })).json, 0, "usage")
    yield* s3(`PUT ${bucket}/key`, text("x"))
    return {
      fresh,
      filled,
      emptied,
      ...(yield* answers({
        names: admin("GET", "bucket", {}),
        kept: admin("DELETE", "user", {}),
        gone: admin("DELETE", "user", { "purge-data": "true" }),
        names_after: admin("GET", "bucket", {})
      })),
      signer: s3Seen(yield* s3("GET "))
    }
  }).pipe(Effect.scoped)
}
