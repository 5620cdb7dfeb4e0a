import { Caller, CallerTenant } from "@portico/contract/Access"
import { assert, describe, it } from "@effect/vitest"
import { RunToCompletion } from "@portico/domain/work/RunToCompletion"
import { carriesOutOnce } from "@portico/gateway/middleware/idempotency"
import { IdempotencyKeys, keyLease } from "@portico/store/IdempotencyKeys"
import * as Store from "@portico/store/Store"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { ConfigProvider, Deferred, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"

const ann = new Caller({
  userId: "ann",
  userName: "ann@acme.example",
  userEmail: "ann@acme.example",
  roles: ["customer"],
  tier: 2,
  tenant: new CallerTenant({ projectId: "acme", name: "Acme", source: "credential_store" }),
  admin: false,
  human: true,
  credentialId: null,
  credentialLabel: null,
  role: "customer-admin",
  billing: false
})

const as = (change: Partial<typeof Caller.Type>) => new Caller({ ...ann, ...change })

/** A gateway process, as far as keys go, until its scope is closed. */
const process = Effect.gen(function* () {
  // The processes of a story share its store.
  const own = yield* Layer.build(Layer.fresh(RunToCompletion.layer))
  const once = yield* Effect.provide(carriesOutOnce, own)
  return Effect.fnUntraced(function* <E>(
    httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E>,
    caller = ann
  ) {
    const web = new Request("http://gateway/v1/things", {
      method: "POST",
      headers: { "idempotency-key": "k" },
      body: "{}"
    })
    const request = HttpServerRequest.fromWeb(web)
    return yield* once({ caller, request, secrets: [["secret"]] }, httpEffect)
  })
}).pipe(
  Effect.provide(
    ConfigProvider.layer(ConfigProvider.fromUnknown({ TENANT_PASSWORD_KEY: "secret", IDEMPOTENCY_HOURS: "2" }))
  )
)

const made = HttpServerResponse.jsonUnsafe({ id: 1, secret: "s" }, { status: 201 })

/** What is told: the status, and whether it is a replay. */
const told = ({ headers, status }: HttpServerResponse.HttpServerResponse) => [status, headers["idempotent-replayed"]]

const code = (failure: { readonly _tag: string; readonly code?: string }) => [failure._tag, failure.code]

/** A call that has begun, and goes on until it is told to end. */
const underWay = Effect.fnUntraced(function* (
  once: (
    httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>
) {
  const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const carriedOut = Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Deferred.await(mayEnd), made))
  const client = yield* Effect.forkChild(once(carriedOut))
  yield* Deferred.await(begun)
  return { client, end: Deferred.succeed(mayEnd, undefined) }
})

const story = (title: string, tell: () => Effect.Effect<void, unknown, Store.Store | Scope.Scope>) =>
  it.effect(title, () => Effect.provide(Effect.scoped(tell()), MemoryStore.layer))

describe("a call under a key, over time", () => {
  story("keeps its key for any duration", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* process, yield* process]
      const { client, end } = yield* underWay(first)
      for (let quarter = 0; quarter < 20; quarter += 1) {
        yield* TestClock.adjust(Duration.divideUnsafe(keyLease, 4))
        assert.deepStrictEqual(told(yield* second(Effect.succeed(made))), [409, undefined])
      }
      yield* end
      assert.deepStrictEqual(told(yield* Fiber.join(client)), [201, undefined])
      assert.deepStrictEqual(told(yield* second(Effect.succeed(made))), [201, "true"])
    })
  )

  story("is repeated when its process died, and not before its lease has ended", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeys
      const second = yield* process
      // What a process leaves behind that was killed: a lease, and nobody who renews it or gives it back.
      const silent = IdempotencyKeys.of({ ...keys, renew: () => Effect.succeed(true), release: () => Effect.void })
      const killed = yield* Effect.provideService(process, IdempotencyKeys, silent)
      const { end } = yield* underWay(killed)
      assert.deepStrictEqual(told(yield* second(Effect.succeed(made))), [409, undefined])
      yield* TestClock.adjust(keyLease)
      assert.deepStrictEqual(told(yield* second(Effect.succeed(made))), [201, undefined])
      assert.deepStrictEqual(told(yield* second(Effect.succeed(made))), [201, "true"])
      yield* end
    })
  )

  story("is replayed for the time of the setting, and is a new one afterwards", () =>
    Effect.gen(function* () {
      const once = yield* process
      yield* once(Effect.succeed(made))
      yield* TestClock.adjust(Duration.subtract(Duration.hours(2), Duration.millis(1)))
      assert.deepStrictEqual(told(yield* once(Effect.succeed(made))), [201, "true"])
      yield* TestClock.adjust(Duration.millis(1))
      assert.deepStrictEqual(told(yield* once(Effect.succeed(made))), [201, undefined])
    })
  )

  story("is completed by a stopping process", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const stopping = yield* Scope.provide(process, scope)
      const second = yield* process
      const { client, end } = yield* underWay(stopping)
      yield* Fiber.interrupt(client)
      const stop = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.yieldNow
      assert.deepStrictEqual(told(yield* second(Effect.succeed(made))), [409, undefined])
      yield* end
      yield* Fiber.join(stop)
      assert.deepStrictEqual(told(yield* second(Effect.succeed(made))), [201, "true"])
    })
  )
})

