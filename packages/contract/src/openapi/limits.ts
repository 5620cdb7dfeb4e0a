import { Predicate } from "effect"
import { listOf, type Spec, withResponses } from "./tree.ts"

const seconds = { type: "integer", minimum: 1 } as const

/** The headers with a tenant's allowance, by name. The operator plane has no rate limit and none of them. */
const headers = {
  "RateLimit-Limit": {
    description: "Calls that the tenant has in a minute, all its credentials, people and workloads together.",
    schema: { type: "integer", minimum: 1 }
  },
  "RateLimit-Remaining": {
    description: "Calls that the tenant may still make at once.",
    schema: { type: "integer", minimum: 0 }
  },
  "RateLimit-Reset": {
    description: "Seconds until the whole allowance is available again, if the tenant makes no further call.",
    schema: seconds
  },
  "Retry-After": {
    description: "Seconds after which the client may repeat the call.",
    schema: seconds
  }
} as const

const reference = (name: keyof typeof headers) => [name, { $ref: `#/components/headers/${name}` }] as const

const always = [reference("RateLimit-Limit"), reference("RateLimit-Remaining"), reference("RateLimit-Reset")] as const

/**
 * Declares the headers, once as components, on the success responses of
 * authenticated routes and on the 429. The other responses to an authenticated
 * tenant have them too: to declare them there would double the document.
 */
export const withAllowances = (spec: Spec): Spec => ({
  ...withResponses(spec, (status, response, operation) => {
    if (!/^(2\d\d|429)$/.test(status) || listOf(operation["security"]).length === 0) return response
    const given = Predicate.isObject(response["headers"]) ? response["headers"] : {}
    const more = status === "429" ? [...always, reference("Retry-After")] : always
    return { ...response, headers: { ...given, ...Object.fromEntries(more) } }
  }),
  components: { ...(Predicate.isObject(spec["components"]) ? spec["components"] : {}), headers }
})
