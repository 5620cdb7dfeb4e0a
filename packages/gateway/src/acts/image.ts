import { Predicate } from "effect"
import { type Act, actsOf, catalogue, writing } from "./Act.ts"
import { isShown, onDevicesOf, onSecretsOf } from "./imageProperties.ts"
import { memberOf, membersLike, pointerRoot } from "./reading.ts"

/** The Image API, whose sections are anchors of one page. */
const { gives, never, on } = actsOf("image", "https://docs.openstack.org/api-ref/image/v2/#")

/**
 * Whether a JSON patch makes an image visible to other projects, in the form of RFC 6902 and in the earlier one, where
 * the operation's name holds the path: `{"replace": "/visibility", "value": "community"}`.
 */
const patchesVisibility = (body: unknown): boolean =>
  Array.isArray(body) && body.some((change) => writesVisibility(change) && memberOf(change, "value") !== "private")

const writesVisibility = (change: unknown): boolean => writes(change, "visibility")

/** Whether an operation of a patch names a property, in either form. */
const writes = (change: unknown, property: string): boolean =>
  Predicate.isReadonlyObject(change) &&
  Object.values(change).some((_) => typeof _ === "string" && _.startsWith("/") && pointerRoot(_) === property)

/** Whether an operation of a patch sets a property, in either form. A removal sets none. */
const setsProperty = (change: unknown, property: string): boolean =>
  [
    memberOf(change, "op") === "remove" ? undefined : memberOf(change, "path"),
    memberOf(change, "add"),
    memberOf(change, "replace")
  ].some((_) => typeof _ === "string" && pointerRoot(_) === property)

/**
 * Not in the table: data is uploaded once, to an image that has none; a deactivated image can be reactivated; a patch
 * removes attributes only.
 */
export const image: ReadonlyArray<Act> = [
  ...onSecretsOf({ on }, "images", "create-image", ["POST"], membersLike),
  ...onSecretsOf({ on }, "images/*", "update-image", ["PATCH"], (body, name) =>
    Array.isArray(body) ? body.filter((_) => writes(_, name)) : []
  ),
  onDevicesOf({ never }, "images", "create-image", ["POST"], membersLike),
  onDevicesOf({ never }, "images/*", "update-image", ["PATCH"], (body, name) =>
    Array.isArray(body) ? body.filter((_) => setsProperty(_, name)) : []
  ),
  gives("images/*/members", "the member reads and copies the image", "create-image-member", ["POST"]),
  gives("images", "every project reads the image", "create-image", ["POST"], (body) => {
    const visibility = memberOf(body, "visibility")
    // Images are made `shared`, and have no members then.
    return isShown(visibility) && visibility !== "shared"
  }),
  gives("images/*", "other projects read the image", "update-image", ["PATCH"], patchesVisibility),
  never("tasks/**", "the older way of import, by which Glance fetches any address", "tasks"),
  never("cache/**", "the cache is the platform's", "cache-manage"),
  never("cached_images/**", "the cache is the platform's", "cache-manage"),
  never("queued_images/**", "the cache is the platform's", "cache-manage"),
  never("info/stores/detail/**", "it tells of the storage behind the cloud", "list-stores-detail"),
  never("metadefs/**", catalogue, "metadata-definition-namespaces", writing)
]