describe("an answer under a key", () => {
  const changed: Readonly<Record<string, readonly [caller: Caller, allowed: boolean]>> = {
    "the same tier and role": [ann, true],
    "another name": [as({ userName: "anna@acme.example" }), true],
    "a lower tier": [as({ tier: 1 }), false],
    "another role": [as({ role: "customer-engineer" }), false],
    "no role": [as({ role: null }), false]
  }
  for (const [what, [caller, allowed]] of Object.entries(changed)) {
    story(`is ${allowed ? "replayed" : "not replayed"} to its caller who now has ${what}`, () =>
      Effect.gen(function* () {
        const once = yield* process
        yield* once(Effect.succeed(made))
        if (allowed) return assert.deepStrictEqual(told(yield* once(Effect.succeed(made), caller)), [201, "true"])
        assert.deepStrictEqual(code(yield* Effect.flip(once(Effect.succeed(made), caller))), [
          "Forbidden",
          "replay_refused"
        ])
      })
    )
  }

  story("is replayed to its caller who now has a higher tier", () =>
    Effect.gen(function* () {
      const once = yield* process
      yield* once(Effect.succeed(made), as({ tier: 1 }))
      assert.deepStrictEqual(told(yield* once(Effect.succeed(made))), [201, "true"])
    })
  )

  story("is not replayed to the same person in another tenant, or to an administrator without one", () =>
    Effect.gen(function* () {
      const once = yield* process
      yield* once(Effect.succeed(made))
      const globex = new CallerTenant({ projectId: "globex", name: "Globex", source: "credential_store" })
      for (const tenant of [globex, null]) {
        assert.deepStrictEqual(told(yield* once(Effect.succeed(made), as({ tenant }))), [201, undefined])
      }
    })
  )

  const outcomes = {
    "a failure": Effect.fail("no"),
    "a bug": Effect.die("bug"),
    "a 500 answer": Effect.succeed(HttpServerResponse.jsonUnsafe({}, { status: 500 })),
    // Nobody would find the secrets in it.
    "a body other than JSON": Effect.succeed(HttpServerResponse.text("secret", { status: 201 }))
  }
  for (const [what, outcome] of Object.entries(outcomes)) {
    story(`is not stored when it is ${what}: the key is free again`, () =>
      Effect.gen(function* () {
        const once = yield* process
        yield* Effect.exit(once<string>(outcome))
        assert.deepStrictEqual(told(yield* once(Effect.succeed(made))), [201, undefined])
      })
    )
  }

  story("is given once even if it cannot be stored", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeys
      const broken = IdempotencyKeys.of({ ...keys, answer: () => Effect.die("the database is gone") })
      const once = yield* Effect.provideService(process, IdempotencyKeys, broken)
      assert.deepStrictEqual(told(yield* once(Effect.succeed(made))), [201, undefined])
      // Until the lease ends nobody knows how it went.
      assert.deepStrictEqual(told(yield* once(Effect.succeed(made))), [409, undefined])
    })
  )

  story("may have no body", () =>
    Effect.gen(function* () {
      const once = yield* process
      const empty = Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { location: "/v1/things/1" } }))
      yield* once(empty)
      const again = yield* once(empty)
      assert.deepStrictEqual(told(again), [204, "true"])
      assert.deepStrictEqual([again.body._tag, again.headers["location"]], ["Empty", "/v1/things/1"])
    })
  )
})
