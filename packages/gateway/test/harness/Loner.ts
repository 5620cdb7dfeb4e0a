import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Sessions, tenantUserName } from "@portico/upstream/openstack/Sessions"
import { Context, Effect, Layer, Metric, Redacted } from "effect"
import { HastyUpstream } from "./HastyUpstream.ts"
import { RawUpstream } from "./RawUpstream.ts"
import { TestGateway } from "./TestGateway.ts"

/** A project that no onboarding made, for which the operator's token acts by the static tenant map. */
export const projectId = "0123456789abcdef0123456789abcdef"
export const bearer = fixtures.idp.operatorToken

/** How many fibers of the gateway run. */
export class Fibers extends Context.Service<
  Fibers,
  { readonly running: Effect.Effect<number>; readonly counter: Metric.FiberRuntimeMetricsService }
>()("portico/gateway/test/Fibers") {
  static readonly layer = Layer.sync(Fibers, () => {
    let running = 0
    return Fibers.of({
      running: Effect.sync(() => running),
      counter: { recordFiberStart: () => void (running += 1), recordFiberEnd: () => void (running -= 1) }
    })
  })

  /** For a gateway alone, or the test's own fibers would count. */
  static readonly counted = Layer.effect(
    Metric.FiberRuntimeMetrics,
    Effect.map(Fibers, (_) => _.counter)
  )
}

/** Whom Keystone lets in for the project. */
const admitted = Layer.effectDiscard(
  Effect.gen(function* () {
    const { keystone } = (yield* SimulatedCloud).world
    const { member } = fixtures.roles
    const password = Redacted.value((yield* Sessions).tenantPassword(projectId))
    const user = { id: "gw", name: tenantUserName(projectId), domain_id: "default", description: "", options: {} }
    const project = { id: projectId, name: "lone", domain_id: "default", description: "", tags: [] }
    keystone.users["gw"] = { ...user, enabled: true, password, default_project_id: null }
    keystone.projects[projectId] = { ...project, enabled: true }
    keystone.grants = [...keystone.grants, { projectId, userId: "gw", roleId: member }]
  })
)

/**
 * A gateway for one caller, whose dns, compute and volume are the raw service,
 * whose image service is the hasty one, and whose key manager is not there.
 *
 * @param more settings of its own
 */
export const Loner = (more: Readonly<Record<string, string>> = {}) =>
  admitted.pipe(
    Layer.provideMerge(
      TestGateway.layerOf(
        Effect.gen(function* () {
          const { url } = yield* RawUpstream
          return {
            ...gatewaySettings((yield* Server).url),
            IAAS_DNS_URL: `${url}/dns`,
            IAAS_COMPUTE_URL: `${url}/compute`,
            IAAS_VOLUME_URL: `${url}/volume`,
            IAAS_IMAGE_URL: (yield* HastyUpstream).url,
            // No process listens at port 1, and the system assigns it to none.
            IAAS_KEY_MANAGER_URL: "http://127.0.0.1:1",
            TENANT_MAP: JSON.stringify({ [fixtures.idp.operatorUserId]: projectId }),
            ...more
          }
        })
      ).pipe(Layer.provide(Fibers.counted), Layer.provideMerge(Fibers.layer))
    ),
    Layer.provideMerge(Layer.merge(RawUpstream.layer, HastyUpstream.layer)),
    Layer.provideMerge(TestGateway.cloud)
  )
