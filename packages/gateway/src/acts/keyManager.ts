import { type Act, writing } from "./Act.ts"

/** The Key Manager API, a page for each kind. */
const reference = "https://docs.openstack.org/barbican/latest/api/reference/"

const never = (path: string, why: string, page: string): Act => ({
  service: "key-manager",
  methods: writing,
  path,
  decision: "never",
  why,
  source: `${reference}${page}`
})

/** A payload is stored once, in a secret that has none; metadata and access lists are attributes of theirs. */
export const keyManager: ReadonlyArray<Act> = [
  never("v1/project-quotas/**", "the limits of a tenant are set by the platform, from its tier", "quotas.html"),
  never("v1/transport_keys/**", "the keys are the platform's", "store_backends.html"),
  never("v1/secret-stores/**", "in which store secrets are is the platform's to say", "store_backends.html")
]
