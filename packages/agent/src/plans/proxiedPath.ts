const version = /^v\d+(\.\d+)?$/
const projectId = /^[0-9a-f-]+$/

/**
 * The segments of a proxied call below its service, in the one spelling that decisions are made on. Stock clients put
 * the service's version before the path, and compute and volume accept the project id after it:
 * `v3/<project id>/volumes` is `volumes`.
 */
export const withoutPrefixes = (service: string, segments: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = version.test(segments[0] ?? "") ? segments.slice(1) : segments
  return (service === "compute" || service === "volume") && projectId.test(own[0] ?? "") ? own.slice(1) : own
}
