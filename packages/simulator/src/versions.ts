import { newestMinor as newestCinder } from "./cinder/request.ts"
import { newestMinor as newestNova } from "./nova/request.ts"
import { type Handler, json, originOf } from "./Wire.ts"

interface Version {
  readonly id: string
  readonly status: string
  readonly version?: string
  readonly min_version?: string
  readonly updated?: string
  readonly "media-types"?: ReadonlyArray<{ readonly base: string; readonly type: string }>
  /** Whether the service's documentation is linked as well. */
  readonly described?: true
  /** The version's path below the root. */
  readonly at: string
}

/** A service's version document at its root: needs no token, and its links begin with the request's host. */
const versions =
  (status: number, mount: string, list: ReadonlyArray<Version>): Handler =>
  (incoming) =>
    json(status, {
      versions: list.map(({ at, described, ...version }) => ({
        ...version,
        links: [
          ...(described ? [{ rel: "describedby", type: "text/html", href: "https://docs.openstack.org/" }] : []),
          { rel: "self", href: `${originOf(incoming)}/${mount}/${at}` }
        ]
      }))
    })

const minors = (newest: number, current: string, at: string) =>
  Array.from({ length: newest + 1 }, (_, minor) => {
    const id = `v2.${minor}`
    return { id, status: id === current ? "CURRENT" : "SUPPORTED", at }
  })

export const novaVersions = versions(200, "compute", [
  { id: "v2.0", status: "SUPPORTED", version: "", min_version: "", updated: "2011-01-21T11:33:21Z", at: "v2/" },
  {
    id: "v2.1",
    status: "CURRENT",
    version: `2.${newestNova}`,
    min_version: "2.1",
    updated: "2013-07-23T11:33:21Z",
    at: "v2.1/"
  }
])

export const cinderVersions = versions(300, "volume", [
  {
    id: "v3.0",
    status: "CURRENT",
    version: `3.${newestCinder}`,
    min_version: "3.0",
    updated: "2022-08-31T00:00:00Z",
    "media-types": [{ base: "application/json", type: "application/vnd.openstack.volume+json;version=3" }],
    described: true,
    at: "v3/"
  }
])

export const neutronVersions = versions(200, "network", [{ id: "v2.0", status: "CURRENT", at: "v2.0/" }])

/** Newest first; 2.14 does not exist. All have one URL. */
export const glanceVersions = versions(
  300,
  "image",
  minors(15, "v2.15", "v2/")
    .filter(({ id }) => id !== "v2.14")
    .toReversed()
)

/** Oldest first. All have one URL, without a trailing slash. */
export const octaviaVersions = versions(200, "load-balancer", minors(26, "v2.26", "v2"))
