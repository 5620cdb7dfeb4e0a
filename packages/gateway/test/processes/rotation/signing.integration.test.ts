import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose"
import { type Got, receiver } from "../../targets/Receiver.ts"
import { eventually } from "../children.ts"
import { fleetOf, lightLoad } from "../fleet.ts"
import { type Answer, ask, type Gateway, story, tenantOf } from "../harness.ts"
import { lab, only, verifies } from "./lab.ts"

interface Token {
  readonly token: string
}

/** The token service as the client of a registry asks it, and the key set as the registry fetches it. */
const registry = (pat: string) => {
  const authorization = `Basic ${Buffer.from(`ci:${pat}`).toString("base64")}`
  const tokenOf = (gateway: Gateway): Effect.Effect<Answer<Token>> =>
    Effect.promise(async () => {
      const url = `${gateway.url}/v1/registry/token?service=registry`
      const response = await fetch(url, { headers: { authorization } })
      return { status: response.status, body: await response.json() }
    })
  return {
    tokenOf,
    keysOf: (gateway: Gateway): Effect.Effect<JSONWebKeySet> =>
      Effect.map(ask<JSONWebKeySet>("GET", `${gateway.url}/v1/registry/jwks`), ({ body }) => ({
        keys: body.keys ?? []
      }))
  }
}

/** Whether a registry with these keys lets the token in. */
const admits = (keys: JSONWebKeySet, token: string) =>
  Effect.promise(() =>
    jwtVerify(token, createLocalJWKSet(keys), { issuer: "portico", audience: "registry" }).then(
      () => true,
      () => false
    )
  )

const kidsOf = ({ keys }: JSONWebKeySet) => keys.map((_) => _.kid)

const kidOf = (token: string): unknown => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid

