import { assert, layer } from "@effect/vitest"
import type { Event } from "@portico/contract/Events"
import { Bus } from "@portico/domain/events/Bus"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Clock, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { createHash, randomUUID } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { Cast } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { Logs } from "../harness/Logs.ts"
import { type Got, receiver } from "./Receiver.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"
import { repeatInTime } from "@portico/testing/clock"

/** What verifies a signature believes the machine's clock. */
// oxlint-disable-next-line live/waits -- it reads the time, and waits for none
const asToday = Layer.effectDiscard(Effect.flatMap(TestClock.withLive(Clock.currentTimeMillis), TestClock.setTime))

const settings = Effect.map(Server, ({ url }) => ({
  ...gatewaySettings(url),
  DELIVERIES_SECONDS: "0.2",
  WEBHOOK_ATTEMPT_SECONDS: "10",
  WEBHOOK_ALLOW_HTTP: "true",
  WEBHOOK_ALLOW_ADDRESSES: "127.0.0.1, 192.0.2.0/24",
  WEBHOOK_REFUSE_ADDRESSES: "8.8.8.0/24"
}))
const Everything = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(settings)),
  Layer.provideMerge(Logs.layer),
  Layer.provideMerge(TestGateway.cloud),
  Layer.provide(asToday)
)

const webhooks = "/v1/webhooks"

/** An attempt that the clock overtakes is made again, so the clock moves on in small steps. */
const waited = <A, E, R>(effect: Effect.Effect<A, E, R>, isWanted: (value: A) => boolean) =>
  repeatInTime(effect, isWanted, "50 millis")

/** As acme, unless it is said otherwise. */
const asked = Effect.fnUntraced(function* (method: string, path: string, body?: unknown, more: Asked = {}) {
  const { acme } = yield* Cast
  return yield* (yield* TestGateway).call("customer", method, path, { token: acme.tokens[2], body, ...more })
})

/** Nothing of earlier stories is in anybody's way. */
const noWebhooks = Effect.gen(function* () {
  for (const { webhook_id } of jsonOf(yield* asked("GET", webhooks)).webhooks) {
    yield* asked("DELETE", `${webhooks}/${webhook_id}`)
  }
})

const made = Effect.fnUntraced(function* (url: string, more: object = {}) {
  const answer = yield* asked("POST", webhooks, { url, ...more })
  assert.strictEqual(answer.status, 201, answer.text)
  assert.strictEqual(answer.headers["cache-control"], "no-store")
  return jsonOf(answer)
})

const happens = Effect.fnUntraced(function* (more: Partial<Event> = {}) {
  const { acme } = yield* Cast
  const id = randomUUID()
  const at = DateTime.formatIso(yield* DateTime.now)
  const data = { words: "Grüße \u2028 \u{1f600}" }
  const event: Event = {
    id,
    topic: "alarms",
    kind: "alarm.state_changed",
    at,
    key: "alm-1",
    project_id: acme.projectId,
    data,
    ...more
  }
  // The layer below the gateway holds the same log.
  yield* (yield* Bus).publish([event])
  return id
})

/** What a library of Standard Webhooks makes of a call: given the derived key, and given the secret as it was shown. */
const verified = (secret: string, { body, headers }: Got): unknown => {
  const key = createHash("sha256").update(secret).digest("hex")
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const event = new Webhook(secret).verify(body, given)
  assert.deepStrictEqual(new Webhook(`whsec_${Buffer.from(key).toString("base64")}`).verify(body, given), event)
  return event
}

