import { assert, describe, it } from "@effect/vitest"
import { type Letter, Mail, type Post } from "@portico/upstream/mail/Mail"
import { Trust } from "@portico/upstream/Trust"
import { ConfigProvider, Effect, Exit, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mailServer, reply } from "./MailServer.ts"

const letter: Letter = {
  id: "0b5b8d1e-7a52-4d5a-9f6e-0a4a3f0b3c11",
  to: ["ops@acme.example"],
  subject: "Alarm hot is in alarm",
  text: "cpu is high\n"
}

const mailWith = (settings: Readonly<Record<string, string>>, ca?: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { post } = yield* Mail
    return post
  }).pipe(
    Effect.provide(
      Mail.layer.pipe(
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))),
        Layer.provide(Layer.succeed(Trust, ca))
      )
    )
  )

const from = "Cloud <noreply@cloud.example>"

const postAt = (url: string, ca?: ReadonlyArray<string>): Effect.Effect<Post> =>
  mailWith({ SMTP_URL: url, MAIL_FROM: from }, ca).pipe(
    Effect.orDie,
    Effect.flatMap((post) => (post === undefined ? Effect.die("there is none") : Effect.succeed(post)))
  )

/** The headers of a mail, unfolded, by their names in lower case. */
const headersOf = (raw: string): ReadonlyArray<readonly [string, string]> => {
  const [head = ""] = raw.split("\r\n\r\n")
  return head
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n")
    .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)] as const)
}
const headerOf = (raw: string, name: string): ReadonlyArray<string> =>
  headersOf(raw).flatMap(([key, value]) => (key === name ? [value] : []))

/** A key and a certificate of a server on this machine. */
const certificate = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "portico-mail-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
).pipe(
  Effect.map((directory) => {
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")]
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    const names = ["-subj", "/CN=mail", "-addext", "subjectAltName=IP:127.0.0.1"]
    execFileSync("openssl", ["req", "-x509", "-days", "1", ...curve, "-keyout", key, "-out", cert, ...names], {
      stdio: "ignore"
    })
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") }
  })
)

describe("a letter", () => {
  it.effect("arrives as it was written, under a Message-ID that a repetition has too", () =>
    Effect.gen(function* () {
      const server = yield* mailServer({ disabledCommands: ["STARTTLS"] })
      const post = yield* postAt(`smtp://127.0.0.1:${server.port}`)
      const to = ["ops@acme.example", "on-call@acme.example"]
      assert.deepStrictEqual(yield* post.send({ ...letter, to }), { accepted: to, refused: [], deferred: [] })
      yield* post.send({ ...letter, to })
      const [first, second] = server.received
      assert.deepInclude(first, { from: "noreply@cloud.example", to, secure: false, user: undefined })
      const raw = first?.raw ?? ""
      assert.deepStrictEqual(headerOf(raw, "message-id"), [`<${letter.id}@cloud.example>`])
      assert.deepStrictEqual(headerOf(raw, "from"), [from])
      assert.deepStrictEqual(headerOf(raw, "subject"), [letter.subject])
      assert.deepStrictEqual(headerOf(raw, "auto-submitted"), ["auto-generated"])
      assert.match(raw, /\r\n\r\ncpu is high\r\n/)
      assert.deepStrictEqual(headerOf(second?.raw ?? "", "message-id"), headerOf(raw, "message-id"))
    })
  )

  it.effect("has only the gateway's headers, even if its subject contains line breaks", () =>
    Effect.gen(function* () {
      const server = yield* mailServer({ disabledCommands: ["STARTTLS"] })
      const post = yield* postAt(`smtp://127.0.0.1:${server.port}`)
      const hostile = [
        "hot\r\nBcc: victim@elsewhere.example",
        "hot\nBcc: victim@elsewhere.example\n\nbuy this",
        "hot\rBcc: victim@elsewhere.example",
        "hot\u2028Bcc: victim@elsewhere.example",
        `heiß ${"x".repeat(300)}\r\nBcc: victim@elsewhere.example`
      ]
      yield* Effect.forEach(hostile, (subject) => post.send({ ...letter, subject }))
      yield* post.send(letter)
      const names = headersOf(server.received.at(-1)?.raw ?? "").map(([name]) => name)
      for (const { raw, to } of server.received) {
        assert.deepStrictEqual(to, letter.to)
        assert.deepStrictEqual(
          headersOf(raw).map(([name]) => name),
          names
        )
      }
    })
  )

  it.effect("reports refused and deferred recipients", () =>
    Effect.gen(function* () {
      const server = yield* mailServer({
        disabledCommands: ["STARTTLS"],
        onRcptTo: ({ address }, _session, done) => {
          if (address.startsWith("gone")) return done(reply(550, "no such user"))
          if (address.startsWith("later")) return done(reply(451, "greylisted"))
          done()
        }
      })
      const post = yield* postAt(`smtp://127.0.0.1:${server.port}`)
      const to = ["gone@acme.example", "ops@acme.example", "later@acme.example"]
      assert.deepStrictEqual(yield* post.send({ ...letter, to }), {
        accepted: ["ops@acme.example"],
        refused: ["gone@acme.example"],
        deferred: ["later@acme.example"]
      })
    })
  )

  const refusals = [
    { reply: reply(550, "no such user"), permanent: true },
    { reply: reply(451, "greylisted"), permanent: false }
  ]
  for (const { permanent, reply: said } of refusals) {
    it.effect(`refused with ${said.message} is ${permanent ? "a permanent failure" : "a transient failure"}`, () =>
      Effect.gen(function* () {
        const options = { disabledCommands: ["STARTTLS"] }
        const unknown = yield* mailServer({ ...options, onRcptTo: (_, _session, done) => done(said) })
        const disliked = yield* mailServer({
          ...options,
          onData: (stream, _session, done) => {
            stream.on("end", () => done(said))
            stream.resume()
          }
        })
        for (const { port } of [unknown, disliked]) {
          const failure = yield* Effect.flip((yield* postAt(`smtp://127.0.0.1:${port}`)).send(letter))
          assert.deepInclude(failure, { permanent })
          assert.include(failure.detail, said.message)
          assert.notInclude(failure.summary, said.message)
        }
      })
    )
  }

  it.effect("fails transiently when the server is unreachable or refuses the gateway", () =>
    Effect.gen(function* () {
      const nobody = yield* Effect.callback<number>((resume) => {
        const server = createServer().listen(0, "127.0.0.1", () => {
          const address = server.address()
          server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
        })
      })
      const absent = yield* Effect.flip((yield* postAt(`smtp://127.0.0.1:${nobody}`)).send(letter))
      assert.deepInclude(absent, { permanent: false, status: null })
      const server = yield* mailServer({
        disabledCommands: ["STARTTLS"],
        onConnect: (_session, done) => done(reply(554, "your address is listed"))
      })
      const refused = yield* Effect.flip((yield* postAt(`smtp://127.0.0.1:${server.port}`)).send(letter))
      assert.deepInclude(refused, { permanent: false })
      const sender = yield* mailServer({
        disabledCommands: ["STARTTLS"],
        onMailFrom: (_, _session, done) => done(reply(550, "sender unknown"))
      })
      const disowned = yield* Effect.flip((yield* postAt(`smtp://127.0.0.1:${sender.port}`)).send(letter))
      assert.deepInclude(disowned, { permanent: false, status: 550 })
    })
  )

  it.effect("fails transiently when one recipient is only deferred", () =>
    Effect.gen(function* () {
      for (const order of [
        ["gone@acme.example", "later@acme.example"],
        ["later@acme.example", "gone@acme.example"]
      ]) {
        const server = yield* mailServer({
          disabledCommands: ["STARTTLS"],
          onRcptTo: ({ address }, _session, done) =>
            done(address.startsWith("gone") ? reply(550, "no such user") : reply(451, "greylisted"))
        })
        const failure = yield* Effect.flip(
          (yield* postAt(`smtp://127.0.0.1:${server.port}`)).send({ ...letter, to: order })
        )
        assert.deepInclude(failure, { permanent: false })
      }
    })
  )
})

