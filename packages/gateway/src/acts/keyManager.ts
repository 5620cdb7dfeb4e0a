import { type Act, actsOf, limits, writing } from "./Act.ts"

/** The Key Manager API, a page for each kind. */
const { never } = actsOf("key-manager", "https://docs.openstack.org/barbican/latest/api/reference/")

/**
 * Not in the table: a payload is stored once, in a secret that has none; metadata and access lists are attributes of
 * their resource.
 */
export const keyManager: ReadonlyArray<Act> = [
  never("v1/project-quotas/**", limits, "quotas.html", writing),
  never("v1/transport_keys/**", "the keys are the platform's", "store_backends.html", writing),
  never("v1/secret-stores/**", "in which store secrets are is the platform's to say", "store_backends.html", writing)
]
