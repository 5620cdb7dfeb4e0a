import { Result } from "effect"
import type { Step } from "../Wire.ts"
import { refuse } from "./errors.ts"
import { referredGroup } from "./securityGroups.ts"
import type { Request } from "./request.ts"

/** What a port is going to have, and what of it this call names. */
interface Wanted {
  readonly secured: boolean
  readonly groups: ReadonlyArray<string>
  readonly namesGroups: boolean
  readonly pairs: ReadonlyArray<unknown>
}

/** A port without port security has neither groups nor address pairs. */
export const checkSecurity = ({ groups, namesGroups, pairs, secured }: Wanted): Step<void> => {
  if (secured) return Result.void
  if (pairs.length > 0) {
    const message = "Port Security must be enabled in order to have allowed address pairs on a port."
    return refuse(409, "AddressPairAndPortSecurityRequired", message)
  }
  if (groups.length === 0) return Result.void
  return namesGroups
    ? refuse(
        400,
        "PortSecurityAndIPRequiredForSecurityGroups",
        "Port security must be enabled and port must have an IP address in order to use security groups."
      )
    : refuse(
        409,
        "PortSecurityPortHasSecurityGroup",
        "Port has security group associated. Cannot disable port security or IP address until security group is removed."
      )
}

/** The named groups exist, and are all stateful or all stateless. */
export const checkGroups = (request: Request, ids: ReadonlyArray<string>): Step<void> =>
  Result.gen(function* () {
    const kinds = new Set<boolean>()
    for (const id of ids) kinds.add((yield* referredGroup(request, id)).stateful)
    if (kinds.size < 2) return
    const reason = "Cannot apply both stateful and stateless security groups on the same port at the same time"
    return yield* refuse(409, "SecurityGroupConflict", `Error ${reason} while attempting the operation.`)
  })
