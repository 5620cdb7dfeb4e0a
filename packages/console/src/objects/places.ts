/** The addresses of a bucket's pages. */
export const bucketHref = (bucket: string, prefix = ""): string =>
  `/object-storage/buckets/${encodeURIComponent(bucket)}${prefix === "" ? "" : `?prefix=${encodeURIComponent(prefix)}`}`

export const versionsHref = (bucket: string, key = ""): string =>
  `${bucketHref(bucket)}/versions${key === "" ? "" : `?key=${encodeURIComponent(key)}`}`

export const settingsHref = (bucket: string): string => `${bucketHref(bucket)}/settings`

/** What stands between the slashes of a key. */
export const delimiter = "/"

/** The folder around a key or a folder: `a/` of `a/b.txt` and of `a/b/`. */
export const folderOf = (key: string): string => key.slice(0, key.slice(0, -1).lastIndexOf(delimiter) + 1)

/** The last piece of a key or a folder, with the slash of a folder. */
export const lastPiece = (key: string): string => key.slice(folderOf(key).length)

export interface Crumb {
  readonly title: string
  readonly prefix: string
}

/** The folders on the way to a prefix: `a/` and `a/b/` of `a/b/`. What follows the last slash is no folder. */
export const crumbsOf = (prefix: string): ReadonlyArray<Crumb> => {
  const pieces = prefix.split(delimiter).slice(0, -1)
  return pieces.map((title, at) => ({ title, prefix: `${pieces.slice(0, at + 1).join(delimiter)}${delimiter}` }))
}
