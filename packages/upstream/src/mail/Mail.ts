import { Config, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { spelledOutOnOneLine } from "@portico/contract/spelledOut"
import { Trust } from "../Trust.ts"
import { NotMailed } from "./NotMailed.ts"
import { addressOf, type MailServer, readServer, Sender } from "./settings.ts"

/** A plain-text mail. All recipients see each other. */
export interface Letter {
  /**
   * The part before the `@` of its Message-ID. A repetition has the same id, so
   * that mailboxes recognise the duplicate.
   */
  readonly id: string
  /** Bare e-mail addresses by the contract's rule. */
  readonly to: ReadonlyArray<string>
  readonly subject: string
  readonly text: string
}

/** The recipients that the mail server accepted, at least one, and those that it refused permanently. */
export interface Mailed {
  readonly accepted: ReadonlyArray<string>
  readonly refused: ReadonlyArray<string>
  /** The recipients that it refused temporarily. */
  readonly deferred: ReadonlyArray<string>
}

export interface Post {
  /** Submits the letter to the mail server, once. */
  send(letter: Letter): Effect.Effect<Mailed, NotMailed>
}

/** The time limit of a submission. */
export const mailLimit = Duration.seconds(5)

/** The mail server. `post` is undefined in a cloud without one. */
export class Mail extends Context.Service<Mail, { readonly post: Post | undefined }>()("portico/upstream/mail/Mail") {
  /**
   * The server at `SMTP_URL` (`smtp://` or `smtps://`, with or without a user
   * and a password), with `MAIL_FROM` as the sender. With `smtp://` it upgrades
   * to TLS (STARTTLS) when the server offers it, and never sends a password
   * without TLS. It trusts the same certificates as every other upstream.
   */
  static readonly layer = Layer.effect(
    Mail,
    Effect.gen(function* () {
      const server = yield* Config.option(Config.Redacted("SMTP_URL").pipe(Config.mapEffect(readServer)))
      if (Option.isNone(server)) return Mail.of({ post: undefined })
      const from = yield* Config.schema(Sender, "MAIL_FROM")
      return Mail.of({ post: postOver(yield* transportTo(server.value, from, yield* Trust), from) })
    })
  )

  static readonly none = Layer.succeed(Mail, Mail.of({ post: undefined }))
}

const timeoutMillis = Duration.toMillis(mailLimit)

/** The name by which the gateway greets the mail server. */
const domainOf = (from: string): string => addressOf(from).split("@").at(-1) ?? "localhost"

/** Loads the library only where mail is sent. */
const transportTo = Effect.fnUntraced(function* (
  server: MailServer,
  from: string,
  ca: ReadonlyArray<string> | undefined
) {
  const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
  const { host, password, port, secure, user } = server
  return createTransport({
    host,
    port,
    secure,
    name: domainOf(from),
    requireTLS: !secure && user !== undefined,
    ...(user === undefined ? {} : { auth: { user, pass: password === undefined ? "" : Redacted.value(password) } }),
    ...(ca === undefined ? {} : { tls: { ca: [...ca] } }),
    connectionTimeout: timeoutMillis,
    greetingTimeout: timeoutMillis,
    dnsTimeout: timeoutMillis,
    socketTimeout: timeoutMillis,
    // A letter is plain text and references neither files nor URLs.
    disableFileAccess: true,
    disableUrlAccess: true
  })
})

/** Connects to the mail server of `SMTP_URL` and logs in, without a mail. False in a cloud without one. */
export const reach = Effect.gen(function* () {
  const server = yield* Config.option(Config.Redacted("SMTP_URL").pipe(Config.mapEffect(readServer)))
  if (Option.isNone(server)) return false
  const from = yield* Config.schema(Sender, "MAIL_FROM")
  const transport = yield* transportTo(server.value, from, yield* Trust)
  yield* Effect.tryPromise({ try: () => transport.verify(), catch: (error) => NotMailed.of(error) })
  return true
})

const postOver = (transport: Effect.Success<ReturnType<typeof transportTo>>, from: string): Post => {
  const domain = domainOf(from)
  return {
    send: Effect.fn("Mail.send")(function* ({ id, subject, text, to }: Letter) {
      const info = yield* Effect.tryPromise({
        try: () =>
          transport.sendMail({
            messageId: `<${id}@${domain}>`,
            from,
            to: [...to],
            envelope: { from: addressOf(from), to: [...to] },
            subject: spelledOutOnOneLine(subject),
            text,
            // Suppresses automatic replies (RFC 3834).
            headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" }
          }),
        catch: (error) => NotMailed.of(error)
      }).pipe(
        Effect.timeoutOrElse({
          duration: mailLimit,
          orElse: () => new NotMailed({ permanent: false, status: null, detail: "no answer in time" })
        })
      )
      const failures = (info.rejectedErrors ?? []).map((_) => ({ recipient: _.recipient, why: NotMailed.of(_) }))
      const deferred = failures.filter((_) => !_.why.permanent).map((_) => _.recipient)
      return {
        accepted: info.accepted,
        refused: info.rejected.filter((_) => !deferred.includes(_)),
        deferred: info.rejected.filter((_) => deferred.includes(_))
      } satisfies Mailed
    })
  }
}
