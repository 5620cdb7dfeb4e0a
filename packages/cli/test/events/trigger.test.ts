import { assert, layer } from "@effect/vitest"
import { verify } from "@portico/client/webhooks"
import { Effect } from "effect"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { jsonOf, TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { receiver } from "../../../gateway/test/targets/Receiver.ts"
import { samples } from "../../src/events/samples.ts"
import { Everything, machine } from "./harness.ts"

const trigger = (...args: ReadonlyArray<string>) => ["webhooks", "trigger", ...args]

layer(Everything, { excludeTestServices: true })("webhooks trigger", (it) => {
  it.effect("sends an event of every kind, signed with the secret of the listener of that address", () =>
    Effect.gen(function* () {
      const local = yield* receiver
      const { run } = yield* machine()
      const to = ["--forward-to", local.url]
      const secret = (yield* run(["events", "listen", ...to, "--print-secret"])).stdout.trim()
      for (const kind of Object.keys(samples)) assert.strictEqual((yield* run(trigger(kind, ...to))).exit, 0, kind)
      const events = yield* Effect.forEach(local.got, (_) => Effect.promise(() => verify(_.body, _.headers, secret)))
      assert.deepStrictEqual(
        events.map((_) => _.kind),
        Object.keys(samples)
      )
      assert.strictEqual(new Set(events.map((_) => _.id)).size, events.length)

      // The only address that is known.
      const data = ["--key", "vol-1", "--data", '{"detail":{"size_gb":7}}']
      const own = yield* run(trigger("volume.create", ...data))
      assert.deepInclude(JSON.parse(own.stdout), { kind: "volume.create", key: "vol-1", status: 204, delivered: true })
      const { data: sent, key } = JSON.parse(local.got.at(-1)?.body ?? "")
      assert.deepInclude({ ...sent, key }, { key: "vol-1", resource_type: "volume", detail: { size_gb: 7 } })

      local.answer({ status: 500 })
      const failed = yield* run(trigger("volume.create"))
      assert.deepStrictEqual([failed.exit, failed.stderr], [5, `${local.url} did not accept the event.\n`])
    }).pipe(Effect.scoped)
  )

  it.effect("says what a kind may have meant, and asks for an address", () =>
    Effect.gen(function* () {
      const { run } = yield* machine()
      const near = yield* run(trigger("volume.craete", "--forward-to", "localhost:1"))
      assert.strictEqual(near.exit, 2)
      assert.match(near.stderr, /'volume\.craete' is not a kind of event\.\nDid you mean: volume\.create\.\n$/)
      const family = yield* run(trigger("credential.exploded", "--forward-to", "localhost:1"))
      assert.match(family.stderr, /Did you mean: credential\.created, credential\.restored/)
      const nowhere = yield* run(trigger("volume.create"))
      assert.deepStrictEqual([nowhere.exit, nowhere.stderr.includes("--forward-to")], [2, true])
      assert.strictEqual((yield* run(trigger("volume.create", "--data", "[]"))).exit, 2)
    })
  )

  it.effect("lets the gateway ping a webhook of the tenant", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const endpoint = yield* receiver
      const made = yield* call("customer", "POST", "/v1/webhooks", {
        token: acme.tokens[2],
        body: { url: endpoint.url }
      })
      const { webhook_id } = jsonOf(made)
      const { run } = yield* machine()
      const pinged = yield* run(trigger("--webhook", webhook_id))
      assert.strictEqual(pinged.exit, 0, pinged.stderr)
      assert.deepInclude(JSON.parse(pinged.stdout), { delivered: true, status: 204 })
      assert.include(endpoint.got[0]?.body, "webhook.ping")
      assert.strictEqual((yield* run(trigger("volume.create", "--webhook", webhook_id))).exit, 2)
      assert.strictEqual((yield* run(trigger("--webhook", "no-such"))).exit, 4)
      endpoint.answer({ status: 500 })
      assert.strictEqual((yield* run(trigger("--webhook", webhook_id))).exit, 5)
    }).pipe(Effect.scoped)
  )
})
