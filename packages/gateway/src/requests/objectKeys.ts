/** The routes with an object key in their paths. A key may contain slashes, and end like the route itself. */
const prefix = "/v1/object-storage/"
const presigned = /^(\/v1\/object-storage\/buckets\/[^/?]+\/objects\/)([^?]+)(\/presigned(?:\?.*)?)$/s
const object = /^(\/v1\/object-storage\/buckets\/[^/?]+\/objects\/)([^?]+)((?:\?.*)?)$/s

/**
 * The same address with the object key in one segment, as the router expects it. Clients may send the slashes of a
 * key encoded or not. A DELETE is of an object, so its whole rest is the key; an OPTIONS is of either route.
 */
export const withKeyInOneSegment = (method: string, url: string): string => {
  if (!url.startsWith(prefix)) return url
  const found =
    method === "DELETE"
      ? object.exec(url)
      : (presigned.exec(url) ?? (method === "OPTIONS" ? object.exec(url) : undefined))
  const [, before, key, after] = found ?? []
  return before === undefined || key === undefined ? url : `${before}${key.replaceAll("/", "%2F")}${after}`
}
