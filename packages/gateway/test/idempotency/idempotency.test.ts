import { OperatorApi } from "@portico/contract/Api"
import { documents } from "@portico/contract/openapi/documents"
import { creatingRoutes } from "@portico/contract/Idempotency"
import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Fiber, Layer } from "effect"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { violations } from "../routes/conforms.ts"
import type { Answer, Asked } from "../harness/http.ts"
import { nameOf, type Route, routes } from "../routes/routes.ts"
import { successes } from "../routes/successes.ts"
import { jsonOf, type Plane, TestGateway } from "../harness/TestGateway.ts"
import { inTime, repeatInTime, settle, until } from "@portico/testing/clock"

let made = 0
const fresh = (): string => `key-${(made += 1)}`

const ask = Effect.fnUntraced(function* (key: string, path: string, asked: Asked = {}, plane: Plane = "customer") {
  const { call } = yield* TestGateway
  const token = asked.token ?? (yield* Cast).acme.tokens[2]
  return yield* call(plane, "POST", path, {
    ...asked,
    token,
    headers: { ...asked.headers, "idempotency-key": key }
  })
})

const refusedWith = (answer: Answer, status: number, code: string) =>
  assert.deepStrictEqual([answer.status, jsonOf(answer).code], [status, code], answer.text)

const isReplay = ({ headers }: Answer): boolean => headers["idempotent-replayed"] === "true"

/** Rows and calls so far: equal before and after means that nothing was carried out. */
const trace = Effect.flatMap(TestGateway, (_) => _.trace)

const labelled = (label: string) => ({ kind: "api-key", tier: 0, label })

/** How many credentials of acme have the label. */
const countOf = (label: string) =>
  Effect.map(Memory, ({ credentials }) => [...credentials.values()].filter((_) => _.label === label).length)

const zone = (name: string) => ({ name: `${name}.example.com.`, email: "dns@example.com" })

const Stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))
layer(Stage)("every call that creates", (it) => {
  const creating = creatingRoutes(OperatorApi)
  const repeatable = routes.filter((_) => _.method === "POST" && creating.has(_.documented))

  /** Somebody who may. */
  const allowed = (route: Route) =>
    Effect.map(Cast, ({ acme, customerOwner }) =>
      route.platformAdmin ? operator : successes[nameOf(route)]?.roles === undefined ? acme.tokens[2] : customerOwner
    )

  for (const route of repeatable) {
    it.effect(`${nameOf(route)} runs once under a key, and is answered twice, without its secrets`, () =>
      Effect.gen(function* () {
        const row = successes[nameOf(route)]
        assert.isDefined(row)
        const plane = route.planes.has("customer") ? "customer" : "operator"
        const { body, headers, path } = yield* row!.prepare
        const key = fresh()
        const asked = { token: yield* allowed(route), body, headers }
        const first = yield* ask(key, path, asked, plane)
        assert.strictEqual(first.status, row!.status, first.text)
        assert.isFalse(isReplay(first))

        const before = yield* trace
        const second = yield* ask(key, path, asked, plane)
        assert.deepStrictEqual(yield* trace, before)
        if (row!.after !== undefined) yield* row!.after

        assert.isTrue(isReplay(second))
        assert.strictEqual(second.status, first.status)
        assert.deepStrictEqual(violations(documents[plane], "POST", route.documented, second), [])
        assert.strictEqual(second.headers["cache-control"], first.headers["cache-control"])
        assert.strictEqual(second.headers["location"], first.headers["location"])
        assert.notStrictEqual(second.headers["x-request-id"], first.headers["x-request-id"])

        const redacted = (second.headers["idempotency-redacted"] ?? "").split(", ").filter((_) => _ !== "")
        const secrets = redacted.map((_) => at(jsonOf(first), _))
        assert.deepStrictEqual(withoutNulls(jsonOf(second)), without(jsonOf(first), redacted))
        const kept = JSON.stringify([...(yield* Memory).idempotencyKeys.values()])
        for (const secret of secrets) {
          assert.isString(secret)
          assert.notInclude(kept, String(secret))
          assert.notInclude(second.text, String(secret))
        }
      })
    )
  }

  /** The value behind a path such as `credential.client_secret`. */
  const at = (value: unknown, path: string): unknown =>
    path
      .split(".")
      .reduce<unknown>((_, key) => (typeof _ === "object" && _ !== null ? Reflect.get(_, key) : undefined), value)

  const strip = (value: unknown, drop: (path: string, value: unknown) => boolean, path = ""): unknown =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value).flatMap(([key, _]) => {
            const place = path === "" ? key : `${path}.${key}`
            return drop(place, _) ? [] : [[key, strip(_, drop, place)]]
          })
        )
  const withoutNulls = (value: unknown) => strip(value, (_, held) => held === null)
  const without = (value: unknown, redacted: ReadonlyArray<string>) =>
    strip(value, (path, held) => held === null || redacted.includes(path))
})

