import { assert, layer } from "@effect/vitest"
import { inTime } from "@portico/testing/clock"
import { sampled } from "@portico/testing/sample/sampled"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { withoutChance } from "../harness/http.ts"
import { spellings } from "../rules/spellings.ts"
import { sent, type Way } from "../rules/sent.ts"
import { compatible, refusalOf, stock } from "../harness/Stock.ts"
import { Tap } from "../harness/Tap.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const versions: Readonly<Record<string, string>> = {
  identity: "v3",
  compute: "v2.1",
  network: "v2.0",
  volume: "v3",
  image: "v2",
  dns: "v2",
  "load-balancer": "v2.0"
}

/** With the service's version in front, as a stock client spells it. */
const spelled = (path: string): string => {
  const [, service = "", rest = ""] = /^\/([^/]+)(.*)$/.exec(path) ?? []
  const version = versions[service]
  return version === undefined ? path : `/${service}/${version}${rest}`
}

/** A stock client's requests differ from the gateway's own in two ways, which are tried apart and together. */
const ways: Readonly<Record<string, Way>> = {
  "X-Auth-Token": { planes: ["customer"], spelled: (_) => _, proof: (token) => ({ "x-auth-token": token }) },
  "a version in front": {
    planes: ["customer"],
    spelled,
    proof: (token) => ({ authorization: `Bearer ${token}` })
  },
  "both, as a stock client": { planes, spelled, proof: (token) => ({ "x-auth-token": token }) }
}

layer(compatible())("the rules hold for stock clients", (it) => {
  for (const [name, way] of Object.entries(ways)) {
    for (const [expect, rows] of Map.groupBy(spellings, (_) => _.expect)) {
      it.effect(`${name}: ${expect}: ${rows.length} spellings`, () =>
        Effect.forEach(sampled(`${name} ${expect}`, 16, rows), (row) => sent(row, way), { discard: true })
      )
    }
  }
})

/** Requests that a gateway without the setting refuses, and harmless neighbours; `{own}` and `{other}` are project ids. */
const requests: ReadonlyArray<readonly [method: string, path: string]> = [
  ...["POST", "PUT", "PATCH", "DELETE"].flatMap((method) =>
    ["identity", "compute", "network", "volume", "image", "dns", "load-balancer", "key-manager"].map(
      (service) => [method, `/${service}/x`] as const
    )
  ),
  ["DELETE", "/compute/servers/s/os-volume_attachments/v"],
  ["GET", "/identity/projects/{own}"],
  ["GET", "/identity/projects/{own}/tags"],
  ["GET", "/identity/regions"],
  ["GET", "/identity/projects/{other}"],
  ["GET", "/identity/projects"],
  ["GET", "/identity/users"],
  ["GET", "/identity/auth/catalog"],
  ["GET", "/identity/auth/projects"],
  ["GET", "/identity/auth/tokens/x"],
  ["POST", "/identity/auth/tokens/OS-PKI"],
  ["POST", "/identity/auth"],
  ["PUT", "/identity/auth/tokens"],
  ["DELETE", "/identity/auth/tokens"],
  ["POST", "/identity/users/me/application_credentials"],
  ["GET", "/identity/users/me/credentials/OS-EC2"],
  ["POST", "/identity/OS-TRUST/trusts"],
  ["PUT", "/identity/projects/{own}/tags/tier:extension"],
  ["PATCH", "/identity/projects/{own}"],
  ["GET", "/identity/v2.0/users"],
  ["GET", "/compute/{own}/servers"],
  ["GET", "/compute/{other}/servers"],
  ["GET", "/volume/{own}/volumes"],
  ["GET", "/volume/{other}/volumes"],
  ["GET", "/compute/servers?all_tenants=1"],
  ["GET", "/network/networks?project_id={other}"],
  ["GET", "/network/networks/../networks"],
  ["GET", "/network//networks"],
  ["GET", "/network/%6eetworks"],
  ["GET", "/network/networks.json"],
  ["GET", "/compute/servers;x=1"],
  ["GET", "/nothing/at/all"],
  ["GET", "/network/networks"],
  ["GET", "/image/images/x"]
]

