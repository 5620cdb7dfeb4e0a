import { type Act, actsOf, catalogue, writing } from "./Act.ts"

/** The Image API, whose sections are anchors of one page. */
const { never } = actsOf("image", "https://docs.openstack.org/api-ref/image/v2/#")

/**
 * Not in the table: data is uploaded once, to an image that has none; a deactivated image can be reactivated; a patch
 * removes attributes only.
 */
export const image: ReadonlyArray<Act> = [
  never("tasks/**", "the older way of import, by which Glance fetches any address", "tasks"),
  never("cache/**", "the cache is the platform's", "cache-manage"),
  never("cached_images/**", "the cache is the platform's", "cache-manage"),
  never("queued_images/**", "the cache is the platform's", "cache-manage"),
  never("info/stores/detail/**", "it tells of the storage behind the cloud", "list-stores-detail"),
  never("metadefs/**", catalogue, "metadata-definition-namespaces", writing)
]
