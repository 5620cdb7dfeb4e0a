import { assert, describe, it, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Mail } from "@portico/upstream/mail/Mail"
import { Trust } from "@portico/upstream/Trust"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { serverIn } from "../monitoring/instances.ts"
import { eventually } from "../processes/children.ts"
import { exim, isHere, largest } from "./exim.ts"
import { named } from "./parts.ts"

const from = "Cloud <noreply@cloud.example>"

const letter = { id: "0b5b8d1e", to: ["ops@acme.example"], subject: "Alarm hot is in alarm", text: "cpu is high\n" }

class MailServer extends Context.Service<MailServer, Effect.Success<typeof exim>>()(
  "portico/gateway/test/parts/MailServer"
) {
  static readonly layer = Layer.effect(MailServer, exim)
}

/** The letters of which this is true, once there are some. */
const letters = (wanted: (_: { readonly to: string; readonly text: string }) => boolean) =>
  eventually(
    Effect.flatMap(
      Effect.flatMap(MailServer, (_) => _.delivered),
      (all) => {
        const found = all.filter(wanted)
        return found.length > 0 ? Effect.succeed(found) : Effect.fail(all.map((_) => _.to))
      }
    )
  )

if (!isHere) it.skip(named("stories of a real mail server", "exim4", isHere), () => {})
else {
  describe("a mail to a real mail server", () => {
    const through = (url: string, trusted = true) =>
      Effect.gen(function* () {
        const { ca } = yield* MailServer
        const { post } = yield* Effect.provide(
          Mail,
          Mail.layer.pipe(
            Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ SMTP_URL: url, MAIL_FROM: from }))),
            Layer.provide(Layer.succeed(Trust, trusted ? [readFileSync(ca, "utf8")] : undefined))
          )
        )
        return post === undefined ? yield* Effect.die("there is none") : post
      })

    it.live("arrives unchanged, over TLS and with the login", () =>
      Effect.gen(function* () {
        const { url } = yield* MailServer
        const text = `.a line that begins with a dot\n.\n..\nFrom here on: grüße, ☂\n${"x".repeat(3000)}\nend\n`
        const post = yield* through(url)
        const sent = yield* post.send({ ...letter, subject: "Heiß: 99 % ☂", text })
        assert.deepStrictEqual(sent, { accepted: letter.to, refused: [], deferred: [] })
        const [arrived] = yield* letters(() => true)
        assert.strictEqual(arrived?.text.trimEnd(), text.trimEnd())
        assert.deepInclude(arrived, { to: "ops@acme.example", from: "<noreply@cloud.example>" })
        assert.strictEqual(arrived?.header("Message-ID"), "<0b5b8d1e@cloud.example>")
        assert.strictEqual(arrived?.header("Auto-Submitted"), "auto-generated")
        assert.match(arrived?.header("Subject") ?? "", /^=\?UTF-8\?/)
        // "esmtpsa": TLS, and a login.
        assert.match(arrived?.header("Received") ?? "", / with esmtpsa /)
      }).pipe(Effect.provide(MailServer.layer))
    )

    it.live("refused permanently, transiently or because of the gateway is reported as such", () =>
      Effect.gen(function* () {
        const { port, url } = yield* MailServer
        const post = yield* through(url)
        const refusal = (change: object, by = post) =>
          Effect.map(Effect.flip(by.send({ ...letter, ...change })), ({ permanent, status }) => ({ permanent, status }))

        assert.deepStrictEqual(yield* refusal({ to: ["gone@acme.example"] }), { permanent: true, status: 550 })
        assert.deepStrictEqual(yield* refusal({ to: ["later@acme.example"] }), { permanent: false, status: 451 })
        assert.deepStrictEqual(yield* refusal({ text: "x\n".repeat(largest) }), { permanent: true, status: 552 })
        const to = ["gone@acme.example", "ops@acme.example", "later@acme.example"]
        assert.deepStrictEqual(yield* post.send({ ...letter, to }), {
          accepted: ["ops@acme.example"],
          refused: ["gone@acme.example"],
          deferred: ["later@acme.example"]
        })

        const mistaken = yield* through(url.replace("a-password", "another"))
        assert.deepStrictEqual(yield* refusal({}, mistaken), { permanent: false, status: 535 })
        const distrusting = yield* through(url, false)
        assert.deepStrictEqual(yield* refusal({}, distrusting), { permanent: false, status: null })
        // To a client a server that does not relay looks like one that knows nobody.
        const anonymous = yield* through(`smtp://127.0.0.1:${port}`)
        assert.deepStrictEqual(yield* refusal({}, anonymous), { permanent: true, status: 550 })
      }).pipe(Effect.provide(MailServer.layer))
    )
  })

  const Gateway = Cast.made.pipe(
    Layer.provideMerge(
      TestGateway.layerOf(
        Effect.gen(function* () {
          const { ca, url } = yield* MailServer
          return {
            ...gatewaySettings((yield* Server).url),
            UPSTREAM_CA_FILE: ca,
            SMTP_URL: url,
            MAIL_FROM: from,
            DELIVERIES_SECONDS: "1",
            ALARMS_SECONDS: "1",
            ALARM_INTERVAL_SECONDS: "1"
          }
        })
      )
    ),
    Layer.provideMerge(TestGateway.cloud),
    Layer.provideMerge(MailServer.layer)
  )

  const call = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
    const { acme } = yield* Cast
    const answer = yield* (yield* TestGateway).call("customer", method, path, { token: acme.tokens[2], body })
    return { status: answer.status, body: jsonOf(answer) }
  })

  const integration = (...to: ReadonlyArray<string>) =>
    call("POST", "/v1/integrations", { kind: "email", name: "on call", to, topics: ["alarms"] })

  layer(Gateway, { excludeTestServices: true })("an integration by mail", (it) => {
    it.effect("with an unknown address is refused, and with a greylisted one delivered later", () =>
      Effect.gen(function* () {
        const gone = yield* integration("gone@acme.example")
        assert.deepInclude(gone.body, { code: "recipient_refused" })
        assert.strictEqual(gone.status, 422)
        const later = yield* integration("later@acme.example")
        assert.strictEqual(later.status, 502)
        assert.deepInclude(later.body, { code: "upstream_failed", transient: true })
        assert.include(later.body.detail, "the mail server did not take it yet (451)")
      })
    )

    it.effect("is confirmed by mailed codes; an alarm reaches each address once, a greylisted one later", () =>
      Effect.gen(function* () {
        const { closeGreylist, openGreylist } = yield* MailServer
        yield* openGreylist
        const made = yield* integration("ops@acme.example", "later@acme.example")
        assert.strictEqual(made.status, 201)
        const path = `/v1/integrations/${made.body.integration_id}`
        for (const address of ["ops@acme.example", "later@acme.example"]) {
          const [asked] = yield* letters((_) => _.to === address && _.text.includes("Confirm") === false)
          const [, code = ""] = /\{"code": "([\w-]+)"\}/.exec(asked?.text ?? "") ?? []
          assert.strictEqual((yield* call("POST", `${path}/confirm`, { code })).status, 200)
        }
        yield* closeGreylist

        const cloud = yield* SimulatedCloud
        const { acme } = yield* Cast
        const id = yield* serverIn(cloud, acme.projectId, "00000000-0000-4000-8000-00000000acfe")
        const metric = "portico:instance_cpu:percent"
        cloud.world.monitoring.readings["hot"] = { metric, labels: { instance_id: id }, value: 99 }
        const rule = { metric: "cpu", instance_id: id, comparison: "gt", threshold: 90 }
        yield* call("POST", "/v1/alarms", { name: "heiß", rule })

        const isAlarm = (_: { readonly text: string }) => _.text.includes("alarm.state_changed")
        const [first] = yield* letters(isAlarm)
        assert.strictEqual(first?.to, "ops@acme.example")
        assert.include(first?.text, "alarm_name: heiß\n")
        assert.match(first?.text ?? "", /\nprevious: insufficient_data\ncurrent: alarm\n/)
        yield* openGreylist
        const [second] = yield* letters((_) => isAlarm(_) && _.to === "later@acme.example")
        assert.strictEqual(second?.header("Message-ID"), first?.header("Message-ID"))
        assert.strictEqual(second?.text, first?.text)
        assert.lengthOf(yield* letters(isAlarm), 2)
        const delivery = yield* eventually(
          Effect.flatMap(call("GET", `${path}/deliveries`), ({ body }) =>
            body.deliveries[0]?.state === "delivered" ? Effect.succeed(body.deliveries[0]) : Effect.fail(body)
          )
        )
        assert.isAbove(delivery.attempts.length, 1)
        assert.match(delivery.attempts[0].error, /did not take it yet for 1 of 2 addresses/)
      })
    )
  })
}
