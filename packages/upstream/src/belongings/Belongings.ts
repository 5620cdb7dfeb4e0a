import { Context, Effect, Layer } from "effect"
import { barbicanBelongings } from "../barbican/belongings.ts"
import { cinderBelongings } from "../cinder/belongings.ts"
import { designateBelongings } from "../designate/belongings.ts"
import { glanceBelongings } from "../glance/belongings.ts"
import { inside } from "../keystone/inside.ts"
import { neutronBelongings } from "../neutron/belongings.ts"
import { novaBelongings } from "../nova/belongings.ts"
import { octaviaBelongings } from "../octavia/belongings.ts"
import { Catalog } from "../openstack/Catalog.ts"
import { rgwBelongings } from "../rgw/belongings.ts"
import { Rgw } from "../rgw/Rgw.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import type { Kind } from "./Kind.ts"

/** All kinds of resources that a project can have on the platform, except those in the cluster. */
export class Belongings extends Context.Service<
  Belongings,
  {
    /**
     * In the order of removal: each kind before the kinds that it depends on.
     * Load balancers hold addresses, servers hold volumes and ports, snapshots
     * and backups hold volumes, floating IPs hold router interfaces, those hold
     * routers and subnets.
     */
    readonly kinds: ReadonlyArray<Kind>
    /** The services that this cloud lacks, whose resources cannot be listed. */
    readonly absent: ReadonlyArray<string>
    /** Revokes the role that removals needed inside the project. Repeatable. */
    leave(projectId: string): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/belongings/Belongings") {
  static readonly layerNoDeps = Layer.effect(
    Belongings,
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const { buckets } = yield* rgwBelongings
      const inner = yield* inside
      const nova = yield* novaBelongings(inner)
      const cinder = yield* cinderBelongings
      const { images } = yield* glanceBelongings
      const { loadBalancers } = yield* octaviaBelongings
      const neutron = yield* neutronBelongings
      const [dns, keyManager] = [catalog.find("dns"), catalog.find("key-manager")]
      const designate = dns === undefined ? undefined : yield* designateBelongings(dns)
      const barbican = keyManager === undefined ? undefined : yield* barbicanBelongings(keyManager, inner)

      return Belongings.of({
        kinds: [
          loadBalancers,
          nova.servers,
          nova.serverGroups,
          nova.keypairs,
          cinder.transfers,
          cinder.backups,
          cinder.snapshots,
          cinder.volumes,
          images,
          ...(designate === undefined ? [] : [designate.zones, designate.zoneImports, designate.zoneExports]),
          ...(barbican === undefined ? [] : [barbican.orders, barbican.containers, barbican.secrets]),
          neutron.floatingIps,
          neutron.trunks,
          neutron.ports,
          neutron.routerInterfaces,
          neutron.routers,
          neutron.rbacPolicies,
          neutron.subnets,
          neutron.networks,
          neutron.securityGroups,
          neutron.addressGroups,
          neutron.subnetPools,
          neutron.addressScopes,
          buckets
        ],
        absent: [...(designate === undefined ? ["dns"] : []), ...(barbican === undefined ? ["key-manager"] : [])],
        leave: inner.leave
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(Rgw.layer))
}
