import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { bucketHref } from "./places.ts"

export const find: Finder = async (text, signal) => {
  const { buckets } = await portico.objectStorage.listBuckets({}, { signal })
  return buckets
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map(({ name }) => ({ title: name, kind: "Bucket", href: bucketHref(name) }))
}
