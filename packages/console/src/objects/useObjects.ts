import type { CallOptions } from "@portico/client"
import { portico } from "../api/portico.ts"
import { type Pages, usePages } from "../api/useAnswer.ts"
import type { Finder } from "../app/definitions.ts"
import { bucketHref, delimiter } from "./places.ts"

const storage = portico.objectStorage

type ObjectPage = Awaited<ReturnType<typeof storage.listObjects>>
type VersionPage = Awaited<ReturnType<typeof storage.listVersions>>
export type StoredObject = ObjectPage["objects"][number]
export type ObjectVersion = VersionPage["versions"][number]
export type Bucket = Awaited<ReturnType<typeof storage.listBuckets>>["buckets"][number]

interface Place {
  readonly name: string
  readonly prefix?: string | undefined
  readonly cursor?: string | undefined
}

/** The object gateway's word for a cursor is another one. */
const withCursor = <Page extends { readonly next_continuation_token: string | null }>(page: Page) => ({
  ...page,
  next_cursor: page.next_continuation_token
})

const readFolder = Object.assign(
  async ({ cursor, ...place }: Place & { readonly delimiter: string }, options?: CallOptions) =>
    withCursor(await storage.listObjects({ ...place, continuation_token: cursor }, options)),
  { operation: storage.listObjects.operation }
)

const readVersions = Object.assign(
  async ({ cursor, ...place }: Place, options?: CallOptions) =>
    withCursor(await storage.listVersions({ ...place, continuation_token: cursor }, options)),
  { operation: storage.listVersions.operation }
)

const given = (prefix: string) => (prefix === "" ? {} : { prefix })

/** One folder of a bucket, page by page. */
export const useFolder = (name: string, prefix: string): Pages<ObjectPage> =>
  usePages(readFolder, { name, delimiter, ...given(prefix) })

/** The versions of all objects whose keys begin with the prefix. */
export const useVersions = (name: string, prefix: string): Pages<VersionPage> =>
  usePages(readVersions, { name, ...given(prefix) })

interface Wanted {
  readonly name: string
  readonly key: string
  readonly version_id?: string | undefined
}

const shortest = 30

/** Opens an object in a window of its own by an address that ends soon. What the browser cannot show, it saves. */
export const download = Object.assign(
  async (wanted: Wanted): Promise<void> => {
    const { url } = await storage.presign({ ...wanted, expires_in: shortest })
    const link = document.createElement("a")
    link.href = url
    link.target = "_blank"
    link.rel = "noopener noreferrer"
    link.download = wanted.key.slice(wanted.key.lastIndexOf("/") + 1)
    link.click()
  },
  { operation: storage.presign.operation }
)

export const find: Finder = async (text, signal) => {
  const { buckets } = await storage.listBuckets({}, { signal })
  return buckets
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map(({ name }) => ({ title: name, kind: "Bucket", href: bucketHref(name) }))
}