layer(Everything)("webhooks over HTTP", (it) => {
  it.effect("an event arrives signed, and is listed in the deliveries", () =>
    Effect.gen(function* () {
      yield* noWebhooks
      const endpoint = yield* receiver
      const { secret, webhook_id } = yield* made(`${endpoint.url}hook?x=1`, { description: "ours", kinds: ["alarm.*"] })
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      yield* happens({ kind: "other.kind" })
      const id = yield* happens()
      yield* waited(
        Effect.sync(() => endpoint.got.length > 0),
        (_) => _
      )
      const [got] = endpoint.got
      assert.deepInclude(got?.headers ?? {}, {
        "content-type": "application/json",
        "user-agent": "Portico-Webhooks",
        "webhook-id": id,
        connection: "close"
      })
      assert.strictEqual(got?.path, "/hook?x=1")
      const event = got && verified(secret, got)
      assert.deepInclude(event, { id, kind: "alarm.state_changed", data: { words: "Grüße \u2028 \u{1f600}" } })
      assert.throws(() => got && verified(`${secret} `, got))

      const list = `${webhooks}/${webhook_id}/deliveries`
      yield* waited(
        Effect.map(asked("GET", list), (_) => jsonOf(_).deliveries[0]?.state === "delivered"),
        (_) => _
      )
      const { count, deliveries, next_cursor } = jsonOf(yield* asked("GET", list))
      assert.deepStrictEqual([count, next_cursor], [1, null])
      assert.deepInclude(deliveries[0], { event_id: id, topic: "alarms", redelivery: false, error: null })
      assert.deepInclude(deliveries[0].attempts[0], { status: 204, error: null })
      assert.strictEqual(endpoint.got.length, 1)
    }).pipe(Effect.scoped)
  )

  for (const plane of planes) {
    it.effect(`their life on the ${plane} plane, with the secret shown once`, () =>
      Effect.gen(function* () {
        yield* noWebhooks
        const { acme, globex } = yield* Cast
        const { call } = yield* TestGateway
        const as = (method: string, path: string, body?: unknown) =>
          call(plane, method, path, { token: acme.tokens[2], body })
        const { secret, ...webhook } = yield* made("http://127.0.0.1:1/", { topics: ["alarms"] })
        const own = `${webhooks}/${webhook.webhook_id}`
        assert.deepInclude(webhook, { enabled: true, topics: ["alarms"], kinds: [], failures_in_a_row: 0 })
        assert.deepStrictEqual(jsonOf(yield* as("GET", own)), webhook)
        assert.deepStrictEqual(jsonOf(yield* as("GET", webhooks)), { count: 1, webhooks: [webhook] })
        const changed = jsonOf(yield* as("PATCH", own, { enabled: false, description: "off", topics: [] }))
        assert.deepInclude(changed, { enabled: false, disabled_reason: null, description: "off", topics: [] })
        assert.deepInclude(jsonOf(yield* as("PATCH", own, { enabled: true })), { enabled: true, description: "off" })

        const theirs = yield* call(plane, "GET", own, { token: globex.tokens[2] })
        assert.deepStrictEqual(
          [theirs.status, jsonOf(theirs)],
          [404, { detail: `Webhook '${webhook.webhook_id}' not found`, code: "webhook_not_found" }]
        )
        assert.strictEqual((yield* as("DELETE", own)).status, 200)
        assert.strictEqual((yield* as("DELETE", own)).status, 404)
        const { lines } = yield* Logs
        assert.isFalse((yield* lines).join().includes(secret))
      })
    )
  }

  it.effect("a ping answers its outcome at once", () =>
    Effect.gen(function* () {
      yield* noWebhooks
      const endpoint = yield* receiver
      const { secret, webhook_id } = yield* made(endpoint.url, { enabled: false })
      const ping = Effect.map(asked("POST", `${webhooks}/${webhook_id}/test`), jsonOf)
      const fine = yield* ping
      assert.deepInclude(fine, { delivered: true, status: 204, error: null })
      const [got] = endpoint.got
      assert.deepInclude(got && verified(secret, got), { id: fine.event_id, kind: "webhook.ping", topic: "webhooks" })

      const elsewhere = yield* receiver
      endpoint.answer({ status: 307, headers: { location: elsewhere.url } })
      assert.deepInclude(yield* ping, { delivered: false, status: 307, error: "it answered 307" })
      assert.deepStrictEqual(elsewhere.got, [], "a redirect is not followed")
      endpoint.answer({ status: 500, body: "x".repeat(5_000_000) })
      assert.deepInclude(yield* ping, { delivered: false, status: 500, error: "it answered 500" })
      endpoint.answer({ status: 410 })
      assert.deepInclude(yield* ping, { delivered: false, status: 410 })
      yield* asked("PATCH", `${webhooks}/${webhook_id}`, { url: "http://127.0.0.1:1/" })
      assert.deepInclude(yield* ping, { delivered: false, status: null, error: "the connection was refused" })
      const { count, deliveries } = jsonOf(yield* asked("GET", `${webhooks}/${webhook_id}/deliveries`))
      assert.strictEqual(count, 5)
      const [last] = deliveries
      assert.deepInclude(last, { kind: "webhook.ping", topic: "webhooks", state: "failed", redelivery: false })
      assert.strictEqual(last.error, "the connection was refused")
      assert.strictEqual(last.finished_at, last.created_at)
      const first = deliveries.at(-1)
      assert.deepInclude(first, { event_id: fine.event_id, state: "delivered", error: null })
      assert.deepInclude(first.attempts[0], { status: 204, error: null })
      // It is in no log, so it cannot be sent again, and the target is as well as before.
      const again = yield* asked("POST", `${webhooks}/${webhook_id}/redeliver`, { event_id: fine.event_id })
      assert.strictEqual(again.status, 404)
      const shown = jsonOf(yield* asked("GET", `${webhooks}/${webhook_id}`))
      assert.deepInclude(shown, { failures_in_a_row: 0, failing_since: null, rests_until: null })
    }).pipe(Effect.scoped)
  )

  it.effect("after a rotation both secrets sign until the end of the overlap", () =>
    Effect.gen(function* () {
      yield* noWebhooks
      const endpoint = yield* receiver
      const { secret, webhook_id } = yield* made(endpoint.url)
      const rotate = (body: object) => asked("POST", `${webhooks}/${webhook_id}/rotate-secret`, body)
      const rotated = yield* rotate({})
      assert.deepStrictEqual([rotated.status, rotated.headers["cache-control"]], [201, "no-store"])
      const next = jsonOf(rotated)
      assert.notStrictEqual(next.secret, secret)
      assert.isString(next.previous_secret_until)
      const ping = asked("POST", `${webhooks}/${webhook_id}/test`)
      yield* ping
      const [both] = endpoint.got
      assert.strictEqual(String(both?.headers["webhook-signature"]).split(" ").length, 4, "two a secret")
      for (const _ of [secret, next.secret]) assert.isObject(both && verified(_, both))

      const last = jsonOf(yield* rotate({ overlap_seconds: 0 }))
      assert.isNull(last.previous_secret_until)
      yield* ping
      const [, alone] = endpoint.got
      assert.isObject(alone && verified(last.secret, alone))
      for (const _ of [secret, next.secret]) assert.throws(() => alone && verified(_, alone))
    }).pipe(Effect.scoped)
  )

  it.effect("deliveries are paged, the newest first", () =>
    Effect.gen(function* () {
      yield* noWebhooks
      const endpoint = yield* receiver
      const { webhook_id } = yield* made(endpoint.url)
      const events: Array<string> = []
      for (let count = 0; count < 5; count++) events.push(yield* happens())
      // An attempt whose answer comes after its time is made again, so one event may arrive twice.
      const arrived = () => new Set(endpoint.got.map((_) => _.headers["webhook-id"]))
      yield* waited(
        Effect.sync(() => arrived().size === 5),
        (_) => _
      )
      const found: Array<string> = []
      let cursor = ""
      do {
        const page = jsonOf(yield* asked("GET", `${webhooks}/${webhook_id}/deliveries?limit=2${cursor}`))
        assert.strictEqual(page.count, 5)
        for (const _ of page.deliveries) found.push(_.event_id)
        cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`
      } while (cursor !== "")
      assert.deepStrictEqual(found, events.toReversed())
    }).pipe(Effect.scoped)
  )

  it.effect("addresses outside the public internet are refused, in any spelling", () =>
    Effect.gen(function* () {
      yield* noWebhooks
      const refused = Effect.fnUntraced(function* (url: string, why: string) {
        const answer = yield* asked("POST", webhooks, { url })
        assert.deepStrictEqual(
          [answer.status, jsonOf(answer)],
          [422, { detail: `Nothing can be sent to the address: ${why}`, code: "target_address_refused" }],
          url
        )
      })
      for (const host of [
        "127.0.0.2",
        "10.1.2.3",
        "172.31.255.255",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "224.0.0.1",
        "255.255.255.255",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "8.8.8.8",
        "[::1]",
        "[::]",
        "localhost",
        "a.localhost",
        "[::127.0.0.2]",
        "[64:ff9b::a00:1]",
        "[2002:a00:1::]",
        "[2001:0:a00:1::]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[2001:db8::1]"
      ]) {
        yield* refused(`https://${host}/`, "events are sent to addresses of the public internet alone")
      }
      for (const host of ["127.2", "0x7f000002", "2130706434", "0"]) {
        yield* refused(`https://${host}/`, "it must have an address of IPv4 as four decimal numbers, as 192.0.2.1")
      }
      for (const host of ["[::ffff:10.0.0.1]", "[::ffff:127.0.0.2]"]) {
        yield* refused(`https://${host}/`, "it must have an address of IPv4 in its own form, as 192.0.2.1")
      }
      const characters = "it has characters that no address has: they are written percent-encoded"
      yield* refused("https://example.com\\@127.0.0.1/x", characters)
      yield* refused("https:///x", "it names no host")
      yield* refused("https://localhost./", "it must have its host without a dot at the end")
      yield* refused("https://user@example.com/", "it must hold no user name and no password")
      yield* refused("https://:secret@example.com/", "it must hold no user name and no password")
      for (const url of [
        "https://192.0.2.7/",
        "http://127.0.0.1:1/",
        "https://9.9.9.9:8443/x",
        "https://nowhere.invalid/"
      ]) {
        yield* made(url)
      }
      const { webhook_id } = jsonOf(yield* asked("GET", webhooks)).webhooks[0]
      const changed = yield* asked("PATCH", `${webhooks}/${webhook_id}`, { url: "https://10.0.0.1/" })
      assert.strictEqual(changed.status, 422)
    })
  )
})
