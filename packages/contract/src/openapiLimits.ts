import { Predicate } from "effect"

const whole = { type: "integer", minimum: 0 } as const

/** The headers with a tenant's allowance, by name. The operator plane has no rate limit and none of them. */
const headers = {
  "RateLimit-Limit": {
    description: "Calls that the tenant has in a minute, all its credentials together.",
    schema: { type: "integer", minimum: 1 }
  },
  "RateLimit-Remaining": {
    description: "Calls that the tenant may still make at once.",
    schema: whole
  },
  "RateLimit-Reset": {
    description: "Seconds until all of them are there again, if none is made meanwhile.",
    schema: { type: "integer", minimum: 1 }
  },
  "Retry-After": {
    description: "Seconds after which it is worth while to try again.",
    schema: { type: "integer", minimum: 1 }
  }
} as const

const reference = (name: keyof typeof headers) => [name, { $ref: `#/components/headers/${name}` }] as const

const always = [reference("RateLimit-Limit"), reference("RateLimit-Remaining"), reference("RateLimit-Reset")] as const

/**
 * Declares the headers, once as components, on the success responses of
 * authenticated routes and on the 429. The other responses to an authenticated
 * tenant have them too: to declare them there would double the document.
 */
export const withAllowances = (spec: Record<string, unknown>): Record<string, unknown> => {
  const { components, paths } = spec
  if (!Predicate.isObject(paths) || !Predicate.isObject(components)) return spec
  return {
    ...spec,
    paths: mapValues(paths, (_, item) => mapValues(item, told)),
    components: { ...components, headers }
  }
}

const told = (_: string, operation: unknown): unknown => {
  if (!Predicate.isObject(operation) || !Array.isArray(operation["security"])) return operation
  if (operation["security"].length === 0) return operation
  return { ...operation, responses: mapValues(operation["responses"], answer) }
}

const answer = (status: string, response: unknown): unknown => {
  if (!/^(2\d\d|429)$/.test(status) || !Predicate.isObject(response)) return response
  const given = Predicate.isObject(response["headers"]) ? response["headers"] : {}
  const more = status === "429" ? [...always, reference("Retry-After")] : always
  return { ...response, headers: { ...given, ...Object.fromEntries(more) } }
}

const mapValues = (given: unknown, change: (name: string, value: unknown) => unknown): unknown =>
  Predicate.isObject(given)
    ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, change(name, value)]))
    : given