layer(Stage)("a call with an Idempotency-Key", (it) => {
  it.effect("is replayed with the names of its withheld secrets", () =>
    Effect.gen(function* () {
      const key = fresh()
      const body = labelled("once")
      const first = yield* ask(key, "/v1/credentials", { body })
      const second = yield* ask(key, "/v1/credentials", { body })
      assert.deepStrictEqual([first.status, second.status], [201, 201])
      assert.strictEqual(second.headers["idempotency-redacted"], "client_secret, pat")
      assert.deepStrictEqual(jsonOf(second), { ...jsonOf(first), client_secret: null, pat: null })
      assert.strictEqual(yield* countOf("once"), 1)
      yield* ask(fresh(), "/v1/credentials", { body })
      assert.strictEqual(yield* countOf("once"), 2)
    })
  )

  it.effect("has the same key with and without quotes, and on both planes", () =>
    Effect.gen(function* () {
      const body = zone("quoted")
      const first = yield* ask('"a\\"b"', "/v1/dns/zones", { body })
      assert.strictEqual(first.status, 201, first.text)
      assert.isTrue(isReplay(yield* ask('a"b', "/v1/dns/zones", { body })))
      assert.isTrue(isReplay(yield* ask('"a\\"b"', "/v1/dns/zones", { body }, "operator")))
    })
  )

  const noKeys: Readonly<Record<string, string>> = {
    nothing: "",
    "quotes around nothing": '""',
    "a space": "a b",
    "an open quote": '"a',
    "two keys": '"a", "b"',
    "a parameter": '"a";b=1',
    "an unknown escape": '"a\\b"',
    "256 characters": "k".repeat(256),
    "a non-ASCII letter": "schlüssel"
  }
  for (const [what, key] of Object.entries(noKeys)) {
    it.effect(`is refused when the key is ${what}, and nothing is carried out`, () =>
      Effect.gen(function* () {
        const before = yield* trace
        const answer = yield* ask(key, "/v1/credentials", { body: labelled("never") })
        assert.strictEqual(answer.status, 422, answer.text)
        assert.deepStrictEqual(jsonOf(answer), {
          detail: [
            {
              loc: ["header", "Idempotency-Key"],
              msg: "Input should be 1 to 255 visible ASCII characters, in quotes or without",
              type: "value_error"
            }
          ],
          code: "validation_error"
        })
        assert.deepStrictEqual(yield* trace, before)
      })
    )
  }

  it.effect("is recorded every time, carried out or not", () =>
    Effect.gen(function* () {
      const { events } = yield* Memory
      const key = fresh()
      const body = labelled("on record")
      const answers = [yield* ask(key, "/v1/credentials", { body }), yield* ask(key, "/v1/credentials", { body })]
      for (const { headers } of answers) {
        const isRecord = ({ envelope }: { readonly envelope: unknown }) =>
          JSON.stringify(envelope).includes(headers["x-request-id"] ?? "none")
        yield* until(Effect.sync(() => [...events.values()].some(isRecord)))
      }
      assert.notInclude(JSON.stringify([...events.values()]), key)
    })
  )

  it.effect("takes a key of 255 characters", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ask("k".repeat(255), "/v1/dns/zones", { body: zone("long") })).status, 201)
    })
  )

  it.effect("is a 422 with another body or query, and carries out neither", () =>
    Effect.gen(function* () {
      const key = fresh()
      yield* ask(key, "/v1/credentials", { body: labelled("first") })
      for (const body of [labelled("second"), `${JSON.stringify(labelled("first"))} `]) {
        const headers = { "content-type": "application/json" }
        refusedWith(yield* ask(key, "/v1/credentials", { body, headers }), 422, "idempotency_key_reused")
      }
      assert.deepStrictEqual([yield* countOf("first"), yield* countOf("second")], [1, 0])

      const { acme } = yield* Cast
      const unit = { path: "keyed" }
      const asked = { token: operator, body: unit }
      const other = fresh()
      assert.strictEqual((yield* ask(other, `/v1/org/ous?project_id=${acme.projectId}`, asked, "operator")).status, 201)
      const { globex } = yield* Cast
      const answer = yield* ask(other, `/v1/org/ous?project_id=${globex.projectId}`, asked, "operator")
      refusedWith(answer, 422, "idempotency_key_reused")
    })
  )

  it.effect("is bound to its caller: another credential, tenant or path makes its own", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const key = fresh()
      const body = labelled("shared key")
      for (const token of [acme.tokens[2], acme.tokens[1], globex.tokens[2]]) {
        const answer = yield* ask(key, "/v1/credentials", { token, body })
        assert.deepStrictEqual([answer.status, isReplay(answer)], [201, false])
      }
      assert.strictEqual(yield* countOf("shared key"), 3)
      assert.strictEqual((yield* ask(key, "/v1/dns/zones", { body: zone("other-path") })).status, 201)
    })
  )

  it.effect("can be repeated after a refusal, with the same key and another body", () =>
    Effect.gen(function* () {
      const key = fresh()
      assert.strictEqual((yield* ask(key, "/v1/credentials", { body: { tier: 0 } })).status, 422)
      const tooHigh = { token: (yield* Cast).acme.tokens[1], body: { ...labelled("refused"), tier: 2 } }
      refusedWith(yield* ask(key, "/v1/credentials", tooHigh), 403, "tier_too_low")
      const answer = yield* ask(key, "/v1/credentials", { body: labelled("in other words") })
      assert.deepStrictEqual([answer.status, isReplay(answer)], [201, false])
    })
  )

  it.effect("can be repeated after an upstream has failed", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const key = fresh()
      const body = labelled("second try")
      const machine = { service: "zitadel", method: "POST", path: "/management/v1/users/machine" } as const
      yield* cloud.fault({ ...machine, when: "before", times: "always", as: { status: 500 } })
      assert.strictEqual((yield* ask(key, "/v1/credentials", { body })).status, 502)
      yield* cloud.clearFaults
      const answer = yield* ask(key, "/v1/credentials", { body })
      assert.deepStrictEqual([answer.status, isReplay(answer)], [201, false])
      assert.isTrue(isReplay(yield* ask(key, "/v1/credentials", { body })))
      assert.strictEqual(yield* countOf("second try"), 1)
    })
  )

  /** A mint that waits in the cloud. */
  const slowly = { service: "zitadel", method: "POST", path: "/management/v1/users/machine", when: "before" } as const

  /** Whether a call under a key is under way. */
  const underWay = Effect.map(Memory, ({ idempotencyKeys }) =>
    [...idempotencyKeys.values()].some((_) => _.lease !== null)
  )

  it.effect("is a 409 while the first one runs, and then the first one's answer", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const key = fresh()
      const body = labelled("at once")
      yield* cloud.fault({ ...slowly, as: { delay_ms: 500 } })
      const first = yield* Effect.forkChild(ask(key, "/v1/credentials", { body }))
      yield* until(underWay)
      const busy = yield* ask(key, "/v1/credentials", { body })
      refusedWith(busy, 409, "idempotency_in_flight")
      assert.strictEqual(busy.headers["retry-after"], "1")
      assert.deepStrictEqual(violations(documents.customer, "POST", "/v1/credentials", busy), [])
      refusedWith(yield* ask(key, "/v1/credentials", { body: labelled("x") }), 422, "idempotency_key_reused")
      assert.strictEqual((yield* inTime(Fiber.join(first))).status, 201)
      assert.isTrue(isReplay(yield* ask(key, "/v1/credentials", { body })))
      assert.strictEqual(yield* countOf("at once"), 1)
    })
  )

  it.effect("completes when its client disconnects, and the same key gets its answer", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const key = fresh()
      const body = labelled("hung up")
      yield* cloud.fault({ ...slowly, as: { delay_ms: 300 } })
      const gone = yield* Effect.forkChild(ask(key, "/v1/credentials", { body }))
      yield* until(underWay)
      yield* Fiber.interrupt(gone)
      yield* settle
      assert.isTrue(yield* underWay)
      yield* repeatInTime(underWay, (_) => !_)
      const answer = yield* ask(key, "/v1/credentials", { body })
      assert.deepStrictEqual([answer.status, isReplay(answer)], [201, true])
      assert.strictEqual(yield* countOf("hung up"), 1)
    })
  )

  it.effect("is refused to a revoked credential, without a token, or below its tier", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { credential_id, pat } = yield* mint(acme.tokens[2], 2, "short")
      const key = fresh()
      const asked = { token: pat, body: zone("short") }
      assert.strictEqual((yield* ask(key, "/v1/dns/zones", asked)).status, 201)
      assert.isTrue(isReplay(yield* ask(key, "/v1/dns/zones", asked)))
      const { call } = yield* TestGateway
      yield* call("customer", "DELETE", `/v1/credentials/${credential_id}`, { token: acme.tokens[2] })
      refusedWith(yield* ask(key, "/v1/dns/zones", asked), 401, "credential_revoked")
      refusedWith(yield* ask(key, "/v1/dns/zones", { ...asked, token: "" }), 401, "missing_authorization")
      refusedWith(yield* ask(key, "/v1/dns/zones", { ...asked, token: acme.tokens[0] }), 403, "tier_too_low")
    })
  )

  for (const [method, path] of [
    ["POST", "/v1/iaas/compute/os-keypairs"],
    ["PATCH", "/v1/iaas/image/images/some"],
    ["POST", "/v1/kubernetes/api/v1/namespaces/some/configmaps"]
  ] as const) {
    it.effect(`is refused when it would be forwarded: ${method} ${path}`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { acme } = yield* Cast
        const headers = { "idempotency-key": fresh() }
        const before = yield* trace
        const answer = yield* call("customer", method, path, { token: acme.tokens[2], headers, body: {} })
        assert.strictEqual(answer.status, 400, answer.text)
        assert.include(answer.text, "Idempotency-Key is not supported for forwarded calls")
        assert.deepStrictEqual(yield* trace, before)
        assert.strictEqual((yield* call("customer", method, path, { headers, body: {} })).status, 401)
      })
    )
  }

  it.effect("is forwarded with its key if the route is idempotent", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const answer = yield* call("customer", "PUT", `/v1/iaas/network/networks/${acme.networkId}`, {
        token: acme.tokens[2],
        headers: { "idempotency-key": fresh() },
        body: { network: { description: "again" } }
      })
      assert.strictEqual(answer.status, 200, answer.text)
    })
  )
})
