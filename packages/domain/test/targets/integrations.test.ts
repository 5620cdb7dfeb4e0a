import { assert, it } from "@effect/vitest"
import { agreedWith } from "@portico/domain/targets/recipients"
import { recipientsOf } from "@portico/domain/deliveries/settings"
import { integrations } from "@portico/domain/targets/integrations"
import { unconfirmed } from "@portico/domain/targets/written"
import { Memory } from "@portico/testing/store/Memory"
import { NotMailed } from "@portico/upstream/mail/NotMailed"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { elapse, happens } from "../deliveries/deliveries.ts"
import { agreedMail, codeFor, genericUrl, integrationOf, mailless, Outside, slackUrl } from "./integrations.ts"
import { began, hot, live, page, story } from "./story.ts"

const ops = "ops@acme.example"
const boss = "boss@acme.example"

/** What became of what was sent through an integration, the newest first. */
const sent = (projectId: string, integrationId: string) =>
  Effect.map(integrations.deliveries(projectId, integrationId, page), (_) =>
    _.deliveries.map(({ error, state }) => error ?? state)
  )

story("an address gets no mail before it confirms, and every event from then on", ({ acme }) =>
  Effect.gen(function* () {
    const { letters } = yield* Outside
    yield* began
    const made = yield* integrationOf(acme, { kind: "email", name: "on call", to: [ops, ` ${boss}`, boss] })
    assert.deepInclude(made, { kind: "email", url: null, headers: null, enabled: false, disabled_reason: unconfirmed })
    assert.deepStrictEqual(made.recipients, [
      { address: ops, confirmed_at: null },
      { address: boss, confirmed_at: null }
    ])
    assert.deepStrictEqual(
      letters.map((_) => _.to),
      [[ops], [boss]]
    )
    yield* happens(acme, hot)
    yield* elapse("10 seconds")
    assert.lengthOf(letters, 2)

    const agreed = yield* integrations.confirm(acme, made.integration_id, { code: yield* codeFor(ops) })
    assert.deepInclude(agreed, { enabled: true, disabled_reason: null })
    const event = yield* happens(acme, hot)
    yield* elapse("2 seconds")
    assert.lengthOf(letters, 3)
    const letter = letters[2]
    assert.deepInclude(letter, {
      id: `${event}.${made.integration_id}`,
      to: [ops],
      subject: "Alarm hot is in alarm"
    })
    for (const part of ["reason: cpu was high", `Event:  ${event}`, `/v1/integrations/${made.integration_id}`]) {
      assert.include(letter?.text, part)
    }
    yield* integrations.confirm(acme, made.integration_id, { code: yield* codeFor(boss) })
    yield* happens(acme, hot)
    yield* elapse("2 seconds")
    assert.deepStrictEqual(letters[3]?.to, [ops, boss])
  })
)

story("a confirmation mail has no text of the tenant", ({ acme }) =>
  Effect.gen(function* () {
    const { letters } = yield* Outside
    yield* integrationOf(acme, { kind: "email", name: "BUY CHEAP WATCHES", to: [ops] })
    assert.lengthOf(letters, 1)
    assert.notInclude(JSON.stringify(letters), "WATCHES")
  })
)

