import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { documents, violations } from "./conforms.ts"
import { pathOf } from "./refusals.ts"
import { nameOf, type Route, routes } from "./routes.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

/** Everything is wrong with it: the query, the size, the type, and that it is no JSON. */
const query = "?order=wrong"
const headers = { "content-type": "text/plain" }
const large = "x".repeat(64 * 1024 + 1)

/** Routes that need a tenant and look at the body before they look for one. */
const readsBodyFirst = ({ path }: Route): boolean =>
  path.startsWith("/v1/dns/") || /^\/v1\/(credentials|agents)/.test(path)

const firstClass = routes.filter((_) => _.authenticated && !_.proxied)

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })(
  "of several reasons to refuse a request the first is answered:",
  (it) => {
    for (const route of firstClass) {
      it.effect(nameOf(route), () =>
        Effect.gen(function* () {
          const { call } = yield* TestGateway
          const { acme } = yield* Cast
          const path = `${yield* pathOf(route)}${query}`
          const told = Effect.fnUntraced(function* (plane: "customer" | "operator", token: string, body: string) {
            const answer = yield* call(plane, route.method, path, { token, headers, body })
            assert.deepStrictEqual(violations(documents[plane], route.method, route.documented, answer), [])
            return jsonOf(answer).code
          })

          for (const plane of planes.filter((_) => route.planes.has(_))) {
            assert.strictEqual(yield* told(plane, "garbage", large), "token_inactive")
          }
          // Who has neither a tenant nor powers is asked for a tenant before anything else.
          if (route.planes.has("customer") && !route.withoutTenant) {
            assert.strictEqual(yield* told("customer", operator, large), "tenant_required")
          }
          // Then come the caller's rights: its tier, and its role.
          if (route.tier > 0) assert.strictEqual(yield* told("operator", acme.tokens[0], large), "tier_too_low")
          if (route.platformAdmin) assert.strictEqual(yield* told("operator", acme.tokens[2], large), "admin_required")
          if (route.tenantScoped && !readsBodyFirst(route)) {
            assert.strictEqual(yield* told("operator", operator, large), "tenant_required")
          }
          // Then the body: its size, its type, and what is in it; then the query.
          const allowed = route.platformAdmin || readsBodyFirst(route) ? operator : acme.tokens[2]
          assert.strictEqual(yield* told("operator", allowed, large), "body_too_large")
          assert.strictEqual(yield* told("operator", allowed, "x"), "unsupported_media_type")
          const member = route.platformAdmin ? operator : acme.tokens[2]
          const empty = yield* call("operator", route.method, path, { token: member })
          if (!route.takesBody) assert.strictEqual(jsonOf(empty).code, "validation_error", empty.text)
        })
      )
    }
  }
)
