import type { ExposureResynced } from "@portico/contract/Edge"
import { addressOf } from "@portico/contract/Networks"
import type { ExposureEntry } from "@portico/store/Exposures"
import { type Kind, kinds } from "@portico/upstream/kubernetes/kinds"
import type { Content, Place } from "@portico/upstream/kubernetes/Kubernetes"
import { NetAddress } from "effect/net"
import { labelsOf, platform, tenantNamespace } from "../kubernetes/ownership.ts"
import type { EdgeSettings } from "./EdgeSettings.ts"

/** One Kubernetes object of an exposure. */
export interface Piece {
  readonly object: ExposureResynced["changes"][number]["object"]
  readonly kind: Kind
  readonly place: Required<Place>
  readonly content: Content
}

export const exposureLabel = "portico/exposure-id"

/** The kinds that exposures are made of, each with the word that a caller reads. */
export const edgeKinds = {
  HTTPRoute: kinds.httpRoute,
  Service: kinds.service,
  EndpointSlice: kinds.endpointSlice,
  ReferenceGrant: kinds.referenceGrant
} as const satisfies Record<Piece["object"], Kind>

/** The names under which the edge serves it: its domain as soon as that is proved. */
export const hostnamesOf = ({ domain, hostname, verified_at }: ExposureEntry): ReadonlyArray<string> =>
  domain === null || verified_at === null ? [hostname] : [hostname, domain]

/**
 * What an exposure is in the cluster, in the order in which it is made; what
 * leads to something comes after it. All but the grant is in the Gateway's own
 * namespace: routes that a tenant writes in its namespace are none of the
 * Gateway's, and what a route of the platform leads to is not a tenant's to
 * change. A Service of the tenant's is referred to across namespaces, which
 * the grant beside it allows for that Service alone.
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

type Make = (object: Piece["object"], fields?: Content["fields"], more?: Partial<Piece>) => Piece

/** A Service without a selector has the endpoints that are written for it, and no others. */
const toAddress = (entry: ExposureEntry, piece: Make): ReadonlyArray<Piece> => {
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
          // Not the cluster's own controllers, which would remove it.
          "endpointslice.kubernetes.io/managed-by": platform
        }
      }
    }
  ]
}

const toService = (entry: ExposureEntry, service: string, namespace: string, piece: Make): ReadonlyArray<Piece> => [
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
