import { assert, describe, it } from "@effect/vitest"
import { externalGateways } from "@portico/gateway/proxy/rules/externalGateways"
import { imageLocations } from "@portico/gateway/proxy/rules/imageLocations"
import type { Rule } from "@portico/gateway/proxy/rules/Rule"
import { secretPayloads } from "@portico/gateway/proxy/rules/secretPayloads"
import { worldOpenSsh } from "@portico/gateway/proxy/rules/worldOpenSsh"
import { proxiedFailures } from "@portico/contract/Iaas"
import { failureTable } from "@portico/contract/Failures"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { ask, callOf } from "./judge.ts"
import { anId, type Spelling } from "./Spelling.ts"
import { openRule } from "./worldOpenSsh.spellings.ts"

it("what the proxy refuses stands in its document, code by code", () => {
  const document = readFileSync(new URL("../../../../docs/tenants/proxy.md", import.meta.url), "utf8")
  const refused = failureTable.filter((_) => _.status === 403 && proxiedFailures.some((code) => code === _.code))
  assert.isAbove(refused.length, 8)
  for (const { code } of refused) assert.include(document, `\`${code}\``)
})

describe("a refusal says what is wrong and what would be right", () => {
  const rows: ReadonlyArray<
    readonly [rule: Rule, request: Pick<Spelling, "body" | "method" | "path">, tag: string, detail: string]
  > = [
    [
      worldOpenSsh,
      { method: "POST", path: "/network/security-group-rules", body: { security_group_rule: openRule } },
      "Forbidden",
      "The rule opens SSH (port 22) to every address: name a narrower source, or send the request with " +
        "allow_ssh_from_anywhere=true in its query"
    ],
    [
      worldOpenSsh,
      { method: "POST", path: "/network/address-groups", body: { address_group: { addresses: ["::/0"] } } },
      "Forbidden",
      "An address group with a prefix of length 0 can open SSH (port 22) to every address: leave the prefix out, " +
        "or send the request with allow_ssh_from_anywhere=true in its query"
    ],
    [
      externalGateways,
      { method: "GET", path: "/network/auto-allocated-topology/null" },
      "Forbidden",
      "Tenant routers cannot hold an external gateway: setting, changing or removing one requires the platform " +
        "administrator role"
    ],
    [
      imageLocations,
      { method: "GET", path: `/image/images/${anId}/locations` },
      "Forbidden",
      "The locations of an image can be neither read nor written; send its data to PUT /v1/iaas/image/images/{id}/file"
    ],
    [
      imageLocations,
      { method: "PATCH", path: `/image/images/${anId}`, body: [] },
      "UnsupportedMediaType",
      "A patch of an image must have Content-Type: application/openstack-images-v2.1-json-patch " +
        "or application/openstack-images-v2.0-json-patch"
    ],
    [
      secretPayloads,
      { method: "GET", path: `/key-manager/v1/secrets/${anId}/payload` },
      "Forbidden",
      "The payload of a stored secret can be read by people only; machine credentials read its metadata at " +
        "/v1/iaas/key-manager/v1/secrets/{id} with Accept: application/json"
    ]
  ]
  for (const [rule, request, tag, detail] of rows) {
    it.effect(`${request.method} ${request.path}`, () =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(ask(rule, callOf(request), request.body))
        assert.strictEqual(failure._tag, tag)
        assert.strictEqual(failure.detail, detail)
      })
    )
  }

  it.effect("a platform administrator's machine credential reads no payload either", () =>
    Effect.gen(function* () {
      const call = callOf({ method: "GET", path: `/key-manager/v1/secrets/${anId}/payload` })
      const failure = yield* Effect.flip(
        ask(secretPayloads, { ...call, caller: { admin: true, human: false, tier: 2 } }, undefined)
      )
      assert.strictEqual(failure.code, "secret_payload_refused")
    })
  )

  it.effect("HEAD is a read like GET", () =>
    Effect.gen(function* () {
      const heads: ReadonlyArray<readonly [rule: Rule, path: string]> = [
        [externalGateways, "/network/auto-allocated-topology/null"],
        [imageLocations, `/image/images/${anId}/locations`],
        [secretPayloads, `/key-manager/v1/secrets/${anId}/payload`]
      ]
      for (const [rule, path] of heads) {
        const failure = yield* Effect.flip(ask(rule, callOf({ method: "HEAD", path }), undefined))
        assert.strictEqual(failure._tag, "Forbidden", path)
      }
    })
  )

  it.effect("a header that came twice is not the one that is meant", () =>
    Effect.gen(function* () {
      const secret = callOf({ method: "GET", path: `/key-manager/v1/secrets/${anId}` })
      const accept = ["application/json", "text/plain"]
      yield* Effect.flip(ask(secretPayloads, { ...secret, headers: { accept } }, undefined))
      const patch = callOf({ method: "PATCH", path: `/image/images/${anId}` })
      const types = ["application/openstack-images-v2.1-json-patch"]
      const failure = yield* Effect.flip(ask(imageLocations, { ...patch, headers: { "content-type": types } }, []))
      assert.strictEqual(failure.code, "image_patch_media_type")
    })
  )
})

describe("a body that is made to hurt", () => {
  it.effect("is read whole, however deep it is", () =>
    Effect.gen(function* () {
      let deep: unknown = openRule
      for (let n = 0; n < 100_000; n++) deep = n % 2 === 0 ? [deep] : { x: deep }
      const call = callOf({ method: "POST", path: "/network/security-group-rules" })
      const failure = yield* Effect.flip(ask(worldOpenSsh, call, { security_group_rules: deep }))
      assert.strictEqual(failure.code, "world_open_ssh")
    })
  )

  it.effect("is read whole, however wide it is", () =>
    Effect.gen(function* () {
      const wide = [...Array.from({ length: 200_000 }, () => ({})), { external_gateway_info: {} }]
      const call = callOf({ method: "POST", path: "/network/routers" })
      const failure = yield* Effect.flip(ask(externalGateways, call, { routers: wide }))
      assert.strictEqual(failure.code, "external_gateway_refused")
    })
  )

  it.effect("keys that JavaScript has a meaning for are keys", () =>
    Effect.gen(function* () {
      const call = callOf({ method: "POST", path: "/network/security-group-rules" })
      const body: unknown = JSON.parse(`{"security_group_rule": {"__proto__": ${JSON.stringify(openRule)}}}`)
      const failure = yield* Effect.flip(ask(worldOpenSsh, call, body))
      assert.strictEqual(failure.code, "world_open_ssh")
      const inherited: unknown = JSON.parse(
        `{"security_group_rule": {"direction": "ingress", "__proto__": {"remote_group_id": "${anId}"}}}`
      )
      assert.strictEqual((yield* Effect.flip(ask(worldOpenSsh, call, inherited))).code, "world_open_ssh")
    })
  )
})
