/**
 * The series that the gateway queries. Clouds measure with different exporters,
 * so these are names of recording rules. An operator writes the rules for the
 * exporters in use: `docs/operators/monitoring.md` has them for the usual ones.
 */

/** Labels `instance_id`, `project_id`. Percent of the instance's capacity, or bytes per second. */
export const instanceSeries = {
  cpu: "portico:instance_cpu:percent",
  memory: "portico:instance_memory:percent",
  disk_read: "portico:instance_disk_read:bytes_per_second",
  disk_write: "portico:instance_disk_write:bytes_per_second",
  network_in: "portico:instance_network_in:bytes_per_second",
  network_out: "portico:instance_network_out:bytes_per_second"
} as const

/** Label `service`, a service of the status document. The available share of its parts, from 0 to 1. */
export const serviceSeries = "portico:service_available:ratio"

/** Label `node`. 1 or 0, and percent. */
export const nodeSeries = {
  up: "portico:node_up:bool",
  cpu: "portico:node_cpu:percent",
  memory: "portico:node_memory:percent"
} as const

/** Series of the Ceph manager's module; capacity before replication. */
export const storageSeries = { total: "ceph_cluster_total_bytes", used: "ceph_cluster_total_used_bytes" } as const
