import { barbican, type BarbicanState } from "./barbican/state.ts"
import { billing, type BillingState } from "./billing/state.ts"
import { clock, type ClockState } from "./cloudClock.ts"
import { cinder, type CinderState } from "./cinder/state.ts"
import { designate, type DesignateState } from "./designate/state.ts"
import { dns, type DnsState } from "./dns/state.ts"
import { glance, type GlanceState } from "./glance/state.ts"
import { keystone, type KeystoneState } from "./keystone/state.ts"
import { kubernetes } from "./kubernetes/seeds.ts"
import type { KubernetesState } from "./kubernetes/state.ts"
import { monitoring, type MonitoringState } from "./prometheus/state.ts"
import { neutron, type NeutronState } from "./neutron/state.ts"
import { nova, type NovaState } from "./nova/state.ts"
import { octavia, type OctaviaState } from "./octavia/state.ts"
import { rgw, type RgwState } from "./rgw/state.ts"
import { zitadel, type ZitadelState } from "./zitadel/state.ts"

/** The whole state of the simulated cloud as plain JSON data, so that it can be saved, compared and shown. */
export interface World {
  readonly keystone: KeystoneState
  readonly nova: NovaState
  readonly neutron: NeutronState
  readonly cinder: CinderState
  readonly glance: GlanceState
  readonly octavia: OctaviaState
  readonly designate: DesignateState
  readonly barbican: BarbicanState
  readonly rgw: RgwState
  readonly zitadel: ZitadelState
  readonly kubernetes: KubernetesState
  readonly billing: BillingState
  /** The platform's own machines, and the overrides of their metrics. */
  readonly monitoring: MonitoringState
  /** The DNS of the rest of the internet. */
  readonly dns: DnsState
  readonly clock: ClockState
}

/** A new cloud: administrators, roles, flavors, an external network, and no tenants. */
export const makeWorld = (): World => ({
  keystone: keystone(),
  nova: nova(),
  neutron: neutron(),
  cinder: cinder(),
  glance: glance(),
  octavia: octavia(),
  designate: designate(),
  barbican: barbican(),
  rgw: rgw(),
  zitadel: zitadel(),
  kubernetes: kubernetes(),
  billing: billing(),
  monitoring: monitoring(),
  dns: dns(),
  clock: clock()
})
