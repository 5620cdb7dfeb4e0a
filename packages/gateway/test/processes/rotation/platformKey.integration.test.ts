import type { Minted } from "@portico/contract/Credentials"
import { gatewaySettings } from "@portico/simulator/settings"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { opened, post, request } from "../../agent/wire.ts"
import { jsonOf } from "../../harness/TestGateway.ts"
import { receiver } from "../../targets/Receiver.ts"
import { programOf } from "../bundles.ts"
import { spawned } from "../children.ts"
import { fleetOf, lightLoad } from "../fleet.ts"
import { type Answer, Cloud, type Gateway, settings, story, tenantOf } from "../harness.ts"
import { lab, newKey, only, verifies } from "./lab.ts"

/** Runs `portico-rekey`, and returns its line and how it ended. */
const rekey = Effect.fnUntraced(function* (others: Readonly<Record<string, string>>) {
  const child = yield* spawned({
    command: [process.execPath, yield* programOf("rekey")],
    settings: { ...(yield* settings), ...others }
  })
  const code = yield* child.ended
  return { code, line: child.stdout().trim(), err: child.stderr() }
})

/** Mints under an idempotency key. */
const mintOnce = (gateway: Gateway, token: string, label: string, key: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${gateway.url}/v1/credentials`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ kind: "api-key", tier: 0, label })
    })
    const body: Partial<Minted> = await response.json()
    return { status: response.status, replayed: response.headers.get("idempotent-replayed"), body }
  })

const kidsOf = (gateway: Gateway, token: string) =>
  Effect.map(
    gateway.customer<{ readonly keys: ReadonlyArray<{ readonly kid: string }> }>(token, "GET", "/v1/registry/jwks"),
    ({ body }) => (body.keys ?? []).map((_) => _.kid)
  )

story("TENANT_PASSWORD_KEY is rotated with an overlap, and no call fails", () =>
  Effect.gen(function* () {
    const endpoint = yield* receiver
    const former = gatewaySettings((yield* Cloud).url)["TENANT_PASSWORD_KEY"] ?? ""
    const next = newKey()
    const fleet = yield* fleetOf(lab)
    const first = only(fleet.members())
    const { token } = yield* tenantOf(first, "Acme GmbH")
    const hook = yield* first.customer<{ webhook_id: string; secret: string }>(token, "POST", "/v1/webhooks", {
      url: endpoint.url
    })
    const { secret = "", webhook_id } = hook.body
    const session = yield* opened(first.agentUrl, token)
    const minted = yield* mintOnce(first, token, "kept", "before-the-rotation")
    const kids = yield* kidsOf(first, token)
    assert.lengthOf(kids, 1)

    const load = yield* lightLoad(fleet, [
      { name: "whoami", call: (_) => _.whoami(token) },
      // Under the tenant's own Keystone user.
      { name: "servers", call: (_) => _.customer(token, "GET", "/v1/iaas/compute/servers") },
      { name: "networks", call: (_) => _.customer(token, "GET", "/v1/iaas/network/networks") },
      // The secret of the webhook is opened for each.
      {
        name: "ping",
        call: (_) =>
          Effect.map(
            _.customer<{ delivered?: boolean }>(token, "POST", `/v1/webhooks/${webhook_id}/test`),
            (answer): Answer<unknown> => (answer.body.delivered === false ? { status: 599, body: answer.body } : answer)
          )
      },
      // The session of an agent, by turns at every replica.
      {
        name: "agent",
        call: (_) =>
          Effect.map(
            post(_.agentUrl, request("tools/call", { name: "identity_whoami", arguments: {} }), { token, session }),
            (answer) => ({ status: answer.status, body: answer.status < 400 ? {} : { detail: answer.text } })
          )
      },
      // A session that one replica has just opened, at the other one.
      {
        name: "fresh agent",
        call: (_, other) =>
          Effect.flatMap(opened(_.agentUrl, token), (session) =>
            Effect.map(post(other.agentUrl, request("ping"), { token, session }), (answer) => ({
              status: answer.status,
              body: answer.status < 400 ? {} : { detail: answer.text }
            }))
          )
      },
      // A call that one replica has just carried out, at the other one.
      {
        name: "fresh replay",
        call: (_, other) => {
          const label = randomUUID()
          return Effect.gen(function* () {
            const { body: made } = yield* mintOnce(_, token, label, label)
            const { body, replayed, status } = yield* mintOnce(other, token, label, label)
            const isSame = replayed === "true" && body.credential_id === made.credential_id
            if (!isSame) return { status: 599, body: { detail: `it was carried out twice, or ${status}` } }
            return yield* _.revoke(token, made.credential_id ?? "")
          })
        }
      },
      // Whichever replica made the answer, every replica replays it.
      {
        name: "replay",
        call: (_) =>
          Effect.map(mintOnce(_, token, "kept", "before-the-rotation"), ({ body, replayed, status }) => ({
            status: replayed === "true" && body.credential_id === minted.body.credential_id ? status : 599,
            body
          }))
      }
    ])
    yield* load.isFine("before")

    yield* fleet.roll({ ...lab, ACCEPTED_TENANT_PASSWORD_KEY: next })
    yield* load.isFine("every replica accepts the new key")

    yield* fleet.roll({ ...lab, TENANT_PASSWORD_KEY: next, ACCEPTED_TENANT_PASSWORD_KEY: former })
    yield* load.isFine("the new key seals")

    const rotated = { TENANT_PASSWORD_KEY: next, ACCEPTED_TENANT_PASSWORD_KEY: former }
    const moved = yield* rekey(rotated)
    assert.deepStrictEqual(
      [moved.code, moved.line],
      [0, "portico-rekey: moved 1 passwords, 1 webhooks and integrations, 1 registry keys, 0 sessions of the console"],
      moved.err
    )
    yield* load.isFine("everything was moved")
    const again = yield* rekey(rotated)
    assert.strictEqual(
      again.line,
      "portico-rekey: moved 0 passwords, 0 webhooks and integrations, 0 registry keys, 0 sessions of the console"
    )
    // What is under the former key still, lives for days at most: the story does not wait for it.
    const late = yield* opened(only(fleet.members()).agentUrl, token)

    yield* Effect.scoped(
      Effect.gen(function* () {
        const alone = yield* fleetOf({ ...lab, TENANT_PASSWORD_KEY: next })
        const lasting = yield* lightLoad(alone, [
          { name: "servers", call: (_) => _.customer(token, "GET", "/v1/iaas/compute/servers") },
          {
            name: "agent",
            call: (_) =>
              Effect.map(post(_.agentUrl, request("ping"), { token, session: late }), ({ status, text }) => ({
                status,
                body: status < 400 ? {} : { detail: text }
              }))
          },
          { name: "ping", call: (_) => _.customer(token, "POST", `/v1/webhooks/${webhook_id}/test`) }
        ])
        yield* lasting.isFine("the former key is dropped")
        assert.deepStrictEqual(yield* kidsOf(only(alone.members()), token), kids)
        // An agent's session of the former key has ended: its client opens another.
        const ended = yield* post(only(alone.members()).agentUrl, request("ping"), { token, session })
        assert.deepStrictEqual([ended.status, jsonOf(ended).error.code], [404, -32001])
      })
    )
    yield* load.isFine("after")

    assert.isAtLeast(endpoint.got.length, 20)
    for (const got of endpoint.got) assert.isTrue(verifies(secret, got))
  })
)
