import { addressOf, contains, hostNetwork } from "@portico/contract/Networks"
import { IpNetwork } from "effect/net"
import type { ClusterSettings, Endpoint } from "./ClusterSettings.ts"

/** The prefix of the platform's own network policies; tenants cannot write policies with it. */
export const platformPolicyPrefix = "tenant-"

/** A `NetworkPolicy`. */
export interface Policy {
  readonly name: string
  readonly spec: Readonly<Record<string, unknown>>
}

/** The inputs of a tenant's network policies. */
export interface Surroundings {
  /** All namespaces of the tenant. */
  readonly namespaces: ReadonlyArray<string>
  /** The API server, as pods see it. */
  readonly api: ReadonlyArray<Block>
  /** Where databases write their archives. */
  readonly archive: ReadonlyArray<Endpoint>
}

/** A network, at one port or at all ports. */
export interface Block {
  readonly network: IpNetwork.IpNetwork
  readonly port?: number
}

/**
 * The network policies of a tenant's namespace. Policies add up, and a pod that
 * one of them selects is closed to all that none of them allows:
 *
 * - `tenant-default`: the tenant's own namespaces, DNS and the way out are open;
 * - `tenant-platform`: the edge, operators of databases and monitoring come in,
 *   and the API server, which carries `pods/proxy` and `services/proxy`;
 * - `tenant-postgres`, `tenant-kafka`: what runs in databases reaches the API
 *   server, which the instance managers report to.
 */
export const policiesOf = (settings: ClusterSettings["Service"], surroundings: Surroundings): ReadonlyArray<Policy> => {
  const { api, archive, namespaces } = surroundings
  const everyPod = { podSelector: {} }
  const tenant = inNamespaces(namespaces)
  return [
    {
      name: `${platformPolicyPrefix}default`,
      spec: {
        ...everyPod,
        policyTypes: ["Ingress", "Egress"],
        ingress: [{ from: [tenant] }],
        egress: [
          { to: [tenant] },
          dns(settings),
          ...egressRules(settings),
          ...endpoints([...settings.customer, ...archive])
        ]
      }
    },
    {
      name: `${platformPolicyPrefix}platform`,
      spec: {
        ...everyPod,
        policyTypes: ["Ingress"],
        ingress: [{ from: [inNamespaces(settings.platformNamespaces), ...api.map(({ network }) => ipBlock(network))] }]
      }
    },
    ...(["postgres", "kafka"] as const).map((engine) => ({
      name: `${platformPolicyPrefix}${engine}`,
      spec: {
        podSelector: { matchExpressions: [{ key: clusterLabels[engine], operator: "Exists" }] },
        policyTypes: ["Egress"],
        egress: api.map(({ network, port }) => ({
          to: [ipBlock(network)],
          ...(port === undefined ? {} : { ports: [{ protocol: "TCP", port }] })
        }))
      }
    }))
  ]
}

/** The database operators put these labels on all their pods. */
const clusterLabels = { postgres: "cnpg.io/cluster", kafka: "strimzi.io/cluster" } as const

/** The API server sets this label on every namespace and keeps it. */
const inNamespaces = (names: ReadonlyArray<string>) => ({
  namespaceSelector: {
    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: [...names] }]
  }
})

/** The peers that may reach a managed database: pods of the tenant's own namespaces. */
export const peersOf = (namespaces: ReadonlyArray<string>): ReadonlyArray<unknown> => [inNamespaces(namespaces)]

const port53 = ["UDP", "TCP"].map((protocol) => ({ protocol, port: 53 }))

/** The cluster's resolver, and its node-local cache, which has this address by convention. */
const dns = ({ dnsNamespaces }: ClusterSettings["Service"]) => ({
  to: [inNamespaces(dnsNamespaces), { ipBlock: { cidr: "169.254.20.10/32" } }],
  ports: port53
})

const ipBlock = (network: IpNetwork.IpNetwork, except: ReadonlyArray<IpNetwork.IpNetwork> = []) => ({
  ipBlock: {
    cidr: IpNetwork.format(network),
    ...(except.length === 0 ? {} : { except: except.map(IpNetwork.format) })
  }
})

/**
 * Egress to everything but the denied networks, and to the exceptions among them; neither includes
 * the operator plane.
 */
const egressRules = ({ allowed, denied, operator }: ClusterSettings["Service"]) => {
  const planes = hostsOf(operator)
  const blocks = [
    ...everywhere
      .filter((_) => !contains(denied, _))
      .map((network) => ({
        network,
        except: [...denied, ...planes.filter((_) => !contains(denied, _))]
      })),
    ...allowed
      .filter((network) => !planes.some((_) => contains([_], network)))
      .map((network) => ({ network, except: planes }))
  ]
  return blocks.map(({ except, network }) => ({
    to: [
      ipBlock(
        network,
        except.filter((_) => contains([network], _))
      )
    ]
  }))
}

const everywhere: ReadonlyArray<IpNetwork.IpNetwork> = ["0.0.0.0/0", "::/0"].map(IpNetwork.fromStringUnsafe)

const hostsOf = (addresses: ReadonlyArray<string>): ReadonlyArray<IpNetwork.IpNetwork> =>
  addresses.flatMap((_) => {
    const address = addressOf(_)
    return address === undefined ? [] : [hostNetwork(address)]
  })

const endpoints = (all: ReadonlyArray<Endpoint>) =>
  all.flatMap(({ address, port }) =>
    hostsOf([address]).map((network) => ({ to: [ipBlock(network)], ports: [{ protocol: "TCP", port }] }))
  )