describe("a mail server", () => {
  it.effect("with TLS gets mail over TLS alone, with a trusted certificate", () =>
    Effect.gen(function* () {
      const { cert, key } = yield* certificate
      const server = yield* mailServer({ key, cert })
      const url = `smtp://gateway:pass%20word@127.0.0.1:${server.port}`
      yield* (yield* postAt(url, [cert])).send(letter)
      assert.deepStrictEqual(
        server.received.map(({ secure, user }) => ({ secure, user })),
        [{ secure: true, user: "gateway:pass word" }]
      )
      const stranger = yield* Effect.flip((yield* postAt(url)).send(letter))
      assert.deepInclude(stranger, { permanent: false })
      assert.lengthOf(server.received, 1)
    })
  )

  it.effect("at smtps:// is called over TLS from the first byte", () =>
    Effect.gen(function* () {
      const { cert, key } = yield* certificate
      const server = yield* mailServer({ key, cert, secure: true })
      yield* (yield* postAt(`smtps://127.0.0.1:${server.port}`, [cert])).send(letter)
      assert.deepInclude(server.received[0], { secure: true, to: letter.to })
    })
  )

  it.effect("without TLS is not sent the password", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const server = yield* mailServer({
        disabledCommands: ["STARTTLS"],
        allowInsecureAuth: true,
        onAuth: ({ password, username }, _session, done) => {
          seen.push(password)
          done(null, { user: username })
        }
      })
      const failure = yield* Effect.flip((yield* postAt(`smtp://gateway:secret@127.0.0.1:${server.port}`)).send(letter))
      assert.deepInclude(failure, { permanent: false })
      assert.deepStrictEqual(seen, [])
      assert.lengthOf(server.received, 0)
    })
  )
})

describe("the settings", () => {
  it.effect("without SMTP_URL mail is off, and MAIL_FROM is optional", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* mailWith({}))
    })
  )

  const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
    ["an address of another kind", { SMTP_URL: "http://mail.example", MAIL_FROM: from }],
    ["no address", { SMTP_URL: "mail.example", MAIL_FROM: from }],
    ["options in it", { SMTP_URL: "smtp://mail.example?requireTLS=false", MAIL_FROM: from }],
    ["a password that cannot be read", { SMTP_URL: "smtp://a:hidden%zz@mail.example", MAIL_FROM: from }],
    ["no sender", { SMTP_URL: "smtp://mail.example" }],
    ["a malformed sender", { SMTP_URL: "smtp://mail.example", MAIL_FROM: "Cloud" }],
    ["two senders", { SMTP_URL: "smtp://mail.example", MAIL_FROM: "a@cloud.example, b@cloud.example" }],
    ["a sender of two lines", { SMTP_URL: "smtp://mail.example", MAIL_FROM: "a\nBcc: b <a@cloud.example>" }]
  ]
  for (const [what, settings] of wrong) {
    it.effect(`with ${what} the gateway does not start, and logs no password`, () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(mailWith(settings))
        assert.isTrue(Exit.isFailure(exit))
        assert.notInclude(String(Exit.isFailure(exit) ? exit.cause : ""), "hidden")
      })
    )
  }
})
