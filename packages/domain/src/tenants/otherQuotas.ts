import { Barbican } from "@portico/upstream/barbican/Barbican"
import { Cinder } from "@portico/upstream/cinder/Cinder"
import { Designate } from "@portico/upstream/designate/Designate"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Nova } from "@portico/upstream/nova/Nova"
import { Octavia } from "@portico/upstream/octavia/Octavia"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"

/**
 * What a write does to the quotas that no tier names: a suspension closes them,
 * the move that ends a suspension resets them to the services' defaults, and
 * any other write leaves them as they are.
 */
export type OtherQuotas = "close" | "reset" | "leave"

/** The second line of a suspension. The first is the gateway, which refuses every call that creates something. */
export const otherQuotas = Effect.fnUntraced(function* (projectId: string, to: OtherQuotas) {
  const nova = yield* Nova
  const cinder = yield* Cinder
  const neutron = yield* Neutron
  const octavia = yield* Octavia
  const designate = yield* Designate
  const barbican = yield* Barbican
  const either = (close: Effect.Effect<void, UpstreamError>, reset: Effect.Effect<void, UpstreamError>) =>
    to === "leave" ? Effect.void : to === "close" ? close : reset
  const keyManager = Effect.catchIf(
    either(barbican.closeQuotas(projectId), barbican.removeQuotas(projectId)),
    ({ status }) => status === 403,
    ({ summary }) => Effect.logWarning("the control identity may not write the key manager's quotas", summary)
  )
  return {
    // A reset of DNS resets every quota, so the tier's zones are written after it.
    dns: either(designate.closeOthers(projectId), designate.removeQuotas(projectId)),
    /** Undefined when nothing has to be written. */
    all:
      to === "leave"
        ? undefined
        : Effect.all(
            [
              either(nova.closeOthers(projectId), nova.resetOthers(projectId)),
              either(cinder.closeOthers(projectId), cinder.resetOthers(projectId)),
              either(neutron.closeOthers(projectId), neutron.resetOthers(projectId)),
              either(octavia.closeOthers(projectId), octavia.resetOthers(projectId)),
              keyManager
            ],
            { discard: true }
          )
  }
})
