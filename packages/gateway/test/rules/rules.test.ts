import { assert, describe, it } from "@effect/vitest"
import { rules } from "@portico/gateway/proxy/rules/rules"
import { Effect } from "effect"
import { callOf, judge } from "./judge.ts"
import { anId, everybody } from "./Spelling.ts"
import { spellings } from "./spellings.ts"

describe("a request under a rule", () => {
  for (const spelling of spellings) {
    const { expect, headers, method, path, what, who } = spelling
    const type = headers?.["content-type"] === undefined ? "" : ` as ${headers["content-type"]}`
    it.effect(`${method} ${path}${type} (${what}) of ${who.join(", ")}: ${expect}`, () =>
      Effect.gen(function* () {
        for (const _ of who) assert.strictEqual(yield* judge(spelling, _), expect, _)
      })
    )
  }

  it("covers each refusal code", () => {
    assert.sameMembers(
      [...new Set(spellings.map((_) => _.expect))],
      [
        "allowed",
        "world_open_ssh",
        "external_gateway_refused",
        "image_locations_refused",
        "image_import_refused",
        "image_patch_media_type",
        "platform_act_refused",
        "secret_payload_refused"
      ]
    )
  })
})

describe("an ordinary call", () => {
  const calls: ReadonlyArray<readonly [method: string, path: string]> = [
    ["GET", "/compute/servers/detail"],
    ["GET", `/compute/servers/${anId}`],
    ["DELETE", `/compute/servers/${anId}`],
    ["GET", "/network/networks"],
    ["POST", "/network/networks"],
    ["POST", "/network/subnetpools"],
    ["POST", "/network/security-groups"],
    ["GET", "/network/security-group-rules"],
    ["GET", "/network/routers"],
    ["GET", "/network/ports"],
    ["GET", "/network"],
    ["POST", "/network/floatingips"],
    ["POST", "/volume/volumes"],
    ["GET", "/image/images"],
    ["GET", `/image/images/${anId}/file`],
    ["PUT", `/image/images/${anId}/file`],
    ["PUT", `/image/images/${anId}/stage`],
    ["POST", `/image/images/${anId}/members`],
    ["POST", "/dns/zones"],
    ["POST", "/load-balancer/lbaas/loadbalancers"],
    ["GET", "/key-manager/v1/secrets"],
    ["POST", "/key-manager/v1/secrets"],
    // The words of one service mean nothing to another.
    ["POST", "/volume/security-group-rules"],
    ["POST", "/compute/routers"],
    ["POST", "/network/servers"],
    ["GET", "/volume/auto-allocated-topology/null"],
    ["PATCH", "/dns/images"]
  ]
  for (const [method, path] of calls) {
    it(`${method} ${path} concerns no rule, for any caller`, () => {
      for (const who of everybody) {
        for (const rule of rules) assert.strictEqual(rule.concerns(callOf({ method, path }, who)), "nothing")
      }
    })
  }

  it("is the same call with a leading project id", () => {
    for (const word of ["os-security-group-rules", "servers", "os-volumes_boot"]) {
      const call = callOf({ method: "POST", path: `/compute/${anId}/${word}` })
      assert.strictEqual(rules.filter((_) => _.concerns(call) === "body").length, 1, word)
    }
  })

  it("has its body read only for rules that need it", () => {
    const decided: ReadonlyArray<readonly [method: string, path: string]> = [
      ["GET", "/network/auto-allocated-topology/null"],
      ["PUT", `/network/routers/${anId}/add_external_gateways`],
      ["POST", `/image/images/${anId}/locations`],
      ["GET", `/key-manager/v1/secrets/${anId}/payload`]
    ]
    for (const [method, path] of decided) {
      const concerned = rules.map((_) => _.concerns(callOf({ method, path }))).filter((_) => _ !== "nothing")
      assert.deepStrictEqual([...new Set(concerned)], ["head"], path)
    }
  })
})