story("a code is valid for its address, once, for a day, and until a newer one", ({ acme, globex }) =>
  Effect.gen(function* () {
    const { integration_id } = yield* integrationOf(acme, { kind: "email", name: "on call", to: [ops, boss] })
    const confirm = (code: string) => integrations.confirm(acme, integration_id, { code })
    const refused = (code: string) => Effect.map(Effect.flip(confirm(code)), (_) => [_._tag, "code" in _ && _.code])
    const first = yield* codeFor(ops)
    const no = ["Unprocessable", "confirmation_refused"]
    assert.deepStrictEqual(yield* refused("wrong"), no)
    assert.deepStrictEqual(yield* refused(""), no)
    const theirs = yield* Effect.flip(integrations.confirm(globex, integration_id, { code: first }))
    assert.deepInclude(theirs, { _tag: "NotFound" })

    yield* integrations.update(acme, integration_id, { to: [ops] })
    assert.deepStrictEqual(yield* refused(first), no)
    const second = yield* codeFor(ops)
    assert.notStrictEqual(second, first)
    const { targets } = yield* Memory
    const [entry] = targets.values()
    const recipients = entry === undefined ? [] : yield* recipientsOf(entry)
    const now = yield* DateTime.now
    assert.isDefined(agreedWith(recipients, second, DateTime.add(now, { hours: 23 })))
    assert.isUndefined(agreedWith(recipients, second, DateTime.add(now, { hours: 24 })))
    assert.deepInclude(yield* confirm(second), { enabled: true })
    assert.deepStrictEqual(yield* refused(second), no)
    assert.notInclude(JSON.stringify([...targets.values()]), second)
  })
)

story("confirmed addresses are not asked again, and mail stops with the last removed one", ({ acme }) =>
  Effect.gen(function* () {
    const { letters } = yield* Outside
    const id = yield* agreedMail(acme, [ops])
    const both = yield* integrations.update(acme, id, { to: [ops, boss] })
    assert.deepStrictEqual(
      letters.map((_) => _.to),
      [[boss]]
    )
    assert.isNotNull(both.recipients?.[0]?.confirmed_at)
    assert.isTrue(both.enabled)
    const none = yield* integrations.update(acme, id, { to: [boss] })
    assert.deepInclude(none, { enabled: false, disabled_reason: unconfirmed })
  })
)

story("a disabled integration stays disabled when an address confirms", ({ acme }) =>
  Effect.gen(function* () {
    const made = yield* integrationOf(acme, { kind: "email", name: "on call", to: [ops], enabled: false })
    assert.deepInclude(made, { enabled: false, disabled_reason: null })
    const id = made.integration_id
    const wanted = yield* integrations.update(acme, id, { enabled: true })
    assert.deepInclude(wanted, { enabled: false, disabled_reason: unconfirmed })
    assert.deepInclude(yield* integrations.update(acme, id, { enabled: false }), {
      enabled: false,
      disabled_reason: null
    })
    assert.deepInclude(yield* integrations.confirm(acme, id, { code: yield* codeFor(ops) }), { enabled: false })
    assert.deepInclude(yield* integrations.update(acme, id, { enabled: true }), {
      enabled: true,
      disabled_reason: null
    })
  })
)

story("confirmations are limited per hour, despite removals in between", ({ acme, globex }) =>
  Effect.gen(function* () {
    const { letters } = yield* Outside
    const ask = (count: number) =>
      integrationOf(acme, {
        kind: "email",
        name: "list",
        to: Array.from({ length: count }, (_, index) => `a${index}@victim.example`)
      })
    yield* integrations.remove(acme, (yield* ask(3)).integration_id)
    const refused = yield* Effect.flip(ask(2))
    assert.deepInclude(refused, { _tag: "Conflict", code: "confirmation_allowance" })
    yield* ask(1)
    assert.lengthOf(letters, 4)
    yield* integrationOf(globex, { kind: "email", name: "theirs", to: [ops] })
    yield* TestClock.adjust("61 minutes")
    yield* ask(4)
    assert.lengthOf(letters, 9)
  })
)

story("an integration is not created when its confirmations cannot be sent", ({ acme }) =>
  Effect.gen(function* () {
    const outside = yield* Outside
    const ask = Effect.flip(integrationOf(acme, { kind: "email", name: "on call", to: [ops] }))
    outside.mails = () => new NotMailed({ permanent: true, status: 550, detail: "mx1.internal: no such user" })
    assert.deepInclude(yield* ask, {
      _tag: "Unprocessable",
      detail: `Nothing can be sent to '${ops}': the mail server refused it (550)`
    })
    outside.mails = () => new NotMailed({ permanent: false, status: null, detail: "connect ECONNREFUSED 10.0.0.1" })
    assert.deepInclude(yield* ask, { _tag: "BadGateway", transient: true })
    assert.deepStrictEqual(yield* integrations.list(acme), { count: 0, integrations: [] })
  })
)

