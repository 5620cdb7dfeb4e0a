import { assert, it } from "@effect/vitest"
import { AuthenticationQueue } from "@portico/domain/access/AuthenticationQueue"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ConsoleLogins } from "../../src/console/ConsoleLogins.ts"
import { SessionCookie } from "../../src/console/SessionCookie.ts"
import { sessions } from "../../src/console/session.ts"
import { SourceAddresses } from "../../src/requests/sourceAddress.ts"

const base = "https://api.cloud.example"

/** A provider that leaves a refresh token as it is: nothing but the platform's key asks for another cookie. */
const logins: ConsoleLogins = {
  login: () => Effect.succeed(undefined),
  renew: () =>
    Effect.succeed({ accessToken: Redacted.make("an access token"), expiresIn: 300, refreshToken: undefined }),
  revoke: () => Effect.void
}

/** A replica with these keys of the platform. */
const replica = (current: string, accepted = "") => {
  const settings = { TENANT_PASSWORD_KEY: current, ACCEPTED_TENANT_PASSWORD_KEY: accepted }
  const given = ConfigProvider.layer(ConfigProvider.fromUnknown(settings))
  const services = Layer.merge(AuthenticationQueue.layer, SourceAddresses.layer).pipe(Layer.provideMerge(given))
  const requestWith = (cookie: string) =>
    HttpServerRequest.fromWeb(
      new Request(`${base}/console/session/refresh`, { method: "POST", headers: { cookie, origin: base } })
    )
  return {
    /** The cookie of a new session. */
    begin: Effect.map(SessionCookie.config("customer"), (_) => cookieIn(_.set(Redacted.make("a refresh token")))).pipe(
      Effect.provide(given)
    ),
    /** What the page is answered, and the cookie that comes with it. */
    renew: (cookie: string) =>
      Effect.gen(function* () {
        const { refresh } = yield* sessions("customer", logins, () => base)
        const answer = HttpServerResponse.toWeb(yield* refresh(requestWith(cookie)))
        const set = answer.headers.get("set-cookie")
        return { status: answer.status, cookie: set === null ? undefined : cookieIn({ "set-cookie": set }) }
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(services)))
  }
}

/** As the browser sends it. */
const cookieIn = (headers: Readonly<Record<string, string>>): string =>
  (headers["set-cookie"] ?? "").split(";")[0] ?? ""

it.effect("a session moves to the platform's new key with its next renewal, and survives the former one", () =>
  Effect.gen(function* () {
    const [former, next] = ["former-key-of-the-platform", "next-key-of-the-platform"]
    const before = yield* replica(former).begin
    // Sealed under the first key already: the browser keeps what it has.
    assert.deepStrictEqual(yield* replica(former).renew(before), { status: 200, cookie: undefined })
    // A replica that accepts the next key alone seals nothing anew.
    assert.deepStrictEqual(yield* replica(former, next).renew(before), { status: 200, cookie: undefined })

    const { cookie: after, status } = yield* replica(next, former).renew(before)
    assert.strictEqual(status, 200)
    assert.isDefined(after)
    assert.deepStrictEqual(yield* replica(next, former).renew(after ?? ""), { status: 200, cookie: undefined })
    // During the roll a replica of before meets it, too.
    const met = yield* replica(former, next).renew(after ?? "")
    assert.strictEqual(met.status, 200)

    assert.deepStrictEqual(yield* replica(next).renew(after ?? ""), { status: 200, cookie: undefined })
    const ended = yield* replica(next).renew(before)
    assert.deepStrictEqual(ended, { status: 401, cookie: "__Host-portico-customer=" })
  })
)
