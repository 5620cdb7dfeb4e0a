import type { Caller } from "@portico/contract/Access"
import type { ServerTemplate } from "@portico/contract/Autoscaling"
import { Unprocessable } from "@portico/contract/Failures"
import { Tenants } from "@portico/store/Tenants"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Servers } from "@portico/upstream/nova/Servers"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { denied } from "../access/limits.ts"
import { badGateway } from "../badGateway.ts"

/**
 * The template, with the network of the onboarding when it names none. It checks that everything
 * that the template names exists now and is usable by the tenant.
 *
 * Errors: 422 with the message of the service that lacks something, or refuses it; 403 for an image that brings volumes,
 * when a policy denies these to the caller; 502.
 */
export const checkedTemplate = Effect.fn("autoscaling.template")(function* (
  caller: Pick<Caller, "denies">,
  projectId: string,
  template: ServerTemplate
) {
  const { imageBringsDevices } = yield* checked(projectId, template)
  const denial = denied(caller, "volume", 1)
  if (imageBringsDevices && denial !== undefined) return yield* denial
  if (template.network_id !== undefined) return template
  const network_id = yield* Effect.catchTag(networkOf(projectId), "UpstreamError", badGateway)
  return network_id === undefined ? yield* Unprocessable.autoscalingNetwork() : { ...template, network_id }
})

const checked = Effect.fnUntraced(function* (projectId: string, template: ServerTemplate) {
  return yield* Effect.catchTag((yield* Servers).check(projectId, template), "UpstreamError", lacking)
})

/**
 * Whether the caller may make groups of this template grow: each new server of an image that brings volumes makes some.
 *
 * Errors: 403 for such an image, when a policy denies volumes to the caller; 422 with the message of the service that
 * lacks what the template names; 502.
 */
export const mayGrow = Effect.fn("autoscaling.mayGrow")(function* (
  caller: Pick<Caller, "denies">,
  projectId: string,
  template: ServerTemplate
) {
  const denial = denied(caller, "volume", 1)
  if (denial !== undefined && (yield* checked(projectId, template)).imageBringsDevices) return yield* denial
})

const lacking = (error: UpstreamError) =>
  Effect.fail(
    error.status !== null && error.status >= 400 && !error.transient
      ? Unprocessable.upstream(error.detail)
      : badGateway(error)
  )

const networkOf = Effect.fnUntraced(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant === undefined) return undefined
  return yield* (yield* Neutron).find("network", { projectId, name: `${tenant.slug}-net`, stamp: tenant.stamp })
})