it.effect("without a mail server only e-mail is refused", () =>
  live(({ acme }) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(integrationOf(acme, { kind: "email", name: "on call", to: [ops] }))
      assert.deepInclude(refused, { _tag: "Conflict", code: "mail_not_offered" })
      yield* integrationOf(acme, { kind: "slack", name: "channel", url: slackUrl })
    }).pipe(Effect.provide(mailless))
  )
)

story("a tenant's mails are limited per hour: the last one says so, and later ones are dropped", ({ acme }) =>
  Effect.gen(function* () {
    const { letters } = yield* Outside
    const id = yield* agreedMail(acme, [ops])
    yield* began
    for (let count = 0; count < 5; count++) yield* happens(acme, hot)
    yield* elapse("3 seconds")
    const last = "the organisation's allowance is used up"
    assert.deepStrictEqual(
      letters.map((_) => _.text.includes(last)),
      [false, false, true]
    )
    const why = "the organisation's mails of this hour are used up"
    assert.deepStrictEqual(yield* sent(acme, id), [why, why, "delivered", "delivered", "delivered"])
    assert.deepInclude(yield* integrations.show(acme, id), { enabled: true, failures_in_a_row: 0, rests_until: null })

    yield* elapse("62 minutes", "1 minute")
    yield* happens(acme, hot)
    yield* elapse("2 seconds")
    assert.lengthOf(letters, 4)
  })
)

story("a permanent mail failure is tried once, and a transient one three times", ({ acme }) =>
  Effect.gen(function* () {
    const outside = yield* Outside
    const id = yield* agreedMail(acme, [ops])
    yield* began
    outside.mails = () => new NotMailed({ permanent: true, status: 550, detail: "mx1.internal: no such user" })
    yield* happens(acme, hot)
    yield* elapse("10 seconds")
    assert.lengthOf(outside.letters, 1)
    const refused = yield* integrations.deliveries(acme, id, page)
    assert.deepInclude(refused.deliveries[0], { state: "failed", error: "the mail server refused it (550)" })
    assert.notInclude(JSON.stringify(refused), "mx1")
    assert.deepInclude(yield* integrations.show(acme, id), { failures_in_a_row: 1 })
    yield* elapse("30 seconds")

    outside.mails = () => new NotMailed({ permanent: false, status: 451, detail: "greylisted" })
    yield* happens(acme, hot)
    yield* elapse("10 seconds")
    assert.lengthOf(outside.letters, 4)
    const ids = outside.letters.slice(1).map((_) => _.id)
    assert.lengthOf(new Set(ids), 1)
  })
)

story("an accepted recipient gets a mail once, while it is retried for the others", ({ acme }) =>
  Effect.gen(function* () {
    const outside = yield* Outside
    const id = yield* agreedMail(acme, [ops, boss])
    yield* began
    let times = 0
    outside.mails = ({ to }) => {
      times += 1
      const deferred = times < 3 ? to.filter((_) => _.startsWith("boss")) : []
      return Effect.succeed({ accepted: to.filter((_) => !deferred.includes(_)), refused: [], deferred })
    }
    yield* happens(acme, hot)
    yield* elapse("10 seconds")
    assert.deepStrictEqual(
      outside.letters.map((_) => _.to),
      [[ops, boss], [boss], [boss]]
    )
    assert.deepStrictEqual(yield* sent(acme, id), ["delivered"])
  })
)

