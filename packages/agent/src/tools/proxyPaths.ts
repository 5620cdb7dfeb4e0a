import { iaasServices, type IaasService } from "@portico/contract/IaasServices"

/** The usual paths of a service behind a catch-all, for the descriptions of its tools. */
interface Paths {
  readonly reads: string
  readonly writes: string
  /** Whether a write can create something that is billed. */
  readonly billed: boolean
}

export type Proxied = IaasService | "kubernetes"

export const proxied: ReadonlyArray<Proxied> = [...iaasServices, "kubernetes"]

/** Paths in the APIs of the upstreams, below the version that the gateway adds. */
export const paths: Readonly<Record<Proxied, Paths>> = {
  identity: {
    reads: "projects/{own project id}, regions (OpenStack Keystone; nothing else passes)",
    writes: "none passes",
    billed: false
  },
  compute: {
    reads:
      "servers/detail, servers/{id}, flavors/detail, os-keypairs, os-server-groups, limits, os-availability-zone, " +
      "servers/{id}/os-volume_attachments, servers/{id}/os-interface (OpenStack Nova)",
    writes:
      "POST servers {server: {name, flavorRef, imageRef, networks: [{uuid}], key_name?}}; PUT servers/{id}; " +
      "POST servers/{id}/action with one key: os-start, os-stop, reboot {type: SOFT}, resize {flavorRef}, " +
      "confirmResize, createImage {name}; POST servers/{id}/os-volume_attachments {volumeAttachment: {volumeId}}; " +
      "POST os-keypairs {keypair: {name, public_key}}",
    billed: true
  },
  network: {
    reads:
      "networks, subnets, ports, routers, floatingips, security-groups, security-group-rules, each with /{id} " +
      "(OpenStack Neutron)",
    writes:
      "POST networks {network: {name}}, subnets {subnet: {network_id, ip_version, cidr}}, ports, floatingips " +
      "{floatingip: {floating_network_id, port_id?}}, security-groups, security-group-rules {security_group_rule: " +
      "{security_group_id, direction, protocol, port_range_min, port_range_max, remote_ip_prefix}}; PUT with /{id}; " +
      "PUT routers/{id}/add_router_interface {subnet_id}",
    billed: true
  },
  volume: {
    reads: "volumes/detail, volumes/{id}, snapshots/detail, backups/detail, types, limits (OpenStack Cinder)",
    writes:
      "POST volumes {volume: {size, name, snapshot_id?}}, snapshots {snapshot: {volume_id, name}}, backups {backup: " +
      "{volume_id, name}}; POST volumes/{id}/action {os-extend: {new_size}}; PUT volumes/{id}",
    billed: true
  },
  image: {
    reads: "images, images/{id} (OpenStack Glance)",
    writes:
      "POST images {name, container_format, disk_format}; PATCH images/{id} with a list of {op, path, value}; " +
      "POST images/{id}/actions/deactivate",
    billed: false
  },
  dns: {
    reads: "zones, zones/{id}/recordsets, reverse/floatingips (OpenStack Designate; dns_* tools know zones better)",
    writes: "POST zones, zones/{id}/recordsets; PATCH reverse/floatingips/{region}:{id} {ptrdname}",
    billed: false
  },
  "load-balancer": {
    reads:
      "lbaas/loadbalancers, lbaas/listeners, lbaas/pools, lbaas/pools/{id}/members, lbaas/healthmonitors, each with " +
      "/{id}; lbaas/loadbalancers/{id}/status (OpenStack Octavia)",
    writes:
      "POST lbaas/loadbalancers {loadbalancer: {name, vip_subnet_id}}, lbaas/listeners {listener: {loadbalancer_id, " +
      "protocol, protocol_port}}, lbaas/pools {pool: {listener_id, protocol, lb_algorithm}}, lbaas/pools/{id}/members " +
      "{member: {address, protocol_port}}; PUT with /{id}",
    billed: true
  },
  "key-manager": {
    reads: "v1/secrets, v1/secrets/{id}, v1/containers, v1/orders (OpenStack Barbican; metadata, never a payload)",
    writes: "POST v1/secrets {name, payload, payload_content_type}, v1/containers {name, type, secret_refs}",
    billed: false
  },
  kubernetes: {
    reads:
      "api/v1/namespaces/{ns}/pods, /services, /configmaps, /events, /persistentvolumeclaims, pods/{name}/log; " +
      "apis/apps/v1/namespaces/{ns}/deployments; apis/batch/v1/namespaces/{ns}/jobs. The tenant's namespace is " +
      "db-{project id}. No Secrets, no watches",
    writes:
      "POST api/v1/namespaces/{ns}/configmaps and the like; PUT or PATCH (merge patch, or a list as JSON patch) with " +
      "/{name}. The tenant's namespace is db-{project id}",
    billed: true
  }
}
