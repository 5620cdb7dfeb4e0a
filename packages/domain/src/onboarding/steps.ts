import { serviceQuotas } from "@portico/contract/Tiers"
import { Cinder } from "@portico/upstream/cinder/Cinder"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Nova } from "@portico/upstream/nova/Nova"
import { Octavia } from "@portico/upstream/octavia/Octavia"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Effect } from "effect"
import { machineUserOf, tenantRole } from "../credentials/machineUser.ts"
import { type Attempt, type Step, step } from "./Step.ts"

/** The upstreams that the steps call. */
export type Systems = Keystone | Nova | Neutron | Cinder | Octavia | Rgw | Zitadel | Humans

/** The role of the person that an account is made for. */
export const ownerRole = "customer-owner"

const nothing = () => Effect.void

/** Undoes what exists only with its project: without the project there is nothing to undo. */
const onLiveProject = <E, R>(attempt: Attempt, undo: (projectId: string) => Effect.Effect<void, E, R>) =>
  Effect.flatMap(findProject(attempt), (found) => (found === undefined ? Effect.void : undo(found.id)))

/** Undoes what the project's id alone identifies, even when the project is gone. */
const onProject = <E, R>(attempt: Attempt, undo: (projectId: string) => Effect.Effect<void, E, R>) =>
  attempt.projectId === undefined ? onLiveProject(attempt, undo) : undo(attempt.projectId)

/** The attempt's project, if it exists and carries the attempt's stamp. */
export const findProject = (attempt: Attempt) =>
  Effect.flatMap(Keystone, (_) => _.findProject({ name: attempt.slug, stamp: attempt.stamp }))

export const project = step({
  name: "project",
  do: ({ name, slug, stamp }) =>
    Effect.flatMap(Keystone, (_) => _.createProject({ name: slug, description: name, stamp })),
  find: ({ projectId }) =>
    projectId === undefined ? Effect.undefined : Effect.flatMap(Keystone, (_) => _.getProject(projectId)),
  undo: (attempt) => onProject(attempt, (projectId) => Effect.flatMap(Keystone, (_) => _.removeProject(projectId)))
})

/** The platform's external network: found, not made. */
export const uplink = step({
  name: "uplink",
  do: () => Effect.flatMap(Neutron, (_) => _.externalNetwork),
  undo: nothing
})

const computeQuotas = step({
  name: "compute quotas",
  needs: [project],
  do: ({ tier }, made) => Effect.flatMap(Nova, (_) => _.writeQuotas(made(project).id, serviceQuotas(tier).nova)),
  // Nova has no quotas of a deleted project, and refuses the call.
  undo: (attempt) => onLiveProject(attempt, (projectId) => Effect.flatMap(Nova, (_) => _.removeQuotas(projectId)))
})

const blockQuotas = step({
  name: "block storage quotas",
  needs: [project],
  do: ({ tier }, made) => Effect.flatMap(Cinder, (_) => _.writeQuotas(made(project).id, serviceQuotas(tier).cinder)),
  undo: (attempt) => onProject(attempt, (projectId) => Effect.flatMap(Cinder, (_) => _.removeQuotas(projectId)))
})

const networkQuotas = step({
  name: "network quotas",
  needs: [project],
  do: ({ tier }, made) => Effect.flatMap(Neutron, (_) => _.writeQuotas(made(project).id, serviceQuotas(tier).neutron)),
  undo: (attempt) => onProject(attempt, (projectId) => Effect.flatMap(Neutron, (_) => _.removeQuotas(projectId)))
})

const loadBalancerQuotas = step({
  name: "load balancer quotas",
  needs: [project],
  do: ({ tier }, made) => Effect.flatMap(Octavia, (_) => _.writeQuotas(made(project).id, serviceQuotas(tier).octavia)),
  undo: (attempt) => onProject(attempt, (projectId) => Effect.flatMap(Octavia, (_) => _.removeQuotas(projectId)))
})

const objectStorage = step({
  name: "object storage",
  needs: [project],
  do: Effect.fnUntraced(function* ({ stamp, tier }, made) {
    const rgw = yield* Rgw
    const { rgw: quotas } = serviceQuotas(tier)
    const projectId = made(project).id
    yield* rgw.createUser({ projectId, stamp, maxBuckets: quotas.max_buckets })
    yield* rgw.writeQuota(projectId, quotas)
  }),
  undo: (attempt) =>
    onProject(attempt, (projectId) => Effect.flatMap(Rgw, (_) => _.removeUser({ projectId, stamp: attempt.stamp })))
})

const tenantUser = step({
  name: "tenant user",
  needs: [project],
  do: ({ stamp }, made) => Effect.flatMap(Keystone, (_) => _.createTenantUser({ projectId: made(project).id, stamp })),
  undo: (attempt) =>
    onProject(attempt, (projectId) =>
      Effect.flatMap(Keystone, (_) => _.removeTenantUser({ projectId, stamp: attempt.stamp }))
    )
})

