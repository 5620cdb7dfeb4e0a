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

it("every 403 of the proxy is in its document", () => {
  const document = readFileSync(new URL("../../../../docs/tenants/proxy.md", import.meta.url), "utf8")
  const refused = failureTable.filter((_) => _.status === 403 && proxiedFailures.some((code) => code === _.code))
  assert.isAbove(refused.length, 8)
  for (const { code } of refused) assert.include(document, `\`${code}\``)
})

describe("a refusal has the error and the remedy", () => {
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

  it.effect("a platform administrator's machine credential cannot read a payload either", () =>
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

  it.effect("a repeated override header is not accepted", () =>
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

describe("a hostile body", () => {
  it.effect("is read at any depth", () =>
    Effect.gen(function* () {
      let deep: unknown = openRule
      for (let n = 0; n < 100_000; n++) deep = n % 2 === 0 ? [deep] : { x: deep }
      const call = callOf({ method: "POST", path: "/network/security-group-rules" })
      const failure = yield* Effect.flip(ask(worldOpenSsh, call, { security_group_rules: deep }))
      assert.strictEqual(failure.code, "world_open_ssh")
    })
  )

  it.effect("is read at any width", () =>
    Effect.gen(function* () {
      const wide = [...Array.from({ length: 200_000 }, () => ({})), { external_gateway_info: {} }]
      const call = callOf({ method: "POST", path: "/network/routers" })
      const failure = yield* Effect.flip(ask(externalGateways, call, { routers: wide }))
      assert.strictEqual(failure.code, "external_gateway_refused")
    })
  )

  it.effect("keys with a meaning in JavaScript are plain keys", () =>
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
