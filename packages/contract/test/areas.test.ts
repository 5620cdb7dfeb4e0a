import { assert, describe, it } from "@effect/vitest"
import { CustomerApi } from "@portico/contract/Api"
import { areas } from "@portico/contract/areas"
import { OpenApi } from "effect/http-api"

describe("the areas of access policies", () => {
  it("are all named where a policy is described", () => {
    const { AccessPolicyRequest } = OpenApi.fromApi(CustomerApi).components.schemas
    const names = areas.map((_) => `\`${_}\``).join(", ")
    assert.include(JSON.stringify(AccessPolicyRequest), `The areas: ${names}.`)
  })
})
