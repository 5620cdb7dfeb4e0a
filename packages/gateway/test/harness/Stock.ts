import { Effect, Layer } from "effect"
import { Cast, mint } from "./Cast.ts"
import type { Asked } from "./http.ts"
import { Logs } from "./Logs.ts"
import { Tap } from "./Tap.ts"
import { TestGateway } from "./TestGateway.ts"

/** The gateway with OpenStack compatibility on, behind a tap, with everybody who may call and its log. */
export const compatible = (settings: Readonly<Record<string, string>> = {}) =>
  Cast.layer.pipe(
    Layer.provideMerge(
      TestGateway.layerOf(Effect.map(Tap.settings, (_) => ({ ..._, OPENSTACK_COMPATIBILITY: "true", ...settings })))
    ),
    Layer.provideMerge(Logs.layer),
    Layer.provideMerge(Tap.layer),
    Layer.provideMerge(TestGateway.cloud)
  )

/** A call of a stock client: its token stands in X-Auth-Token. */
export const stock = Effect.fnUntraced(function* (token: string, method: string, path: string, asked: Asked = {}) {
  const { call } = yield* TestGateway
  return yield* call("customer", method, `/v1/iaas${path}`, {
    ...asked,
    headers: { ...asked.headers, "x-auth-token": token }
  })
})

export const byToken = (id: string) => ({ methods: ["token"], token: { id } })
export const byCredential = (id: string, secret: string) => ({
  methods: ["application_credential"],
  application_credential: { id, secret }
})

/** Keystone's token call. */
export const login = Effect.fnUntraced(function* (identity: unknown, scope?: unknown, query = "") {
  const { call } = yield* TestGateway
  const body = { auth: { identity, ...(scope === undefined ? {} : { scope }) } }
  return yield* call("customer", "POST", `/v1/iaas/identity/v3/auth/tokens${query}`, { body })
})

/** A key of acme's of this tier, with all its secrets. */
export const key = Effect.fnUntraced(function* (tier: 0 | 1 | 2, label: string) {
  const { acme } = yield* Cast
  const { client_id, client_secret, credential_id, pat } = yield* mint(acme.tokens[2], tier, label)
  return { clientId: client_id, secret: client_secret, credentialId: credential_id, pat }
})

/** What a refusal says, in both of its shapes. */
export const refusalOf = (answer: { readonly text: string; readonly status: number }) => {
  const { code, detail, error } = JSON.parse(answer.text)
  return { status: answer.status, detail, code, error }
}
