import { assert, layer } from "@effect/vitest"
import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Acme } from "../harness/Acme.ts"
import { Cast } from "../harness/Cast.ts"
import { dialled } from "../kubernetes/ClusterStream.ts"
import { clusteredWith, failed, runningPod } from "../kubernetes/ClusterTap.ts"
import { Logs } from "../harness/Logs.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"
import { settle } from "@portico/testing/clock"

const trusting = { TRUSTED_PROXIES: "127.0.0.1", OPENSTACK_COMPATIBILITY: "true" }

/** The header that a trusted proxy sends. */
const from = (address: string) => ({ "x-forwarded-for": address })

const mint = Effect.fnUntraced(function* (token: string, more: object) {
  const { call } = yield* TestGateway
  const body = { kind: "api-key", tier: 2, label: "limited", ...more }
  return yield* call("customer", "POST", "/v1/credentials", { token, body })
})

const detail = "The credential is limited to source networks, and this call does not come from one of them"
const refusal = { detail, code: "source_network_refused" }

layer(clusteredWith(trusting), { excludeTestServices: true })("a credential with networks", (it) => {
  it.effect("is accepted from them and refused elsewhere, on every kind of route of both planes", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const networks = ["192.0.2.0/24", "2001:db8::/32"]
      const minted = jsonOf(yield* mint(acme.tokens[2], { networks }))
      assert.deepStrictEqual(minted.networks, networks)
      const token: string = minted.pat
      const pod = yield* runningPod("limited")
      const login = {
        auth: {
          identity: {
            methods: ["application_credential"],
            application_credential: { id: minted.client_id, secret: minted.client_secret }
          }
        }
      }
      for (const plane of planes) {
        for (const [address, good] of [
          ["192.0.2.200", true],
          ["::ffff:192.0.2.1", true],
          ["2001:db8::7", true],
          ["192.0.3.1", false],
          ["2001:db9::7", false],
          // Only the last one is the proxy's word.
          ["192.0.2.200, 192.0.3.1", false]
        ] as const) {
          const told = Effect.fnUntraced(function* (method: string, path: string, body?: object) {
            const bearer = body === undefined ? { token } : {}
            const answer = yield* call(plane, method, path, { ...bearer, body, headers: from(address) })
            return { status: answer.status, body: jsonOf(answer) }
          })
          const what = `${plane}, ${address}`
          for (const path of ["/v1/whoami", "/v1/credentials", "/v1/iaas/compute/servers"]) {
            const { body, status } = yield* told("GET", path)
            assert.strictEqual(status, good ? 200 : 403, `${what}, ${path}`)
            if (!good) assert.deepStrictEqual(body, refusal, what)
          }
          const cluster = yield* told("GET", "/v1/kubernetes/version")
          assert.strictEqual(cluster.status, good ? 200 : 403, what)
          if (!good) {
            assert.deepStrictEqual(cluster.body, failed(403, "Forbidden", "source_network_refused", detail), what)
          }
          const keystone = yield* told("POST", "/v1/iaas/identity/v3/auth/tokens", login)
          assert.strictEqual(keystone.status, good ? 201 : 403, what)
        }
      }
      for (const [address, status] of [
        ["192.0.2.1", 101],
        ["203.0.113.1", 403]
      ] as const) {
        const headers = { "Sec-WebSocket-Protocol": "v5.channel.k8s.io", "X-Forwarded-For": address }
        const raw = yield* dialled(`${pod}/exec?command=cat&stdin=1`, { token, headers })
        assert.strictEqual(raw.status, status, address)
        raw.socket.destroy()
      }
    })
  )

  it.effect("is minted with networks in canonical spelling, and a refusal says what to do", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const spelling = "Input should be a network in its shortest spelling, such as 203.0.113.0/24 or 2001:db8::/32"
      const everything = "Input should be narrower than every address. Leave networks out to allow every address"
      for (const [networks, loc, msg] of [
        [["10.0.0.1/8"], ["body", "networks", 0], spelling],
        [["10.0.0.0/8", "10.1.0.0"], ["body", "networks", 1], spelling],
        [["example/0"], ["body", "networks", 0], spelling],
        [["0.0.0.0/0"], ["body", "networks", 0], everything],
        [["10.0.0.0/8", "::/0"], ["body", "networks", 1], everything],
        [
          [],
          ["body", "networks"],
          "Input should be a list of 1 to 50 networks. Leave networks out to allow every address"
        ],
        [["10.0.0.0/8", "10.0.0.0/8"], ["body", "networks"], "Input should be a list of networks that names each once"]
      ] as const) {
        const answer = yield* mint(acme.tokens[2], { networks })
        assert.strictEqual(answer.status, 422, JSON.stringify(networks))
        assert.deepStrictEqual(jsonOf(answer).detail, [{ loc, msg, type: "value_error" }])
      }
    })
  )
})

/** On the test clock. */
const Alone = Acme.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), ...trusting })))),
  Layer.provideMerge(TestGateway.cloud),
  Layer.provideMerge(Logs.layer)
)

layer(Alone)("the last use of a credential", (it) => {
  it.effect("is shown in the list within seconds, for any call", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { credentialIds, tokens } = yield* Acme
      const shown = Effect.gen(function* () {
        const { credentials } = jsonOf(yield* call("customer", "GET", "/v1/credentials", { token: tokens[2] }))
        const entry = credentials.find((_: { credential_id: string }) => _.credential_id === credentialIds[0])
        return [entry.last_used_at, entry.last_used_from]
      })
      const elapse = (seconds: number) => Effect.andThen(TestClock.adjust(`${seconds} seconds`), settle)

      assert.deepStrictEqual(yield* shown, [null, null])
      for (const [index, path] of ["/v1/whoami", "/v1/iaas/compute/servers", "/v1/kubernetes/version"].entries()) {
        yield* elapse(120)
        const now = yield* TestClock.testClockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe()))
        yield* call("customer", "GET", path, { token: tokens[0], headers: from(`192.0.2.${index}`) })
        yield* elapse(5)
        assert.deepStrictEqual(yield* shown, [new Date(now).toISOString(), `192.0.2.${index}`], path)
      }
    })
  )
})
