import { Result } from "effect"
import { entry } from "../../Json.ts"
import type { Answer, Step } from "../../Wire.ts"
import { byBytes } from "../percent.ts"
import type { Acl, Bucket, Grant, ObjectVersion, Permission, RgwState } from "../state.ts"
import { bare, document, refuseS3 } from "./answers.ts"
import { bucketFor, found } from "./access.ts"
import { bodyText, type S3Request } from "./request.ts"
import { childrenOf, type Element, parsed, textIn, type Xml } from "./xml.ts"

const groups = "http://acs.amazonaws.com/groups/global/"
const permissions: ReadonlyArray<Permission> = ["READ", "WRITE", "READ_ACP", "WRITE_ACP", "FULL_CONTROL"]

const everybody = (permission: Permission): Grant => ({ grantee: "AllUsers", permission })

/** The grants of the canned ACLs, in addition to the owner's. */
const canned: Readonly<Record<string, (bucketOwner: string) => ReadonlyArray<Grant>>> = {
  private: () => [],
  "public-read": () => [everybody("READ")],
  "public-read-write": () => [everybody("READ"), everybody("WRITE")],
  "authenticated-read": () => [{ grantee: "AuthenticatedUsers", permission: "READ" }],
  "bucket-owner-read": (grantee) => [{ grantee, permission: "READ" }],
  "bucket-owner-full-control": (grantee) => [{ grantee, permission: "FULL_CONTROL" }]
}

/** The canned ACL of a header; undefined without the header. */
export const cannedAcl = (
  { bucket, incoming }: S3Request,
  owner: string,
  bucketOwner: string
): Step<Acl | undefined> => {
  const name = incoming.headers["x-amz-acl"]
  if (name === undefined) return Result.succeed(undefined)
  const grants = entry(canned, name)
  return grants === undefined
    ? refuseS3("InvalidArgument", bucket)
    : Result.succeed([...grants(bucketOwner), { grantee: owner, permission: "FULL_CONTROL" }])
}

const displayName = (rgw: RgwState, uid: string): string => entry(rgw.users, uid)?.display_name ?? ""

/** Groups are first, because they have no id. */
const sortKey = ({ grantee }: Grant): string => (isGroup(grantee) ? "" : grantee)

const isGroup = (grantee: string): boolean => grantee === "AllUsers" || grantee === "AuthenticatedUsers"

const grantXml = (rgw: RgwState, { grantee, permission }: Grant): Xml => {
  const type = isGroup(grantee) ? "Group" : "CanonicalUser"
  const named: ReadonlyArray<Xml> = isGroup(grantee)
    ? [["URI", `${groups}${grantee}`]]
    : [
        ["ID", grantee],
        ["DisplayName", displayName(rgw, grantee)]
      ]
  return [
    "Grant",
    [
      [`Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}"`, named],
      ["Permission", permission]
    ]
  ]
}

const shown = ({ rgw }: S3Request, owner: string, acl: Acl | undefined): Answer =>
  document([
    "AccessControlPolicy",
    [
      [
        "Owner",
        [
          ["ID", owner],
          ["DisplayName", displayName(rgw, owner)]
        ]
      ],
      [
        "AccessControlList",
        (acl ?? [{ grantee: owner, permission: "FULL_CONTROL" as const }])
          .toSorted((a, b) => byBytes(sortKey(a), sortKey(b)))
          .map((_) => grantXml(rgw, _))
      ]
    ]
  ])

const granteeOf = ({ bucket, rgw }: S3Request, grant: Element): Step<string> => {
  const [grantee] = childrenOf(grant, "Grantee")
  const [id, uri] = grantee === undefined ? [] : [textIn(grantee, "ID"), textIn(grantee, "URI")]
  if (uri === `${groups}AllUsers` || uri === `${groups}AuthenticatedUsers`) {
    return Result.succeed(uri.slice(groups.length))
  }
  return id !== undefined && entry(rgw.users, id) !== undefined
    ? Result.succeed(id)
    : refuseS3("InvalidArgument", bucket, "Invalid id")
}

/** The ACL of a body, or of the header. The owner is immutable. */
const asked = (request: S3Request, owner: string, bucketOwner: string): Step<Acl> =>
  Result.gen(function* () {
    const byHeader = yield* cannedAcl(request, owner, bucketOwner)
    if (byHeader !== undefined) return byHeader
    const root = parsed(bodyText(request))
    if (Result.isFailure(root) || root.success.name !== "AccessControlPolicy") {
      return yield* refuseS3("InvalidArgument", request.bucket)
    }
    const [named] = childrenOf(root.success, "Owner")
    if (named !== undefined && textIn(named, "ID") !== owner) return yield* refuseS3("AccessDenied", request.bucket)
    const grants: Array<Grant> = []
    for (const grant of childrenOf(root.success, "AccessControlList").flatMap((_) => childrenOf(_, "Grant"))) {
      const permission = permissions.find((_) => _ === textIn(grant, "Permission"))
      if (permission === undefined) return yield* refuseS3("InvalidArgument", request.bucket)
      grants.push({ grantee: yield* granteeOf(request, grant), permission })
    }
    return grants
  })

export const getBucketAcl = (request: S3Request): Step<Answer> =>
  Result.map(bucketFor(request, "READ_ACP"), ({ bucket }) => shown(request, bucket.owner, bucket.acl))

export const putBucketAcl = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { bucket } = yield* bucketFor(request, "WRITE_ACP")
    bucket.acl = yield* asked(request, bucket.owner, bucket.owner)
    return bare(200, { "content-type": "application/xml" })
  })

/** The object of the path with its owner, if the caller has the permission on its ACL. */
const objectFor = (
  request: S3Request,
  permission: Permission
): Step<{ bucket: Bucket; version: ObjectVersion; owner: string }> =>
  Result.gen(function* () {
    const { bucket } = yield* bucketFor(request)
    const version = yield* found(request, bucket, permission)
    return { bucket, version, owner: version.owner ?? bucket.owner }
  })

export const getObjectAcl = (request: S3Request): Step<Answer> =>
  Result.map(objectFor(request, "READ_ACP"), ({ owner, version }) => shown(request, owner, version.acl))

export const putObjectAcl = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { bucket, owner, version } = yield* objectFor(request, "WRITE_ACP")
    const acl = yield* asked(request, owner, bucket.owner)
    bucket.objects = bucket.objects.map((_) => (_ === version ? { ..._, acl } : _))
    return bare(200, { "content-type": "application/xml" })
  })