/** Of the keys of the registry, so many hours have passed: those of the database's rows, because its clock cannot be moved. */
const hoursPass = Effect.fnUntraced(function* (hours: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE registry_keys SET created_at = created_at - ${hours} * interval '1 hour',
      signs_from = signs_from - ${hours} * interval '1 hour'`
})

/** A fleet whose registry admits each token, as long as its keys are the published ones. */
const registryStage = Effect.gen(function* () {
  const fleet = yield* fleetOf(lab)
  const first = only(fleet.members())
  const { token } = yield* tenantOf(first, "Acme GmbH")
  const minted = yield* first.mint(token, "ci")
  const { keysOf, tokenOf } = registry(minted.body.pat ?? "")
  /** Those that the registry has fetched; while there are none, only the token service is looked at. */
  let fetched: JSONWebKeySet | undefined = yield* keysOf(first)
  const load = yield* lightLoad(fleet, [
    {
      name: "login",
      call: Effect.fnUntraced(function* (gateway) {
        const { body, status } = yield* tokenOf(gateway)
        if (status >= 400 || fetched === undefined) return { status, body: { ...body } }
        const keys = fetched
        const isIn = yield* admits(keys, body.token ?? "")
        return isIn ? { status, body: {} } : { status: 599, body: { detail: `signed by ${kidOf(body.token ?? "")}` } }
      })
    }
  ])
  const newest = Effect.suspend(() => keysOf(only(fleet.members())))
  const signer = Effect.suspend(() => tokenOf(only(fleet.members()))).pipe(Effect.map((_) => kidOf(_.body.token ?? "")))
  return {
    fleet,
    load,
    /** Waits until so many keys are published. */
    published: (count: number) =>
      eventually(Effect.tap(newest, (_) => Effect.sync(() => assert.lengthOf(_.keys, count)))),
    signs: (kid: unknown) => eventually(Effect.map(signer, (_) => assert.strictEqual(_, kid))),
    newest,
    token: Effect.map(
      Effect.suspend(() => tokenOf(only(fleet.members()))),
      (_) => _.body.token ?? ""
    ),
    fetch: (keys: JSONWebKeySet | undefined) =>
      Effect.sync(() => {
        fetched = keys
      })
  }
})

story("the registry's signing key is replaced before its time, and no login fails", () =>
  Effect.gen(function* () {
    const { fetch, fleet, load, published, signs } = yield* registryStage
    const [former] = kidsOf(yield* published(1))
    yield* load.isFine("before")

    yield* hoursPass(24)
    yield* fleet.roll({ ...lab, REGISTRY_KEY_DAYS: "1" })
    const both = yield* published(2)
    const next = kidsOf(both).find((_) => _ !== former)
    // The registry has twelve hours to fetch the key set.
    yield* hoursPass(11)
    yield* load.isFine("the next key is published")
    yield* signs(former)
    yield* fetch(both)
    yield* hoursPass(1.5)
    yield* signs(next)
    yield* load.isFine("the next key signs")

    yield* hoursPass(1)
    yield* fetch(yield* published(1))
    yield* load.isFine("the former key is gone")
    yield* fleet.roll(lab)
    yield* load.isFine("the former setting is back")
    assert.deepStrictEqual(kidsOf(yield* published(1)), [next])
  })
)

story("a leaked signing key of the registry is deleted, and the token service continues", () =>
  Effect.gen(function* () {
    const { fetch, fleet, load, newest, token } = yield* registryStage
    const sql = yield* SqlClient.SqlClient
    // A second replica, whose memory of the keys is its own.
    yield* fleet.grow(lab)
    yield* load.isFine("before")
    const [former] = kidsOf(yield* newest)
    const leaked = yield* token

    // Until it has the new set, the registry refuses what the new key signs: nothing else is interrupted.
    yield* fetch(undefined)
    yield* sql`DELETE FROM registry_keys`
    const sets = eventually(
      Effect.gen(function* () {
        const all = yield* Effect.forEach(fleet.members(), (_) =>
          ask<JSONWebKeySet>("GET", `${_.url}/v1/registry/jwks`)
        )
        const kids = all.flatMap(({ body }) => (body.keys ?? []).map((_) => _.kid))
        assert.notInclude(kids, former)
        assert.strictEqual(new Set(kids).size, 1)
        return { keys: all[0]?.body.keys ?? [] }
      })
    )
    const keys = yield* sets
    yield* load.isFine("the keys are deleted")
    yield* fetch(keys)
    yield* load.isFine("the registry has the new key")
    assert.isFalse(yield* admits(keys, leaked))
  })
)

/** The number of secrets that signed a delivery. Each secret makes two signatures. */
const signaturesOf = ({ headers }: Got): number => String(headers["webhook-signature"]).split(" ").length / 2

story("the secret of a webhook is replaced with an overlap, and its receiver verifies every delivery", () =>
  Effect.gen(function* () {
    const endpoint = yield* receiver
    const fleet = yield* fleetOf(lab)
    const first = only(fleet.members())
    const { token } = yield* tenantOf(first, "Acme GmbH")
    const made = yield* first.customer<{ webhook_id: string; secret: string }>(token, "POST", "/v1/webhooks", {
      url: endpoint.url
    })
    const { secret: former = "", webhook_id } = made.body
    yield* fleet.grow(lab)
    /** What the receiver verifies with. */
    let held = former
    /** Of the newest delivery. */
    let signatures = 0
    let isFormer = true
    const load = yield* lightLoad(fleet, [
      {
        name: "ping",
        call: (_) =>
          Effect.map(
            _.customer<{ delivered?: boolean }>(token, "POST", `/v1/webhooks/${webhook_id}/test`),
            (answer): Answer<unknown> => {
              const [newest] = endpoint.got
              signatures = newest === undefined ? signatures : signaturesOf(newest)
              isFormer = newest === undefined ? isFormer : verifies(former, newest)
              const refused = endpoint.got.splice(0).filter((_) => !verifies(held, _))
              if (refused.length > 0) return { status: 599, body: { detail: JSON.stringify(refused[0]?.headers) } }
              return answer.body.delivered === true ? answer : { status: 599, body: answer.body }
            }
          )
      }
    ])
    yield* load.isFine("before")

    const rotated = yield* first.customer<{ secret: string }>(
      token,
      "POST",
      `/v1/webhooks/${webhook_id}/rotate-secret`,
      { overlap_seconds: 5 }
    )
    const { secret: next = "" } = rotated.body
    assert.strictEqual(rotated.status, 201)
    yield* load.isFine("both sign, and the receiver has the former one")
    assert.strictEqual(signatures, 2)
    held = next
    yield* load.isFine("both sign, and the receiver has the new one")

    const alone = Effect.sync(() => assert.deepStrictEqual([signatures, isFormer], [1, false]))
    yield* eventually(alone)
    yield* load.isFine("the former one signs nothing more")
  })
)
