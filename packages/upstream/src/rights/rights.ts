import { Effect } from "effect"
import { kubernetesRights } from "./kubernetes.ts"
import type { Rights } from "./Missing.ts"
import { openstackRights } from "./openstack.ts"
import { rgwRights } from "./rgw.ts"
import { zitadelRights } from "./zitadel.ts"

/**
 * What the gateway's identities lack for onboarding, by the component names of readiness; a component that is absent
 * here needs no more than its probe reads. Everything is found by reads and reviews: nothing is created.
 *
 * @param roles the keys of the API project's roles that are granted to users
 */
export const rightsWith = Effect.fnUntraced(function* (roles: ReadonlyArray<string>) {
  const all: Readonly<Record<string, Rights>> = {
    ...(yield* openstackRights),
    ...(yield* rgwRights),
    ...(yield* zitadelRights(roles)),
    ...(yield* kubernetesRights)
  }
  return all
})
