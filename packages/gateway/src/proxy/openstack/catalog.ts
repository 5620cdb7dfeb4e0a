import type { IaasService } from "@portico/contract/IaasServices"
import type { Bases } from "./Bases.ts"

/** The catalog entry of a service, and the path after its address that stock clients expect. */
interface CatalogEntry {
  readonly service: IaasService
  readonly name: string
  /** The service types under which clients look for it. */
  readonly types: ReadonlyArray<string>
  /** @param version the version of the base with a leading slash, or an empty string */
  endpoint(version: string, projectId: string): string
}

const bare = () => ""

/** Clients append the version to most endpoints. The endpoints of compute and volume already contain it. */
const entries: ReadonlyArray<CatalogEntry> = [
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
 * The catalog of a token: the services of this cloud, each at the gateway's own address.
 *
 * @param address where the client reaches the services, with a trailing slash
 */
export const catalogOf = (bases: Bases, address: string, projectId: string, region: string) =>
  entries.flatMap(({ endpoint, name, service, types }) => {
    const base = bases.get(service)
    if (base === undefined) return []
    const version = base.version === undefined ? "" : `/${base.version}`
    const url = `${address}${service}${endpoint(version, projectId)}`
    return types.map((type) => ({
      id: type,
      type,
      name,
      endpoints: [{ id: `${type}-public`, interface: "public", region, region_id: region, url }]
    }))
  })
