import { Context, Effect, Layer } from "effect"
import { barbicanResources } from "../barbican/projectResources.ts"
import { cinderResources } from "../cinder/projectResources.ts"
import { designateResources } from "../designate/projectResources.ts"
import { glanceResources } from "../glance/projectResources.ts"
import { inside } from "../keystone/inside.ts"
import { neutronResources } from "../neutron/projectResources.ts"
import { novaResources } from "../nova/projectResources.ts"
import { octaviaResources } from "../octavia/projectResources.ts"
import { Catalog } from "../openstack/Catalog.ts"
import { rgwResources } from "../rgw/projectResources.ts"
import { Rgw } from "../rgw/Rgw.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import type { Kind } from "./Kind.ts"

/** All kinds of resources that a project can have on the platform, except those in the cluster. */
export class ProjectResources extends Context.Service<
  ProjectResources,
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
>()("portico/upstream/projectResources/ProjectResources") {
  static readonly layerNoDeps = Layer.effect(
    ProjectResources,
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const { buckets } = yield* rgwResources
      const inner = yield* inside
      const nova = yield* novaResources(inner)
      const cinder = yield* cinderResources
      const { images } = yield* glanceResources
      const { loadBalancers } = yield* octaviaResources
      const neutron = yield* neutronResources
      const [dns, keyManager] = [catalog.find("dns"), catalog.find("key-manager")]
      const designate = dns === undefined ? undefined : yield* designateResources(dns)
      const barbican = keyManager === undefined ? undefined : yield* barbicanResources(keyManager, inner)

      return ProjectResources.of({
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
