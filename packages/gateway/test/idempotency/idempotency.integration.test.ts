import type { Minted } from "@portico/contract/Credentials"
import type { Fault } from "@portico/simulator/Fault"
import { mintLease } from "@portico/store/Credentials"
import { keyLease } from "@portico/store/IdempotencyKeys"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { pass } from "@portico/testing/store/Aging"
import { eventually } from "../processes/children.ts"
import {
  clearFaults,
  fault,
  type Gateway,
  quiet,
  reached,
  startGateway,
  story,
  tables,
  tenantOf,
  twoGateways
} from "../processes/harness.ts"

interface Answered {
  readonly status: number
  readonly replayed: boolean
  readonly body: Partial<Minted> & { readonly code?: string }
}

/** Mints under a key. */
const mint = (gateway: Gateway, token: string, key: string, label: string): Effect.Effect<Answered> =>
  Effect.promise(async (signal) => {
    const response = await fetch(`${gateway.url}/v1/credentials`, {
      method: "POST",
      signal,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ kind: "api-key", tier: 0, label })
    })
    return {
      status: response.status,
      replayed: response.headers.get("idempotent-replayed") === "true",
      body: await response.json()
    }
  })

/** The credentials with a label. */
const labelled = (label: string) =>
  Effect.map(tables, ({ credentials = [] }) => credentials.filter((_) => "label" in _ && _.label === label))

story("of twenty concurrent mints under one key, at two gateways, one is carried out", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways()
    const { token } = yield* tenantOf(gateways[0], "Acme GmbH")
    const answers = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => gateways[index % 2]!),
      (gateway) => mint(gateway, token, "twenty", "once"),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(
      answers.filter((_) => _.status === 201 && !_.replayed),
      1
    )
    for (const { body, replayed, status } of answers) {
      if (status !== 201) assert.deepStrictEqual([status, body.code], [409, "idempotency_in_flight"])
      else assert.strictEqual(body.client_secret === null, replayed)
    }
    assert.lengthOf(yield* labelled("once"), 1)
    for (const gateway of gateways) {
      const again = yield* mint(gateway, token, "twenty", "once")
      assert.deepStrictEqual([again.status, again.replayed], [201, true])
    }
  })
)

story("an answer outlives its gateway", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways()
    const { token } = yield* tenantOf(first, "Acme GmbH")
    const made = yield* mint(first, token, "outlives", "kept")
    yield* first.kill
    const third = yield* startGateway()
    for (const gateway of [second, third]) {
      const again = yield* mint(gateway, token, "outlives", "kept")
      assert.isTrue(again.replayed)
      assert.deepStrictEqual(again.body, { ...made.body, client_secret: null, pat: null })
    }
    const held = JSON.stringify((yield* tables)["idempotency_keys"])
    for (const secret of [made.body.client_secret, made.body.pat, "outlives"]) assert.notInclude(held, String(secret))
  })
)

story("a mint whose gateway is killed can be repeated under its key, once the lease has ended", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways()
    const { token } = yield* tenantOf(first, "Acme GmbH")
    const place: Fault = {
      service: "zitadel",
      method: "POST",
      path: "/management/v1/users/*/pats",
      when: "after",
      as: "hang"
    }
    yield* fault(place)
    yield* Effect.forkScoped(mint(first, token, "killed", "again"))
    yield* reached(place)
    yield* first.kill
    yield* quiet
    yield* clearFaults

    const meanwhile = yield* mint(second, token, "killed", "again")
    assert.deepStrictEqual([meanwhile.status, meanwhile.body.code], [409, "idempotency_in_flight"])
    yield* pass(keyLease)
    const made = yield* mint(second, token, "killed", "again")
    assert.deepStrictEqual([made.status, made.replayed], [201, false])
    assert.strictEqual((yield* second.whoami(made.body.pat ?? "")).status, 200)
    const again = yield* mint(second, token, "killed", "again")
    assert.deepStrictEqual([again.body.credential_id, again.replayed], [made.body.credential_id, true])

    // What the first one left is removed by the sweep, as ever.
    yield* pass(mintLease)
    yield* eventually(
      Effect.map(labelled("again"), (left) =>
        assert.deepStrictEqual(
          left.map((_) => "credential_id" in _ && _.credential_id),
          [made.body.credential_id ?? ""]
        )
      )
    )
  })
)