layer(compatible())("a stock client's request", (it) => {
  it.effect("is answered like the gateway's own spelling of it, to any caller", () =>
    Effect.gen(function* () {
      const { acme, customerAdmin, expired, globex, revoked, roleless, suspended, unbound } = yield* Cast
      const { call } = yield* TestGateway
      const good = [...acme.tokens, customerAdmin, operator]
      // The same middleware refuses them, whatever the request.
      const dead = [revoked, expired, suspended, roleless, unbound, "garbage"]
      for (const [method, pattern] of requests) {
        const tokens = [...good, ...sampled(`${method} ${pattern}`, 2, dead)]
        const path = pattern.replace("{own}", acme.projectId).replace("{other}", globex.projectId)
        for (const token of tokens) {
          // An administrator's writes would be done, and not twice with one answer.
          if (token === operator && method !== "GET") continue
          // The turns of a source that brought many dead tokens come with time.
          const ours = yield* inTime(call("customer", method, `/v1/iaas${path}`, { token }))
          const theirs = yield* inTime(stock(token, method, spelled(path)))
          assert.deepStrictEqual(told(theirs), told(ours), `${method} ${path} ${[...good, ...dead].indexOf(token)}`)
        }
      }
    })
  )

  /** Status and body, but for what only stock clients are told besides, and what no two answers have alike. */
  const told = (answer: { readonly status: number; readonly text: string }) => {
    const text = answer.text.replaceAll(/req-[\w-]+/g, "")
    if (!text.startsWith('{"error":{"code"') || !text.includes('"detail"')) return [answer.status, text]
    const { error: _, ...rest } = JSON.parse(text)
    return [answer.status, JSON.stringify(rest)]
  }

  it.effect("is refused with the contract's detail, in the place clients read", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const tiers = "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."
      for (const [method, needed, held] of [
        ["POST", 1, 0],
        ["DELETE", 2, 0],
        ["DELETE", 2, 1]
      ] as const) {
        const answer = yield* stock(acme.tokens[held], method, "/compute/v2.1/servers")
        const detail = `Insufficient credential tier: ${method} requires tier ${needed}, the caller's credential is tier ${held}. ${tiers}`
        const error = { code: 403, message: detail, title: "Forbidden" }
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, { error, detail, code: "tier_too_low" }])
        // Novaclient takes the first key of the body for the one that holds the message.
        assert.deepStrictEqual(Object.keys(jsonOf(answer)), ["error", "detail", "code"])
      }
    })
  )

  it.effect("with an Authorization header is refused in the same bytes as before", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const answer = yield* call("customer", "DELETE", "/v1/iaas/compute/servers/x", { token: acme.tokens[0] })
      assert.deepStrictEqual(Object.keys(jsonOf(answer)), ["detail", "code"])
      const same = yield* call("customer", "DELETE", "/v1/iaas/compute/servers/x", {
        token: acme.tokens[0],
        headers: { "x-auth-token": acme.tokens[0] }
      })
      assert.deepStrictEqual(withoutChance(same), withoutChance(answer))
    })
  )

  it.effect("carries one token; two different ones are a 400", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call } = yield* TestGateway
      const [read, operate] = acme.tokens
      const get = (authorization: string, token: string | ReadonlyArray<string>) =>
        call("customer", "GET", "/v1/iaas/network/networks", { headers: { authorization, "x-auth-token": token } })
      for (const scheme of ["Bearer", "bearer", "BEARER "]) {
        assert.strictEqual((yield* get(`${scheme} ${read}`, read)).status, 200, scheme)
      }
      for (const [authorization, token] of [
        [`Bearer ${read}`, operate],
        [`Bearer ${read}`, globex.tokens[0]],
        [`Bearer ${read}`, ""],
        [`Bearer ${read}`, `Bearer ${read}`],
        [`Bearer ${read}`, [read, read]],
        [`Basic ${read}`, read],
        ["", read]
      ] as const) {
        const answer = yield* get(authorization, token)
        assert.deepStrictEqual(jsonOf(answer), {
          detail: "Authorization and X-Auth-Token do not carry the same token",
          code: "two_tokens"
        })
        assert.strictEqual(answer.status, 400)
      }
    })
  )

  it.effect("with an invalid X-Auth-Token is a 401", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const [read] = acme.tokens
      for (const token of ["", `Bearer ${read}`, `${read}, ${read}`, [read, read], "tök"]) {
        const answer = yield* call("customer", "GET", "/v1/iaas/network/networks", {
          headers: { "x-auth-token": token }
        })
        const { code, error, status } = refusalOf(answer)
        assert.deepStrictEqual([status, code, error.title], [401, "missing_authorization", "Unauthorized"])
      }
    })
  )

  it.effect("is forwarded with the tenant's token, without the client's claims", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const tap = yield* Tap
      yield* tap.forget
      const answer = yield* stock(acme.tokens[0], "GET", "/compute/v2.1/servers", {
        headers: {
          "x-subject-token": "s",
          "x-service-token": "s",
          "x-project-id": globex.projectId,
          "x-roles": "admin",
          "openstack-api-version": "compute 2.50"
        }
      })
      assert.strictEqual(answer.status, 200, answer.text)
      const [seen] = (yield* tap.seen).filter((_) => _.url === "/compute/v2.1/servers")
      assert.isFalse(acme.tokens.includes(String(seen?.headers["x-auth-token"])))
      assert.strictEqual(seen?.headers["x-project-id"], acme.projectId)
      assert.strictEqual(seen?.headers["openstack-api-version"], "compute 2.50")
      for (const name of ["authorization", "x-subject-token", "x-service-token", "x-roles"]) {
        assert.notProperty(seen?.headers, name)
      }
    })
  )
})

layer(compatible())("X-Auth-Token outside of /v1/iaas", (it) => {
  it.effect("is ignored", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const [, , token] = acme.tokens
      for (const plane of planes) {
        for (const [method, path] of [
          ["GET", "/v1/credentials"],
          ["POST", "/v1/credentials"],
          ["DELETE", `/v1/credentials/${acme.credentialIds[0]}`],
          ["GET", "/v1/whoami"],
          ["GET", "/v1/quotas"],
          ["GET", "/v1/kubernetes/api/v1/pods"],
          ["GET", "/v1/kubernetes/v3/auth/tokens"],
          ["GET", "/v1/iaas"]
        ] as const) {
          const answer = yield* call(plane, method, path, { headers: { "x-auth-token": token } })
          assert.strictEqual(answer.status, 401, `${method} ${path}`)
        }
        const both = yield* call(plane, "GET", "/v1/whoami", { token, headers: { "x-auth-token": "another" } })
        assert.strictEqual(both.status, 200)
      }
    })
  )
})
