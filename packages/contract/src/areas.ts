import { HttpApi } from "effect/http-api"
import { Authenticated } from "./Access.ts"
import { CustomerApi } from "./Api.ts"
import { iaasServices } from "./IaasServices.ts"

/** The catch-alls. The first one's areas are the services behind it. */
const iaas = "iaas"

/** Of a first-class route: the first segment behind `/v1`. */
export const areaOf = (path: string): string => path.split("/")[2] ?? ""

/**
 * What an access policy can deny: the platform's services, and the first
 * segments of all routes that tenants call with a credential. Read off the
 * declarations, so that no group is forgotten. A name that is both, such as a
 * service with first-class routes beside it, means both.
 */
export const areas: ReadonlyArray<string> = (() => {
  // The registry's token service knows its caller by a login of its own.
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
