import { Layer } from "effect"
import { Barbican } from "./barbican/Barbican.ts"
import { ProjectResources } from "./projectResources/ProjectResources.ts"
import { Billing } from "./billing/Billing.ts"
import { Inventory } from "./billing/Inventory.ts"
import { Cinder } from "./cinder/Cinder.ts"
import { Keystone } from "./keystone/Keystone.ts"
import { Cluster } from "./kubernetes/Cluster.ts"
import { Kubernetes } from "./kubernetes/Kubernetes.ts"
import { FloatingIps } from "./neutron/FloatingIps.ts"
import { Nat } from "./neutron/Nat.ts"
import { Neutron } from "./neutron/Neutron.ts"
import { Hypervisors } from "./nova/Hypervisors.ts"
import { Nova } from "./nova/Nova.ts"
import { Reservations } from "./nova/Reservations.ts"
import { Servers } from "./nova/Servers.ts"
import { Designate } from "./designate/Designate.ts"
import { KeyEndpoints } from "./oidc/KeyEndpoints.ts"
import { Octavia } from "./octavia/Octavia.ts"
import { Catalog } from "./openstack/Catalog.ts"
import { Sessions } from "./openstack/Sessions.ts"
import { Probes } from "./Probes.ts"
import { Prometheus } from "./prometheus/Prometheus.ts"
import { Rgw } from "./rgw/Rgw.ts"
import { S3 } from "./rgw/S3.ts"
import { ClientCredentials } from "./zitadel/ClientCredentials.ts"
import { ConsoleLogins } from "./zitadel/ConsoleLogins.ts"
import { Humans } from "./zitadel/Humans.ts"
import { Zitadel } from "./zitadel/Zitadel.ts"

/** Every upstream client with its live layer. It still needs an `HttpClient`: the network, or the simulated cloud. */
export const layer = Layer.mergeAll(
  ProjectResources.layer,
  Keystone.layer,
  Nova.layer,
  Reservations.layer,
  Servers.layer,
  Neutron.layer,
  Nat.layer,
  FloatingIps.layer,
  Cinder.layer,
  Octavia.layer,
  Designate.layer,
  Barbican.layer,
  Rgw.layer,
  S3.layer,
  KeyEndpoints.layer,
  Zitadel.layer,
  ClientCredentials.layer,
  ConsoleLogins.layer,
  Humans.layer,
  Kubernetes.layer,
  Billing.layer,
  Inventory.layer,
  Hypervisors.layer,
  Prometheus.layer,
  Layer.provide(Probes.layer, Layer.mergeAll(Kubernetes.layer, Zitadel.layer, Billing.layer, Prometheus.layer))
).pipe(Layer.provideMerge(Sessions.layer), Layer.provideMerge(Layer.merge(Catalog.layer, Cluster.layer)))

export type Upstreams = Layer.Success<typeof layer>
