import { meanings } from "./describe.ts"

/** What one tier grants. Memory is in MiB, as compute counts it; storage is in GiB. */
export interface TierQuotas {
  readonly cores: number
  readonly ram_mib: number
  readonly instances: number
  readonly volumes: number
  readonly gigabytes: number
  readonly networks: number
  readonly routers: number
  readonly floating_ips: number
  readonly buckets: number
  readonly object_gigabytes: number
  readonly clusters: number
  readonly workers: number
  readonly edge_exposures: number
  readonly load_balancers: number
  readonly nat_gateways: number
  /** Requests per minute of all the tenant's credentials together. */
  readonly api_rpm: number
  /** Ceiling of the database namespace, in GiB. */
  readonly storage_footprint: number
  /** Live credential records, members included. */
  readonly credentials: number
  readonly dns_zones: number
}

/** What {@link tiers} has, before the type of its keys is known. */
const catalogue = {
  discovery: {
    cores: 8,
    ram_mib: 16 * 1024,
    instances: 5,
    volumes: 8,
    gigabytes: 80,
    networks: 3,
    routers: 2,
    floating_ips: 2,
    buckets: 5,
    object_gigabytes: 20,
    clusters: 1,
    workers: 3,
    edge_exposures: 1,
    load_balancers: 0,
    nat_gateways: 1,
    api_rpm: 300,
    storage_footprint: 100,
    credentials: 20,
    dns_zones: 5
  },
  standard: {
    cores: 32,
    ram_mib: 64 * 1024,
    instances: 20,
    volumes: 32,
    gigabytes: 300,
    networks: 12,
    routers: 4,
    floating_ips: 8,
    buckets: 25,
    object_gigabytes: 100,
    clusters: 3,
    workers: 10,
    edge_exposures: 4,
    load_balancers: 2,
    nat_gateways: 1,
    api_rpm: 1200,
    storage_footprint: 400,
    credentials: 100,
    dns_zones: 20
  },
  extension: {
    cores: 128,
    ram_mib: 256 * 1024,
    instances: 60,
    volumes: 100,
    gigabytes: 1200,
    networks: 24,
    routers: 8,
    floating_ips: 16,
    buckets: 100,
    object_gigabytes: 300,
    clusters: 8,
    workers: 30,
    edge_exposures: 10,
    load_balancers: 5,
    nat_gateways: 1,
    api_rpm: 6000,
    storage_footprint: 1500,
    credentials: 500,
    dns_zones: 100
  }
} satisfies Readonly<Record<string, TierQuotas>>

/** The numbers that a reader compares tiers by. */
const grantOf = (_: TierQuotas): string =>
  `${_.cores} cores, ${_.ram_mib / 1024} GiB of memory, ${_.instances} servers, ${_.gigabytes} GiB of block storage, ` +
  `${_.object_gigabytes} GiB of object storage, ${_.floating_ips} floating IPs, ${_.api_rpm} API calls a minute.`

export const Tier = meanings(
  "How much a project may have. It is not the permission tier of a caller, a number, which says how much the caller may do.",
  {
    discovery: grantOf(catalogue.discovery),
    standard: grantOf(catalogue.standard),
    extension: grantOf(catalogue.extension)
  }
).annotate({ identifier: "Tier" })
export type Tier = typeof Tier.Type

/**
 * The quota tier catalogue. Every number is a contract constant, except the
 * last five kinds, of which the contract names only the dimension.
 */
export const tiers: Readonly<Record<Tier, TierQuotas>> = catalogue

/** A tenant's quotas in the terms of each service that enforces them. */
export interface ServiceQuotas {
  readonly nova: { readonly cores: number; readonly ram: number; readonly instances: number }
  readonly cinder: {
    readonly volumes: number
    readonly gigabytes: number
    readonly backups: number
    readonly backup_gigabytes: number
  }
  readonly neutron: { readonly network: number; readonly router: number; readonly floatingip: number }
  readonly octavia: { readonly loadbalancer: number }
  /** `max_buckets` below zero forbids every bucket: the object gateway takes zero as unlimited. */
  readonly rgw: { readonly max_buckets: number; readonly max_size: number; readonly max_objects: number }
}

const gib = 1024 ** 3

/** The catalogue row of a tier as each service counts it: backups are twice the volumes, their space equals the block space. */
export const serviceQuotas = (tier: Tier): ServiceQuotas => {
  const row = tiers[tier]
  return {
    nova: { cores: row.cores, ram: row.ram_mib, instances: row.instances },
    cinder: {
      volumes: row.volumes,
      gigabytes: row.gigabytes,
      backups: 2 * row.volumes,
      backup_gigabytes: row.gigabytes
    },
    neutron: { network: row.networks, router: row.routers, floatingip: row.floating_ips },
    octavia: { loadbalancer: row.load_balancers },
    rgw: { max_buckets: row.buckets, max_size: row.object_gigabytes * gib, max_objects: -1 }
  }
}

/** The all-zero quotas of a suspended tenant: what runs keeps running, and nothing new can be created. */
export const zeroQuotas: ServiceQuotas = {
  nova: { cores: 0, ram: 0, instances: 0 },
  cinder: { volumes: 0, gigabytes: 0, backups: 0, backup_gigabytes: 0 },
  neutron: { network: 0, router: 0, floatingip: 0 },
  octavia: { loadbalancer: 0 },
  rgw: { max_buckets: -1, max_size: 0, max_objects: 0 }
}
