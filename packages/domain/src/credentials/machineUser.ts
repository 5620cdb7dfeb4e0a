import { createHash } from "node:crypto"

/** The role that every machine user of a tenant holds in the API's project. */
export const tenantRole = "customer"

export interface MachineUser {
  readonly credentialId: string
  readonly userId: string
  /** The `client_id` of the credential. */
  readonly userName: string
  readonly name: string
  readonly stamp: string
}

/**
 * The machine user behind one credential. All its names derive from the attempt, so any process
 * that knows the attempt can find and remove the user.
 */
export const machineUserOf = (attempt: {
  readonly id: string
  readonly slug: string
  readonly stamp: string
}): MachineUser => {
  const suffix = createHash("sha256").update(attempt.id).digest("hex").slice(0, 12)
  return {
    credentialId: `cred-${suffix}`,
    userId: `cred-${suffix}`,
    userName: `${attempt.slug}-${suffix}`,
    name: attempt.slug,
    stamp: attempt.stamp
  }
}
