import { iaasServices } from "@portico/contract/IaasServices"
import { Catalog } from "@portico/upstream/openstack/Catalog"
import { Effect } from "effect"
import type { ProxyTarget } from "../path.ts"

/** The parts of a service's base address. */
export interface Base {
  readonly origin: string
  /** `/v2.1`, or nothing. */
  readonly path: string
  /** The address without the version and without a trailing slash: `https://compute.internal:8774`. */
  readonly root: string
  /** `v2.1`; undefined where the configured base has none. */
  readonly version: string | undefined
}

export type Bases = ReadonlyMap<string, Base>

/** A base that ends in a version, as the bases of all services but the key manager do. */
const versioned = /^(.*)\/(v\d+(?:\.\d+)?)$/

/** The services of this cloud, by the gateway's names. */
export const bases: Effect.Effect<Bases, never, Catalog> = Effect.map(
  Catalog,
  (catalog) =>
    new Map(
      iaasServices.flatMap((service) => {
        const address = catalog.find(service)
        if (address === undefined) return []
        const { origin } = new URL(address)
        const [, root = address, version] = versioned.exec(address) ?? []
        return [[service, { origin, path: address.slice(origin.length), root, version }] as const]
      })
    )
)

/** `v2` and `v2.0` are two spellings of one version. */
export const sameVersion = (one: string, other: string): boolean =>
  one.replace(/\.0$/, "") === other.replace(/\.0$/, "")

/** A target in the gateway's spelling, and whether the client's path contained the service's version. */
export interface CatalogTarget extends ProxyTarget {
  readonly versioned: boolean
}

/**
 * Stock clients append a service's version to its endpoint, but the gateway's paths omit it. Only the first version
 * segment is removed, because any further one belongs to the service's own path.
 */
export const withoutVersion = (bases: Bases, target: ProxyTarget): CatalogTarget => {
  const version = bases.get(target.service)?.version
  const [first, ...rest] = target.segments
  return version !== undefined && first !== undefined && sameVersion(first, version)
    ? { ...target, segments: rest, versioned: true }
    : { ...target, versioned: false }
}
