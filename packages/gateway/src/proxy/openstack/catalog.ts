import type { IaasService } from "@portico/contract/IaasServices"
import { iaasPrefix } from "../../requests/Place.ts"
import type { Bases } from "./Bases.ts"

/** How a service stands in the catalog, and what follows its address there, as stock clients expect it. */
interface Offer {
  readonly service: IaasService
  readonly name: string
  /** Clients look for one of them. */
  readonly types: ReadonlyArray<string>
  /** @param version of the base, with a slash in front, or nothing */
  endpoint(version: string, projectId: string): string
}

const bare = () => ""

/** Clients put the version behind most endpoints themselves; those of compute and volume have always had it. */
const offers: ReadonlyArray<Offer> = [
  { service: "identity", name: "keystone", types: ["identity"], endpoint: bare },
  { service: "compute", name: "nova", types: ["compute"], endpoint: (version) => version },
  { service: "network", name: "neutron", types: ["network"], endpoint: bare },
  {
    service: "volume",
    name: "cinder",
    types: ["block-storage", "volumev3"],
    endpoint: (version, projectId) => `${version}/${projectId}`
  },
  { service: "image", name: "glance", types: ["image"], endpoint: bare },
  { service: "dns", name: "designate", types: ["dns"], endpoint: bare },
  { service: "load-balancer", name: "octavia", types: ["load-balancer"], endpoint: bare },
  { service: "key-manager", name: "barbican", types: ["key-manager"], endpoint: bare }
]

/**
 * The catalog of a token: the services that this cloud has, each at the
 * gateway's own address.
 *
 * @param own without a slash at the end
 */
export const catalogOf = (bases: Bases, own: string, projectId: string, region: string) =>
  offers.flatMap(({ endpoint, name, service, types }) => {
    const base = bases.get(service)
    if (base === undefined) return []
    const version = base.version === undefined ? "" : `/${base.version}`
    const url = `${own}${iaasPrefix}${service}${endpoint(version, projectId)}`
    return types.map((type) => ({
      id: type,
      type,
      name,
      endpoints: [{ id: `${type}-public`, interface: "public", region, region_id: region, url }]
    }))
  })
