import { iaasServices } from "@portico/contract/IaasServices"
import { Catalog } from "@portico/upstream/openstack/Catalog"
import { Effect } from "effect"
import type { ProxyTarget } from "../path.ts"

/** Where a service is, its version apart. */
export interface Base {
  /** `https://compute.internal:8774`, without a slash at the end. */
  readonly root: string
  /** `v2.1`; undefined where the base that is configured has none. */
  readonly version: string | undefined
}

export type Bases = ReadonlyMap<string, Base>

/** A base that ends in a version, as those of all services but the key manager do. */
const versioned = /^(.*)\/(v\d+(?:\.\d+)?)$/

/** The services that this cloud has, by the gateway's words for them. */
export const bases: Effect.Effect<Bases, never, Catalog> = Effect.map(
  Catalog,
  (catalog) =>
    new Map(
      iaasServices.flatMap((service) => {
        const address = catalog.find(service)
        if (address === undefined) return []
        const [, root = address, version] = versioned.exec(address) ?? []
        return [[service, { root, version }] as const]
      })
    )
)

/** `v2` and `v2.0` are two spellings of one version. */
export const sameVersion = (one: string, other: string): boolean =>
  one.replace(/\.0$/, "") === other.replace(/\.0$/, "")

/** A target as the gateway spells it, and whether the client had the service's version in front of the path. */
export interface CatalogTarget extends ProxyTarget {
  readonly versioned: boolean
}

/**
 * Stock clients put a service's version behind its endpoint; the gateway's
 * paths begin behind it. Once, because what follows is the service's own.
 */
export const withoutVersion = (bases: Bases, target: ProxyTarget): CatalogTarget => {
  const version = bases.get(target.service)?.version
  const [first, ...rest] = target.segments
  return version !== undefined && first !== undefined && sameVersion(first, version)
    ? { ...target, segments: rest, versioned: true }
    : { ...target, versioned: false }
}
