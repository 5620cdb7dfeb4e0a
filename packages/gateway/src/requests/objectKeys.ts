/** The routes with an object key in their paths. A key may contain slashes, and end like the route itself. */
const prefix = "/v1/object-storage/"
const presigned = /^(\/v1\/object-storage\/buckets\/[^/?]+\/objects\/)([^?]+)(\/presigned(?:\?.*)?)$/s
const object = /^(\/v1\/object-storage\/buckets\/[^/?]+\/objects\/)([^?]+)((?:\?.*)?)$/s

/**
 * The same address with the object key in one segment, as the router expects it. Clients may send the slashes of a
 * key encoded or not. A DELETE or an OPTIONS is of either route; what ends in `/presigned` is of the route with that
 * ending, whatever the method, so that a deletion of its address deletes no object of that name.
 */
export const withKeyInOneSegment = (method: string, url: string): string => {
  if (!url.startsWith(prefix)) return url
  const isOfEither = method === "DELETE" || method === "OPTIONS"
  const found = presigned.exec(url) ?? (isOfEither ? object.exec(url) : null)
  const [, before, key, after] = found ?? []
  return before === undefined || key === undefined ? url : `${before}${key.replaceAll("/", "%2F")}${after}`
}
