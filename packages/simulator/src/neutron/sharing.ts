import type { Scope } from "../keystone/state.ts"
import type { NeutronState, Thing } from "./state.ts"

/** Whether an RBAC policy grants the project, or all projects, this action on the object. */
export const granted = (
  neutron: NeutronState,
  type: string,
  { id }: Pick<Thing, "id">,
  { projectId }: Pick<Scope, "projectId">,
  action = "access_as_shared"
): boolean =>
  Object.values(neutron.rbac_policies).some(
    (_) =>
      _.object_type === type &&
      _.object_id === id &&
      _.action === action &&
      (_.target_tenant === "*" || _.target_tenant === projectId)
  )

/** Deleting an object deletes its RBAC policies. */
export const dropPolicies = (neutron: NeutronState, objectId: string): void => {
  for (const policy of Object.values(neutron.rbac_policies)) {
    if (policy.object_id === objectId) delete neutron.rbac_policies[policy.id]
  }
}
