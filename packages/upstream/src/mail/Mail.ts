import { Config, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { createTransport } from "nodemailer"
import { Trust } from "../Trust.ts"
import { NotMailed } from "./NotMailed.ts"
import { addressOf, type MailServer, readServer, Sender } from "./settings.ts"

/** A mail in plain text, all of whose recipients see each other. */
export interface Letter {
  /** The part before the `@` of its Message-ID: the same for a repetition, so that mailboxes know it again. */
  readonly id: string
  /** E-mail addresses by the contract's rule, and nothing else. */
  readonly to: ReadonlyArray<string>
  readonly subject: string
  readonly text: string
}

/** Whom the mail server has taken the letter for, at least one; and whom it never will. */
export interface Mailed {
  readonly accepted: ReadonlyArray<string>
  readonly refused: ReadonlyArray<string>
  /** Those for whom it may take it later. */
  readonly deferred: ReadonlyArray<string>
}

export interface Post {
  /** Hands the letter over to the mail server, once. */
  send(letter: Letter): Effect.Effect<Mailed, NotMailed>
}

/** Handing a letter over takes no longer, whatever the mail server does. */
export const mailLimit = Duration.seconds(5)

/** The mail server, which a cloud may lack: then there is no `post`. */
export class Mail extends Context.Service<Mail, { readonly post: Post | undefined }>()("portico/upstream/mail/Mail") {
  /**
   * The one at `SMTP_URL` (`smtp://` or `smtps://`, with a user and a password
   * or without), writing as `MAIL_FROM`. With `smtp://` it goes over to TLS
   * (STARTTLS) where the server offers it, and a password is never sent
   * without. Certificates are trusted as those of every other upstream.
   */
  static readonly layer = Layer.effect(
    Mail,
    Effect.gen(function* () {
      const server = yield* Config.option(Config.Redacted("SMTP_URL").pipe(Config.mapEffect(readServer)))
      if (Option.isNone(server)) return Mail.of({ post: undefined })
      const from = yield* Config.schema(Sender, "MAIL_FROM")
      return Mail.of({ post: postOver(server.value, from, yield* Trust) })
    })
  )

  static readonly none = Layer.succeed(Mail, Mail.of({ post: undefined }))
}

const patience = Duration.toMillis(mailLimit)

const postOver = (server: MailServer, from: string, ca: ReadonlyArray<string> | undefined): Post => {
  const domain = addressOf(from).split("@").at(-1) ?? "localhost"
  const { host, password, port, secure, user } = server
  const transport = createTransport({
    host,
    port,
    secure,
    name: domain,
    requireTLS: !secure && user !== undefined,
    ...(user === undefined ? {} : { auth: { user, pass: password === undefined ? "" : Redacted.value(password) } }),
    ...(ca === undefined ? {} : { tls: { ca: [...ca] } }),
    connectionTimeout: patience,
    greetingTimeout: patience,
    dnsTimeout: patience,
    socketTimeout: patience,
    // A letter is text, and names no files or addresses to fetch.
    disableFileAccess: true,
    disableUrlAccess: true
  })

  return {
    send: Effect.fn("Mail.send")(function* ({ id, subject, text, to }: Letter) {
      const info = yield* Effect.tryPromise({
        try: () =>
          transport.sendMail({
            messageId: `<${id}@${domain}>`,
            from,
            to: [...to],
            envelope: { from: addressOf(from), to: [...to] },
            subject: oneLine(subject),
            text,
            // RFC 3834: no out-of-office answers to it.
            headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" }
          }),
        catch: (error) => NotMailed.of(error)
      }).pipe(
        Effect.timeoutOrElse({
          duration: mailLimit,
          orElse: () => new NotMailed({ permanent: false, status: null, words: "no answer in time" })
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

/** What would begin another header, or another line of this one, is a space. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim()
