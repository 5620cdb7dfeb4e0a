import { assert, it } from "@effect/vitest"
import { Authenticated, tierOf } from "@portico/contract/Access"
import { CustomerApi } from "@portico/contract/Api"
import { acts, isRefusedWhileSuspended } from "@portico/contract/Suspension"
import { HttpApi } from "effect/http-api"

/** Every write of tenants that is no proxy's, read off the declarations. */
const writes: ReadonlyArray<string> = (() => {
  const found: Array<string> = []
  HttpApi.reflect(CustomerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const known = [...middleware].some((_) => _.key === Authenticated.key)
      if (known && tierOf(endpoint.method) === 1 && !endpoint.path.endsWith("/*")) {
        found.push(`${endpoint.method} ${endpoint.path}`)
      }
    }
  })
  return found
})()

it("every write of tenants has a decision for a suspended tenant", () => {
  assert.sameMembers(Object.keys(acts), [...writes])
})

it("a write without a decision counts as a creation; reads and deletions never do", () => {
  const path = "/v1/things"
  const refused = ["POST", "PUT", "PATCH", "GET", "HEAD", "OPTIONS", "DELETE"].filter((method) =>
    isRefusedWhileSuspended({ method, path })
  )
  assert.deepStrictEqual(refused, ["POST", "PUT", "PATCH"])
})
