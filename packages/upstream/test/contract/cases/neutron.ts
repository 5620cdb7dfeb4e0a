import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Effect } from "effect"
import { seen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, attempt } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const quotas = { network: 3, router: 2, floatingip: 2 }

/** What the client makes for a tenant, under a stamp of the case's own; gone at its end. */
const substrate = Effect.fnUntraced(function* (word: string) {
  const neutron = yield* Neutron
  const { named, tenant: projectId } = yield* Systems
  const stamp = { stamp: `portico-attempt:${named(word)}` }
  yield* Effect.addFinalizer(() =>
    Effect.ignore(
      Effect.andThen(
        neutron.removeInterfaces(stamp),
        Effect.andThen(
          neutron.removeRouters(stamp),
          Effect.andThen(neutron.removeSubnets(stamp), neutron.removeNetworks(stamp))
        )
      )
    )
  )
  return { projectId, name: named(word), ...stamp }
})

export const neutron: Cases = {
  "the external network is found": Effect.flatMap(Neutron, (_) => attempt(_.externalNetwork)),

  "a tenant's network is made, joined, and removed by its stamp, twice over": Effect.gen(function* () {
    const neutron = yield* Neutron
    const named = yield* substrate("stamped")
    const networkId = yield* neutron.createNetwork(named)
    const subnetId = yield* neutron.createSubnet({ ...named, networkId })
    const routerId = yield* neutron.createRouter({ ...named, externalNetworkId: yield* neutron.externalNetwork })
    const joined = yield* attempt(neutron.addInterface({ routerId, subnetId }))
    return {
      joined,
      joinedAgain: yield* attempt(neutron.addInterface({ routerId, subnetId })),
      networksInUse: yield* attempt(neutron.removeNetworks(named)),
      subnetsInUse: yield* attempt(neutron.removeSubnets(named)),
      routersInUse: yield* attempt(neutron.removeRouters(named)),
      left: yield* attempt(neutron.removeInterfaces(named)),
      leftAgain: yield* attempt(neutron.removeInterfaces(named)),
      routers: yield* attempt(neutron.removeRouters(named)),
      routersAgain: yield* attempt(neutron.removeRouters(named)),
      subnets: yield* attempt(neutron.removeSubnets(named)),
      networks: yield* attempt(neutron.removeNetworks(named)),
      networksAgain: yield* attempt(neutron.removeNetworks(named)),
      joinedToNothing: yield* attempt(neutron.addInterface({ routerId, subnetId }))
    }
  }).pipe(Effect.scoped),

  "parts whose parent is missing or has one already": Effect.gen(function* () {
    const neutron = yield* Neutron
    const named = yield* substrate("lacking")
    const networkId = yield* neutron.createNetwork(named)
    yield* neutron.createSubnet({ ...named, networkId })
    return {
      subnetOfNothing: yield* attempt(neutron.createSubnet({ ...named, networkId: absent.uuid })),
      secondSubnet: yield* attempt(neutron.createSubnet({ ...named, networkId })),
      routerToNothing: yield* attempt(neutron.createRouter({ ...named, externalNetworkId: absent.uuid })),
      routerToInside: yield* attempt(neutron.createRouter({ ...named, externalNetworkId: networkId })),
      longName: yield* attempt(neutron.createNetwork({ ...named, name: "x".repeat(256) })),
      longStamp: yield* attempt(neutron.createNetwork({ ...named, stamp: "x".repeat(256) }))
    }
  }).pipe(Effect.scoped),

  "limits are written, forced, read back and removed, twice over": Effect.gen(function* () {
    const neutron = yield* Neutron
    const { spare: tenant } = yield* Systems
    return {
      written: yield* attempt(neutron.writeQuotas(tenant, quotas)),
      again: yield* attempt(neutron.writeQuotas(tenant, quotas)),
      read: yield* attempt(neutron.readQuotas(tenant)),
      forced: yield* attempt(neutron.forceQuotas(tenant, { network: 0, router: 0, floatingip: 0 })),
      afterwards: yield* attempt(neutron.readQuotas(tenant)),
      removed: yield* attempt(neutron.removeQuotas(tenant)),
      removedAgain: yield* attempt(neutron.removeQuotas(tenant)),
      defaults: yield* attempt(neutron.readQuotas(tenant))
    }
  }),

  "limits of a missing project, and invalid limits": Effect.gen(function* () {
    const neutron = yield* Neutron
    const { spare: tenant } = yield* Systems
    const result = {
      noProject: yield* attempt(neutron.writeQuotas(absent.hex, quotas)),
      readOfNoProject: yield* attempt(neutron.readQuotas(absent.hex)),
      removedOfNoProject: yield* attempt(neutron.removeQuotas(absent.hex)),
      removedAgain: yield* attempt(neutron.removeQuotas(absent.hex)),
      unlimited: yield* attempt(neutron.writeQuotas(tenant, { ...quotas, network: -1 })),
      below: yield* attempt(neutron.writeQuotas(tenant, { ...quotas, network: -2 })),
      above: yield* attempt(neutron.writeQuotas(tenant, { ...quotas, network: 2 ** 31 })),
      fraction: yield* attempt(neutron.writeQuotas(tenant, { ...quotas, network: 1.5 }))
    }
    yield* neutron.removeQuotas(tenant)
    return result
  }),

  "limits below the usage": Effect.gen(function* () {
    const neutron = yield* Neutron
    const { ask, spare: projectId } = yield* Systems
    const named = { ...(yield* substrate("below")), projectId }
    yield* neutron.createNetwork(named)
    const zero = { network: 0, router: 0, floatingip: 0 }
    const quota = { network: 0, check_limit: true }
    const result = {
      plainly: yield* attempt(neutron.writeQuotas(projectId, zero)),
      forced: yield* attempt(neutron.forceQuotas(projectId, zero)),
      read: yield* attempt(neutron.readQuotas(projectId)),
      oneMore: yield* attempt(neutron.createNetwork(named)),
      router: yield* attempt(neutron.createRouter({ ...named, externalNetworkId: yield* neutron.externalNetwork })),
      checked: seen(yield* ask("control", `PUT network/quotas/${projectId}`, { json: { quota } }))
    }
    yield* neutron.removeQuotas(projectId)
    return result
  }).pipe(Effect.scoped),

  "a project's default group is recreated when it is listed, and removed again": Effect.gen(function* () {
    const neutron = yield* Neutron
    const { other } = yield* Systems
    return {
      removed: yield* attempt(neutron.removeDefaultSecurityGroup(other)),
      again: yield* attempt(neutron.removeDefaultSecurityGroup(other)),
      ofNoProject: yield* attempt(neutron.removeDefaultSecurityGroup(absent.hex))
    }
  })
}
