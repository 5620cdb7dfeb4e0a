import { Option } from "effect"

/** How somebody behind the gateway might take a path apart. */
export interface PathReader {
  readonly name: string
  /** What is between the slashes; undefined where the reader refuses the path. */
  read(path: string): ReadonlyArray<string> | undefined
}

type Step = (path: string) => string | undefined

/** Escapes of bytes; a run that is no UTF-8 is refused. */
const decoded: Step = (path) => Option.getOrUndefined(decode(path))
const decode = Option.liftThrowable(decodeURIComponent)

const slashesMerged: Step = (path) => path.replace(/\/{2,}/g, "/")
const backslashesTurned: Step = (path) => path.replaceAll("\\", "/")
const cutAtNul: Step = (path) => path.split("\0")[0]
const cutAtHash: Step = (path) => path.split("#")[0]
const cutAtMark: Step = (path) => path.split("?")[0]
const withoutParameters: Step = (path) => path.replace(/;[^/]*/g, "")
const withoutSuffix: Step = (path) => path.replace(/\.(?:json|xml)(\/?)$/i, "$1")
const withoutLastSlash: Step = (path) => path.replace(/\/$/, "")
/** To the databases behind most services two texts are one when they differ in spaces at the end. */
const padded: Step = (path) => path.replace(/ +(?=\/|$)/g, "")
const withoutAccents: Step = (path) => path.normalize("NFD").replace(/\p{M}/gu, "")

/** RFC 3986, section 5.2.4, on what is between slashes. */
const dotsResolved: Step = (path) => {
  const resolved: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "..") resolved.pop()
    else if (segment !== ".") resolved.push(segment)
  }
  return resolved.join("/")
}

const reader = (name: string, ...steps: ReadonlyArray<Step>): PathReader => ({
  name,
  read: (path) =>
    steps.reduce<string | undefined>((path, step) => (path === undefined ? undefined : step(path)), path)?.split("/")
})

/** None of these knows another: what all of them agree on has one meaning. */
export const pathReaders: ReadonlyArray<PathReader> = [
  reader("decodes once", decoded),
  reader("decodes twice", decoded, decoded),
  reader("resolves dots, then decodes", dotsResolved, decoded),
  reader("decodes, then resolves dots", decoded, dotsResolved),
  reader("decodes, merges slashes, resolves dots", decoded, slashesMerged, dotsResolved),
  reader("decodes twice, merges slashes, resolves dots", decoded, decoded, slashesMerged, dotsResolved),
  reader("takes a backslash for a slash", decoded, backslashesTurned, slashesMerged, dotsResolved),
  reader("ends at NUL", decoded, cutAtNul),
  reader("ends at a number sign", decoded, cutAtHash),
  reader("ends at an encoded question mark", decoded, cutAtMark),
  reader("takes parameters off, then decodes", withoutParameters, decoded),
  reader("decodes, then takes parameters off", decoded, withoutParameters),
  reader("takes off the last slash", decoded, withoutLastSlash),
  reader("finds names with spaces behind", decoded, padded)
]

/** Routers of these services take a format off the end before they look for a route. */
export const suffixReader: PathReader = reader("takes off a suffix", decoded, withoutSuffix)

/** The load balancer's database takes letters with accents for those without. */
export const accentReader: PathReader = reader("overlooks accents", decoded, withoutAccents)
