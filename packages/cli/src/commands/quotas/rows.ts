import type { ObjectStorageUsage, Quotas, QuotaUsage } from "@portico/contract/Quotas"

/** How numbers of a row are written. */
export type Unit = "count" | "MiB" | "GiB" | "bytes"

export interface QuotaRow {
  readonly label: string
  readonly unit: Unit
  readonly usage: QuotaUsage | ObjectStorageUsage
}

export interface QuotaGroup {
  readonly title: string
  readonly rows: ReadonlyArray<QuotaRow>
}

/** Everything that a tenant may have, by service. */
export const groupsOf = (quotas: Quotas): ReadonlyArray<QuotaGroup> => {
  const { block_storage, compute, databases, network, object_storage } = quotas
  return [
    group("Compute", [
      ["cores", compute.cores],
      ["memory", compute.ram, "MiB"],
      ["servers", compute.instances]
    ]),
    group("Block storage", [
      ["volumes", block_storage.volumes],
      ["volume storage", block_storage.gigabytes, "GiB"],
      ["backups", block_storage.backups],
      ["backup storage", block_storage.backup_gigabytes, "GiB"]
    ]),
    group("Network", [
      ["networks", network.networks],
      ["routers", network.routers],
      ["floating IPs", network.floating_ips],
      ["load balancers", quotas.load_balancers],
      ["NAT gateways", quotas.nat_gateways],
      ["DNS zones", quotas.dns_zones],
      ["edge exposures", quotas.edge_exposures]
    ]),
    group("Object storage", [
      ["buckets", object_storage.buckets],
      ["data", object_storage.bytes, "bytes"]
    ]),
    group("Databases", [
      ["storage", databases.gigabytes, "GiB"],
      ["volumes", databases.claims]
    ]),
    group("Kubernetes", [
      ["clusters", quotas.clusters],
      ["workers", quotas.workers]
    ]),
    group("API", [
      ["credentials", quotas.credentials],
      ["calls a minute", quotas.api_rpm]
    ])
  ]
}

const group = (
  title: string,
  rows: ReadonlyArray<readonly [label: string, usage: QuotaRow["usage"], unit?: Unit]>
): QuotaGroup => ({ title, rows: rows.map(([label, usage, unit = "count"]) => ({ label, usage, unit })) })
