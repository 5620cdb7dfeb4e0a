import { Predicate } from "effect"
import { type Act, actsOf, bodied, limits, writing } from "./Act.ts"
import { isFalsy, memberOf } from "./reading.ts"

/** The Key Manager API, a page for each kind. */
const { gives, never } = actsOf("key-manager", "https://docs.openstack.org/barbican/latest/api/reference/")

/** An access list for each operation, such as `read`. The caller's own project needs no list of users. */
const namesUsers = (body: unknown): boolean =>
  Predicate.isReadonlyObject(body) && Object.values(body).some((_) => !isFalsy(memberOf(_, "users")))

/**
 * No access list destroys anything, and a payload is stored once, in a secret that has none.
 */
export const keyManager: ReadonlyArray<Act> = [
  ...["secrets", "containers"].map((_) =>
    gives(`v1/${_}/*/acl/**`, "users of other projects read it", "acls.html", bodied, namesUsers)
  ),
  never("v1/project-quotas/**", limits, "quotas.html", writing),
  never("v1/transport_keys/**", "the keys are the platform's", "store_backends.html", writing),
  never("v1/secret-stores/**", "in which store secrets are is the platform's to say", "store_backends.html", writing)
]
