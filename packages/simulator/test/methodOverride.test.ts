import { assert, describe, it } from "@effect/vitest"
import { methodOf } from "@portico/simulator/methodOverride"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { callOf } from "@portico/simulator/transport"
import { Effect } from "effect"
import { ask, tenantToken } from "./ask.ts"
import { as } from "./neutron.ts"

const form = "application/x-www-form-urlencoded"
const parts = '--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\ndelete\r\n--b--\r\n'

describe("a system may override the method of a call", () => {
  const rows: ReadonlyArray<
    readonly [method: string, target: string, taken: string, type?: string | undefined, body?: string]
  > = [
    ["GET", "/compute/v2.1/servers/1?_method=DELETE", "DELETE"],
    ["GET", "/volume/v3/p/volumes/1?_method=delete", "DELETE"],
    ["POST", "/image/v2/images/1?_method=PATCH", "PATCH"],
    ["DELETE", "/network/v2.0/routers/1?a=1;_method=put", "PUT"],
    ["GET", "/network/v2.0/security-group-rules?%5Fmethod=POST", "POST"],
    ["GET", "/compute/v2.1/servers?_method=GET&_method=POST", "POST"],
    ["GET", "/compute/v2.1/servers?_method=", "GET"],
    ["GET", "/compute/v2.1/servers?_Method=DELETE", "GET"],
    ["GET", "/network/v2.0/networks/1?_method=DELETE", "GET"],
    ["GET", "/key-manager/v1/secrets/1?_method=DELETE", "GET"],
    ["GET", "/identity/v3/projects/1?_method=DELETE", "GET"],
    ["GET", "/load-balancer/v2/lbaas/loadbalancers/1?_method=DELETE", "GET"],
    ["POST", "/network/v2.0/routers/1", "PUT", `${form}; charset=utf-8`, '{"x":"&_method=PUT&"}'],
    ["POST", "/network/v2.0/routers/1", "POST", form, "_method=DELETE"],
    ["POST", "/compute/v2.1/servers/1", "POST", form, "_method=DELETE"],
    ["GET", "/dns/v2/zones/1?_method=DELETE", "GET"],
    ["GET", "/dns/v2/zones/1?_method=delete_one", "DELETE"],
    ["GET", "/dns/v2/zones?_method=post", "POST"],
    ["HEAD", "/dns/v2/zones/1?_method=delete", "DELETE"],
    ["POST", "/dns/v2/zones/1", "DELETE", form, "_method=DELETE"],
    ["PATCH", "/dns/v2/zones/1", "DELETE", "multipart/form-data; boundary=b", parts],
    ["POST", "/dns/v2/zones/1", "DELETE", undefined, "_method=DELETE"],
    ["PUT", "/dns/v2/zones/1", "PUT", undefined, "_method=DELETE"],
    ["POST", "/dns/v2/zones/1", "POST", "application/json", "_method=DELETE"]
  ]
  for (const [method, target, taken, type, body = ""] of rows) {
    it(`${method} ${target}${type === undefined ? "" : ` as ${type}`}${body === "" ? "" : " with a body"}: ${taken}`, () => {
      const headers = type === undefined ? {} : { "content-type": type }
      const call = callOf(method, target, headers, Buffer.from(body))
      assert.strictEqual(call && methodOf(call), taken)
    })
  }
})

describe("a system normalizes a path", () => {
  const rows: ReadonlyArray<readonly [method: string, path: string]> = [
    ["PUT", "/routers/ID/index"],
    ["PUT", "/routers/ID.json"],
    ["PUT", "/routers/ID.JSON/"],
    ["PUT", "/routers/ID%20"],
    ["PUT", "/qos/routers/ID"],
    ["PUT", "/routers/ID/add_router_interface/parent_controller"],
    ["PUT", "/routers/ID/add_router_interface/parent_controller/index"],
    ["GET", "/routers/ID?_method=PUT"]
  ]
  for (const [method, path] of rows) {
    it.effect(`${method} ${path} changes the router`, () =>
      Effect.gen(function* () {
        const acme = yield* tenantToken("acme")
        const call = as(acme)
        const { router } = (yield* call("POST", "/routers", { router: { name: "before" } })).json
        const target = `/network/v2.0${path.replace("ID", router.id)}`
        const answer = yield* ask(method, target, { token: acme.token, json: { router: { name: "after" } } })
        assert.strictEqual(answer.status, 200, answer.body)
        assert.strictEqual((yield* call("GET", `/routers/${router.id}`)).json.router.name, "after")
      }).pipe(Effect.provide(SimulatedCloud.layerMemory))
    )
  }
})