story("a channel's message has no links or mentions from the event", ({ acme }) =>
  Effect.gen(function* () {
    const { posts } = yield* Outside
    const made = yield* integrationOf(acme, { kind: "slack", name: "channel", url: slackUrl, topics: ["alarms"] })
    assert.deepInclude(made, { url: "https://93.184.215.14/…", recipients: null, headers: null, enabled: true })
    yield* began
    const name = "<!channel> & <https://evil.example|click> @here"
    const event = yield* happens(acme, { data: { ...hot.data, alarm_name: name } })
    yield* elapse("2 seconds")
    assert.lengthOf(posts, 1)
    const [post] = posts
    assert.strictEqual(post?.url, slackUrl)
    assert.strictEqual(post?.headers["content-type"], "application/json")
    const { text } = JSON.parse(post?.body ?? "")
    assert.include(text, "*Alarm &lt;!channel&gt; &amp; &lt;https://evil.example|click&gt; @\u200bhere is in alarm*\n")
    assert.include(text, event)
    assert.notMatch(text, /<|>|@here/)
  })
)

story("a generic target gets the envelope, with its own headers beside ours", ({ acme }) =>
  Effect.gen(function* () {
    const { posts } = yield* Outside
    const headers = [{ name: "Authorization", value: "Bearer secretOfTheHeader" }]
    const made = yield* integrationOf(acme, { kind: "generic", name: "in-house", url: genericUrl, headers })
    assert.deepInclude(made, { url: "https://93.184.215.14/…", headers: ["Authorization"] })
    yield* began
    const id = yield* happens(acme, hot)
    yield* elapse("2 seconds")
    const [post] = posts
    assert.strictEqual(post?.url, genericUrl)
    assert.deepInclude(post?.headers, {
      authorization: "Bearer secretOfTheHeader",
      "content-type": "application/json",
      "webhook-id": id
    })
    assert.deepInclude(JSON.parse(post?.body ?? ""), { id, topic: "alarms", project_id: acme })
  })
)

story("a target's secrets are never readable, and headers do not follow it to another address", ({ acme }) =>
  Effect.gen(function* () {
    const { posts } = yield* Outside
    const headers = [{ name: "Authorization", value: "Bearer secretOfTheHeader" }]
    const made = yield* integrationOf(acme, { kind: "generic", name: "in-house", url: genericUrl, headers })
    const id = made.integration_id
    yield* integrationOf(acme, { kind: "slack", name: "channel", url: slackUrl })
    yield* integrationOf(acme, { kind: "generic", name: "hook", url: "https://93.184.215.14/catch/secretOfThePath" })
    const { targets } = yield* Memory
    assert.notMatch(JSON.stringify([...targets.values(), yield* integrations.list(acme)]), /secretOf/)

    const same = yield* integrations.update(acme, id, { url: genericUrl, name: "renamed" })
    assert.deepStrictEqual(same.headers, ["Authorization"])
    const elsewhere = `${genericUrl}/elsewhere`
    const changes = {
      "another path": integrations.update(acme, id, { url: elsewhere }),
      "another host": integrations.update(acme, id, { url: "https://93.184.215.15/hooks/in" }),
      "a rotation": integrations.rotateSecret(acme, id, { url: elsewhere, overlap_seconds: 0 })
    }
    for (const [what, change] of Object.entries(changes)) {
      yield* integrations.update(acme, id, { url: genericUrl, headers })
      assert.deepStrictEqual((yield* change).headers, [], what)
      posts.length = 0
      yield* integrations.test(acme, id)
      assert.lengthOf(posts, 1)
      assert.notInclude(JSON.stringify(posts.map((_) => _.headers)), "secretOf", what)
    }
  })
)

const newUrl = "https://93.184.215.14/hooks/new"
const shownNewUrl = "https://93.184.215.14/…"
const day = { overlap_seconds: 86_400 }
const hour = { overlap_seconds: 3600 }