export const network = step({
  name: "network",
  // The quotas come first: a cloud whose default quotas are zero would refuse the network.
  needs: [project, networkQuotas],
  do: ({ slug, stamp }, made) =>
    Effect.flatMap(Neutron, (_) => _.createNetwork({ projectId: made(project).id, name: `${slug}-net`, stamp })),
  find: ({ slug, stamp }, made) =>
    Effect.flatMap(Neutron, (_) => _.find("network", { projectId: made(project).id, name: `${slug}-net`, stamp })),
  undo: Effect.fnUntraced(function* (attempt) {
    const neutron = yield* Neutron
    yield* neutron.removeNetworks(attempt)
    yield* onProject(attempt, neutron.removeDefaultSecurityGroup)
  })
})

export const subnet = step({
  name: "subnet",
  needs: [project, network],
  do: ({ slug, stamp }, made) =>
    Effect.flatMap(Neutron, (_) =>
      _.createSubnet({ projectId: made(project).id, name: `${slug}-subnet`, stamp, networkId: made(network) })
    ),
  find: ({ slug, stamp }, made) =>
    Effect.flatMap(Neutron, (_) => _.find("subnet", { projectId: made(project).id, name: `${slug}-subnet`, stamp })),
  undo: (attempt) => Effect.flatMap(Neutron, (_) => _.removeSubnets(attempt))
})

/** With an uplink to the external network, and SNAT on. */
export const router = step({
  name: "router",
  needs: [project, networkQuotas, uplink],
  do: ({ slug, stamp }, made) =>
    Effect.flatMap(Neutron, (_) =>
      _.createRouter({ projectId: made(project).id, name: `${slug}-router`, stamp, externalNetworkId: made(uplink) })
    ),
  find: Effect.fnUntraced(function* ({ slug, stamp }, made) {
    const neutron = yield* Neutron
    const found = yield* neutron.find("router", { projectId: made(project).id, name: `${slug}-router`, stamp })
    if (found !== undefined) yield* neutron.ensureUplink({ routerId: found, externalNetworkId: made(uplink) })
    return found
  }),
  undo: (attempt) => Effect.flatMap(Neutron, (_) => _.removeRouters(attempt))
})

export const routerInterface = step({
  name: "router interface",
  needs: [router, subnet],
  do: (_, made) =>
    Effect.flatMap(Neutron, (neutron) =>
      Effect.as(neutron.addInterface({ routerId: made(router), subnetId: made(subnet) }), true)
    ),
  find: (_, made) =>
    Effect.flatMap(Neutron, (neutron) =>
      Effect.map(neutron.hasInterface({ routerId: made(router), subnetId: made(subnet) }), (has) => has || undefined)
    ),
  undo: (attempt) => Effect.flatMap(Neutron, (_) => _.removeInterfaces(attempt))
})

const machineUser = step({
  name: "machine user",
  // Only so that a taken project name fails before anything else is created.
  needs: [project],
  do: Effect.fnUntraced(function* (attempt) {
    const user = machineUserOf(attempt)
    yield* (yield* Zitadel).createMachineUser(user)
    return user
  }),
  undo: (attempt) => Effect.flatMap(Zitadel, (_) => _.removeUser(machineUserOf(attempt).userId, attempt.stamp))
})

const machineRole = step({
  name: "machine role",
  needs: [machineUser],
  do: (_, made) => Effect.flatMap(Zitadel, (zitadel) => zitadel.grantRole(made(machineUser).userId, tenantRole)),
  // Removing the user removes the grant.
  undo: nothing
})

/** The first credential's secret. It exists in the result of this step, and nowhere else. */
export const firstCredential = step({
  name: "first credential",
  needs: [machineUser],
  do: Effect.fnUntraced(function* (_, made) {
    const user = made(machineUser)
    const secret = yield* (yield* Zitadel).createSecret(user.userId)
    return { ...user, secret }
  }),
  undo: nothing
})

/**
 * The admission counts tiers by this tag, so it is the last step. With an
 * owner, whose login comes after it, it runs in parallel with the router
 * interface and costs no time of its own.
 */
export const tierTag = step({
  name: "tier tag",
  needs: [project, router, subnet],
  do: ({ tier }, made) => Effect.flatMap(Keystone, (_) => _.tagTier(made(project).id, tier)),
  // Removing the project removes the tag.
  undo: nothing
})

/**
 * The login of the tenant's owner. Creating it sends the initialisation mail,
 * so it is the very last step: an onboarding that is rolled back has sent no
 * mail.
 */
export const owner = step({
  name: "owner",
  do: ({ owner, stamp }) =>
    owner === undefined
      ? Effect.die(new Error("the owner step has no owner"))
      : Effect.flatMap(Humans, (_) =>
          _.create({ email: owner.email, displayName: owner.display_name, stamp, role: ownerRole })
        ),
  undo: ({ owner, stamp }) =>
    owner === undefined ? Effect.void : Effect.flatMap(Humans, (_) => _.removeByEmail(owner.email, stamp))
})

/**
 * The steps of every tenant. Sequential depth of the upstream calls, without
 * fetching the control token: 7. One read for the admission; project; network
 * quotas; network; subnet; router interface; and the tier tag, last. With an
 * owner it is 8: the tag runs in parallel with the router interface, and the
 * owner's login and its role come last.
 */
export const builtIn: ReadonlyArray<Step<unknown, Systems>> = [
  project,
  uplink,
  computeQuotas,
  blockQuotas,
  networkQuotas,
  loadBalancerQuotas,
  objectStorage,
  tenantUser,
  network,
  subnet,
  router,
  routerInterface,
  machineUser,
  machineRole,
  firstCredential
]
