import type { Cases } from "./Case.ts"
import { barbican } from "./cases/barbican.ts"
import { cinder } from "./cases/cinder.ts"
import * as compute from "./cases/compute.ts"
import { designate } from "./cases/designate.ts"
import { expiry } from "./cases/expiry.ts"
import { glance } from "./cases/glance.ts"
import { humans } from "./cases/humans.ts"
import { keystone } from "./cases/keystone.ts"
import { kubernetes } from "./cases/kubernetes.ts"
import * as network from "./cases/network.ts"
import { parts } from "./cases/networkParts.ts"
import { neutron } from "./cases/neutron.ts"
import { nova } from "./cases/nova.ts"
import { octavia } from "./cases/octavia.ts"
import { rgw } from "./cases/rgw.ts"
import { s3 } from "./cases/s3.ts"
import { sessions } from "./cases/sessions.ts"
import { zitadel } from "./cases/zitadel.ts"

/** By client, or by service where the gateway only forwards: all that runs on both targets. */
export const everywhere: Readonly<Record<string, Cases>> = {
  keystone,
  sessions,
  nova: { ...nova, ...compute.forwarded },
  neutron: { ...neutron, ...network.forwarded, ...parts },
  cinder,
  octavia,
  rgw: { ...rgw, ...s3 },
  glance,
  designate,
  barbican
}

/** What there is no real system for. */
export const simulatedOnly: Readonly<Record<string, Cases>> = { zitadel, humans, kubernetes, expiry }