story("during a rotation's overlap, a delivery refused at the new address goes to the previous one", ({ acme }) =>
  Effect.gen(function* () {
    const outside = yield* Outside
    const headers = [{ name: "Authorization", value: "Bearer before" }]
    const made = yield* integrationOf(acme, { kind: "generic", name: "in-house", url: genericUrl, headers })
    assert.isNull(made.previous_secret_until)
    const id = made.integration_id
    const next = [{ name: "Authorization", value: "Bearer after" }]
    const rotated = yield* integrations.rotateSecret(acme, id, { url: newUrl, headers: next, ...day })
    const until = DateTime.formatIso(DateTime.add(yield* DateTime.now, { days: 1 }))
    assert.deepInclude(rotated, { url: shownNewUrl, previous_secret_until: until, headers: ["Authorization"] })
    yield* began

    /** The posts of one event, and what became of it. */
    const posted = Effect.fnUntraced(function* (fresh: number, previous: number) {
      outside.posts.length = 0
      outside.answers = (url) => Effect.succeed(url === newUrl ? fresh : previous)
      yield* happens(acme, hot)
      yield* elapse("2 seconds")
      const [state] = yield* sent(acme, id)
      return [state, ...outside.posts.map((_) => [_.url, _.headers["authorization"]])]
    })
    const fresh = [newUrl, "Bearer after"]
    const previous = [genericUrl, "Bearer before"]
    assert.deepStrictEqual(yield* posted(200, 200), ["delivered", fresh])
    for (const status of [401, 403, 404, 410]) {
      assert.deepStrictEqual(yield* posted(status, 204), ["delivered", fresh, previous])
    }
    // A broken receiver may have taken the event: only the refusal of a secret leads back.
    const [, ...broken] = yield* posted(500, 200)
    assert.deepStrictEqual(broken[0], fresh)
    assert.notDeepInclude(broken, previous)
    outside.answers = () => Effect.succeed(200)
    yield* elapse("40 seconds")

    outside.answers = (url) => Effect.succeed(url === newUrl ? 403 : 200)
    outside.posts.length = 0
    assert.deepInclude(yield* integrations.test(acme, id), { delivered: false, status: 403 })
    assert.lengthOf(outside.posts, 1, "a test uses the new secret alone")

    const last = yield* integrations.rotateSecret(acme, id, { headers: next, overlap_seconds: 0 })
    assert.isNull(last.previous_secret_until)
    const [, ...alone] = yield* posted(403, 200)
    assert.notDeepInclude(alone, previous)
  })
)

story("the previous address ends with the overlap, another change, or another rotation", ({ acme }) =>
  Effect.gen(function* () {
    const outside = yield* Outside
    const { integration_id: id } = yield* integrationOf(acme, { kind: "slack", name: "channel", url: slackUrl })
    const urls = [1, 2, 3].map((_) => `https://93.184.215.14/rotated/${_}`)
    yield* began
    const tried = Effect.fnUntraced(function* () {
      outside.posts.length = 0
      outside.answers = () => Effect.succeed(404)
      yield* happens(acme, hot)
      yield* elapse("1 second")
      const found = outside.posts.map((_) => _.url)
      outside.answers = () => Effect.succeed(200)
      yield* elapse("40 seconds")
      return [...new Set(found)]
    })
    for (const url of urls) yield* integrations.rotateSecret(acme, id, { url, ...hour })
    assert.deepStrictEqual(yield* tried(), urls.toReversed(), "three at a time")
    yield* elapse("61 minutes", "1 minute")
    assert.deepStrictEqual(yield* tried(), [urls[2]])
    yield* integrations.rotateSecret(acme, id, { url: newUrl, ...hour })
    assert.deepStrictEqual(yield* tried(), [newUrl, urls[2]])
    assert.isNull((yield* integrations.update(acme, id, { url: slackUrl })).previous_secret_until)
    assert.deepStrictEqual(yield* tried(), [slackUrl])
  })
)

