import type { ExposureResynced } from "@portico/contract/Edge"
import { addressOf } from "@portico/contract/Networks"
import type { ExposureEntry } from "@portico/store/Exposures"
import { type Kind, kinds } from "@portico/upstream/kubernetes/kinds"
import type { Content, ObjectKey } from "@portico/upstream/kubernetes/Kubernetes"
import { NetAddress } from "effect/net"
import { labelsOf, platform, tenantNamespace } from "../kubernetes/ownership.ts"
import type { EdgeSettings } from "./EdgeSettings.ts"

/** One Kubernetes object of an exposure. */
export interface Piece {
  readonly object: ExposureResynced["changes"][number]["object"]
  readonly kind: Kind
  readonly place: Required<ObjectKey>
  readonly content: Content
}

export const exposureLabel = "portico/exposure-id"

/** The kinds of an exposure's objects, by the name that callers see. */
export const edgeKinds = {
  HTTPRoute: kinds.httpRoute,
  Service: kinds.service,
  EndpointSlice: kinds.endpointSlice,
  ReferenceGrant: kinds.referenceGrant
} as const satisfies Record<Piece["object"], Kind>

/** The host names of an exposure, including its domain once that is verified. */
export const hostnamesOf = ({ domain, hostname, verified_at }: ExposureEntry): ReadonlyArray<string> =>
  domain === null || verified_at === null ? [hostname] : [hostname, domain]

/**
 * The objects of an exposure in the cluster, in creation order: an object comes after those that it
 * depends on. All but the grant are in the Gateway's own namespace: the Gateway ignores routes in a
 * tenant's namespace, and tenants cannot change what the platform's routes refer to. The route
 * refers to a tenant's Service across namespaces; the grant beside that Service allows it for that
 * Service alone.
 */
export const piecesOf = (entry: ExposureEntry, settings: EdgeSettings["Service"]): ReadonlyArray<Piece> => {
  const { exposure_id: name, service } = entry
  const { namespace } = settings.gateway
  const labels = { ...labelsOf(entry.project_id), [exposureLabel]: name }
  const piece = (object: Piece["object"], fields: Content["fields"] = {}, more: Partial<Piece> = {}): Piece => ({
    object,
    kind: edgeKinds[object],
    place: { namespace, name },
    content: { labels, fields },
    ...more
  })
  return [
    ...(service === null ? toAddress(entry, piece) : toService(entry, service, namespace, piece)),
    piece("HTTPRoute", { spec: routeOf(entry, settings) })
  ]
}

type PieceFactory = (object: Piece["object"], fields?: Content["fields"], more?: Partial<Piece>) => Piece

/** A Service without a selector has only the endpoints that are written for it. */
const toAddress = (entry: ExposureEntry, piece: PieceFactory): ReadonlyArray<Piece> => {
  const { address, port } = entry
  const ports = [{ name: "http", protocol: "TCP", port }]
  const slice = piece("EndpointSlice", {
    addressType: NetAddress.isIpv6Address(addressOf(address ?? "")) ? "IPv6" : "IPv4",
    ports,
    endpoints: [{ addresses: [address], conditions: { ready: true } }]
  })
  return [
    piece("Service", {
      spec: { type: "ClusterIP", ports: [{ name: "http", protocol: "TCP", port, targetPort: port }] }
    }),
    {
      ...slice,
      content: {
        ...slice.content,
        labels: {
          ...slice.content.labels,
          "kubernetes.io/service-name": entry.exposure_id,
          // Keeps the cluster's own controllers from removing the slice.
          "endpointslice.kubernetes.io/managed-by": platform
        }
      }
    }
  ]
}

const toService = (
  entry: ExposureEntry,
  service: string,
  namespace: string,
  piece: PieceFactory
): ReadonlyArray<Piece> => [
  piece(
    "ReferenceGrant",
    {
      spec: {
        from: [{ group: gatewayGroup, kind: "HTTPRoute", namespace }],
        to: [{ group: "", kind: "Service", name: service }]
      }
    },
    { place: { namespace: tenantNamespace(entry.project_id), name: entry.exposure_id } }
  )
]

const gatewayGroup = "gateway.networking.k8s.io"

const routeOf = (entry: ExposureEntry, { gateway }: EdgeSettings["Service"]) => ({
  parentRefs: [{ group: gatewayGroup, kind: "Gateway", namespace: gateway.namespace, name: gateway.name }],
  hostnames: hostnamesOf(entry),
  rules: [
    {
      matches: [{ path: { type: "PathPrefix", value: "/" } }],
      backendRefs: [
        {
          group: "",
          kind: "Service",
          name: entry.service ?? entry.exposure_id,
          ...(entry.service === null ? {} : { namespace: tenantNamespace(entry.project_id) }),
          port: entry.port,
          weight: 1
        }
      ]
    }
  ]
})
