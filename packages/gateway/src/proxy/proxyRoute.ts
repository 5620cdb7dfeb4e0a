import { decoded, iaasPrefix, kubernetesPrefix, noRoute, type RecordedRoute } from "../requests/route.ts"

/** The recorded route of a proxied call. */
export const proxyRoute = (path: string): RecordedRoute => {
  if (path.startsWith(iaasPrefix)) return platformRoute(path.slice(iaasPrefix.length).split("/"))
  return path.startsWith(kubernetesPrefix) ? clusterRoute(path.slice(kubernetesPrefix.length).split("/")) : noRoute
}

/**
 * The fixed segments of the platform's paths. Every other segment is a value: an id, or a name or key that serves as
 * one.
 */
const fixedSegments: ReadonlySet<string> = new Set(
  [
    "identity compute network volume image dns load-balancer key-manager v1 v2 v2.0 v2.1 v3 detail action quotas limits",
    "servers os-volume_attachments os-interface os-security-groups os-security-group-rules os-keypairs metadata tags ips",
    "os-server-groups os-volumes os-volumes_boot os-snapshots os-floating-ips os-networks os-tenant-networks",
    "remote-consoles migrations flavors os-extra_specs os-flavor-access os-aggregates os-quota-sets os-server-password",
    "networks subnets ports routers floatingips port_forwardings security-groups security-group-rules address-groups",
    "address-scopes subnetpools trunks qos policies rbac-policies metering auto-allocated-topology conntrack_helpers",
    "add_router_interface remove_router_interface add_extraroutes remove_extraroutes add_external_gateways",
    "remove_external_gateways update_external_gateways add_addresses remove_addresses add_subports remove_subports",
    "volumes snapshots backups restore volume-transfers os-volume-transfer accept groups group_snapshots attachments",
    "types os-volume-manage manageable_volumes encryption qos-specs images file stage import members locations tasks",
    "zones recordsets transfer_requests transfer_accepts exports imports nameservers xfr abandon shares reverse",
    "lbaas loadbalancers listeners pools healthmonitors l7policies rules failover flavorprofiles availabilityzones",
    "secrets payload containers orders consumers acl secret-stores project-quotas",
    "projects users auth tokens application_credentials credentials regions services endpoints roles domains OS-TRUST trusts"
  ].flatMap((line) => line.split(" "))
)

/** Whether a segment is a word of the platform's paths, and no id. */
export const isFixed = (segment: string): boolean => fixedSegments.has(segment)

/** A service may take a slash at the end, which names nothing. */
const platformRoute = (given: ReadonlyArray<string>): RecordedRoute => {
  const segments = given.at(-1) === "" ? given.slice(0, -1) : given
  return {
    route: `${iaasPrefix}${segments.map((_) => (fixedSegments.has(_) ? _ : ":id")).join("/")}`,
    resources: segments.filter((_) => !fixedSegments.has(_)).map(decoded)
  }
}

/** A group, a version, a kind or a sub-resource as clusters name them; what is none is not recorded. */
const named = (segment: string): string => (/^[a-z0-9][a-z0-9.-]{0,62}$/.test(segment) ? segment : "*")

/**
 * `api/{version}/…` or `apis/{group}/{version}/…`, then a kind, optionally in a namespace, then a name and its
 * sub-resources.
 */
const clusterRoute = (segments: ReadonlyArray<string>): RecordedRoute => {
  const root = segments[0] === "api" ? 2 : segments[0] === "apis" ? 3 : undefined
  if (root === undefined) return { route: `${kubernetesPrefix}*`, resources: [] }
  const namespaced = segments[root] === "namespaces" && segments.length > root + 2
  const kind = namespaced ? root + 2 : root
  const below = segments.slice(kind + 2)
  const route = [
    ...segments.slice(0, root).map(named),
    ...(namespaced ? ["namespaces", ":namespace"] : []),
    ...segments.slice(kind, kind + 1).map(named),
    ...(segments.length > kind + 1 ? [":name"] : []),
    ...below.slice(0, 1).map(named),
    // Below a `proxy` sub-resource the path belongs to another server.
    ...(below.length > 1 ? ["*"] : [])
  ]
  const ids = [namespaced ? segments[root + 1] : undefined, segments[kind + 1]]
  return { route: `${kubernetesPrefix}${route.join("/")}`, resources: ids.filter((_) => _ !== undefined).map(decoded) }
}