story("a rotation takes the kind's fields, no address of the platform, and moves no header", ({ acme }) =>
  Effect.gen(function* () {
    const { posts } = yield* Outside
    const headers = [{ name: "Authorization", value: "Bearer secretOfTheHeader" }]
    const made = yield* integrationOf(acme, { kind: "generic", name: "in-house", url: genericUrl, headers })
    const slack = yield* integrationOf(acme, { kind: "slack", name: "channel", url: slackUrl })
    const mail = yield* agreedMail(acme, [ops])
    for (const [id, change] of [
      [mail, { url: slackUrl }],
      [mail, { headers }],
      [slack.integration_id, { headers }]
    ] as const) {
      const refused = yield* Effect.flip(integrations.rotateSecret(acme, id, { ...change, ...day }))
      assert.deepInclude(refused, { code: "integration_field_refused" })
    }
    const inside = { url: "https://10.0.0.1/", ...day }
    assert.deepInclude(yield* Effect.flip(integrations.rotateSecret(acme, made.integration_id, inside)), {
      code: "target_address_refused"
    })
    const other = { url: "https://93.184.215.15/hooks/in", ...day }
    assert.deepStrictEqual((yield* integrations.rotateSecret(acme, made.integration_id, other)).headers, [])
    yield* integrations.test(acme, made.integration_id)
    assert.notInclude(JSON.stringify(posts), "secretOf")
  })
)

story("a resent mail counts in the hour's allowance", ({ acme }) =>
  Effect.gen(function* () {
    const { letters } = yield* Outside
    const before = yield* happens(acme, hot)
    yield* began
    const mail = yield* agreedMail(acme, [ops])
    for (let count = 0; count < 5; count++) {
      yield* integrations.redeliver(acme, mail, { event_id: before })
      yield* elapse("2 seconds")
    }
    assert.lengthOf(letters, 3, "it counts in the hour's allowance")
  })
)

story("targets inside the platform, and fields of another kind, are refused", ({ acme }) =>
  Effect.gen(function* () {
    for (const url of [
      "https://127.0.0.1/",
      "https://169.254.169.254/latest",
      "https://[::1]/",
      "http://93.184.215.14/",
      "https://localhost/",
      "https://localhost./",
      "https://a.localhost/",
      "https://example.com\\@127.0.0.1/x",
      "https:///x"
    ]) {
      for (const kind of ["slack", "generic"] as const) {
        const refused = yield* Effect.flip(integrationOf(acme, { kind, name: "inside", url }))
        assert.deepInclude(refused, { code: "target_address_refused" })
      }
    }
    const { integration_id } = yield* integrationOf(acme, { kind: "slack", name: "channel", url: slackUrl })
    const inside = yield* Effect.flip(integrations.update(acme, integration_id, { url: "https://10.0.0.1/" }))
    assert.deepInclude(inside, { code: "target_address_refused" })
    const mail = yield* agreedMail(acme, [ops])
    const wrong = [
      [integration_id, { to: [ops] }],
      [integration_id, { headers: [] }],
      [mail, { url: slackUrl }],
      [mail, { headers: [] }]
    ] as const
    for (const [id, change] of wrong) {
      const refused = yield* Effect.flip(integrations.update(acme, id, change))
      assert.deepInclude(refused, { code: "integration_field_refused" })
    }
  })
)

story("a test is sent at once, to confirmed addresses alone, within a limit", ({ acme }) =>
  Effect.gen(function* () {
    const outside = yield* Outside
    const { integration_id } = yield* integrationOf(acme, { kind: "slack", name: "channel", url: slackUrl })
    assert.deepInclude(yield* integrations.test(acme, integration_id), { delivered: true, status: 200 })
    outside.answers = () => Effect.succeed(404)
    const failed = { delivered: false, status: 404, error: "it answered 404" }
    assert.deepInclude(yield* integrations.test(acme, integration_id), failed)

    const made = yield* integrationOf(acme, { kind: "email", name: "on call", to: [ops] })
    const silent = { delivered: false, error: "no address has agreed to it" }
    assert.deepInclude(yield* integrations.test(acme, made.integration_id), silent)
    yield* integrations.confirm(acme, made.integration_id, { code: yield* codeFor(ops) })
    outside.letters.length = 0
    for (let count = 0; count < 12; count++) yield* integrations.test(acme, made.integration_id)
    assert.lengthOf(outside.letters, 10)
  })
)
