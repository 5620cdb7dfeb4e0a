import { HttpApi } from "effect/http-api"
import { Authenticated } from "./Access.ts"
import { CustomerApi } from "./Api.ts"
import { iaasServices } from "./IaasServices.ts"

/** The catch-alls. The areas of the first one are the services behind it. */
const iaas = "iaas"

/** The area of a first-class route: the first segment after `/v1`. */
export const areaOf = (path: string): string => path.split("/")[2] ?? ""

/**
 * What an access policy can deny: the platform's services, and the first
 * segments of all routes that tenants call with a credential. Derived from the
 * declarations, so that no group is missing. A name that is both, such as a
 * service that also has first-class routes, covers both.
 */
export const areas: ReadonlyArray<string> = (() => {
  // The registry's token service has a login of its own, so the reflection below does not find it.
  const found = new Set<string>([...iaasServices, "registry"])
  HttpApi.reflect(CustomerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const area = areaOf(endpoint.path)
      const authenticated = [...middleware].some((_) => _.key === Authenticated.key)
      if (authenticated && area !== iaas) found.add(area)
    }
  })
  return [...found].toSorted()
})()
