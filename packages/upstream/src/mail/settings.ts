import { isEmailAddress } from "@portico/contract/EmailAddress"
import { Config, ConfigProvider, Effect, Redacted, Schema } from "effect"

/** The mail server for submissions. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte on. */
  readonly secure: boolean
  readonly user: string | undefined
  readonly password: Redacted.Redacted | undefined
}

const ports: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 }

/** The message omits the value, because it may contain a password. */
const wrongServer = new Config.ConfigError(
  new ConfigProvider.SourceError({
    message: "SMTP_URL must be smtp://host:port or smtps://host:port, with user:password@ before the host or without"
  })
)

const badEscape = /%(?![0-9a-f]{2})/i

/** `smtp://user:password@mail.cloud.example:587` */
export const readServer = (text: Redacted.Redacted): Effect.Effect<MailServer, Config.ConfigError> => {
  const url = URL.parse(Redacted.value(text))
  const port = url === null ? undefined : ports[url.protocol]
  if (url === null || port === undefined || url.hostname === "") return Effect.fail(wrongServer)
  const more = `${url.pathname}${url.search}${url.hash}`
  if ((more !== "" && more !== "/") || badEscape.test(`${url.username}${url.password}`)) {
    return Effect.fail(wrongServer)
  }
  return Effect.succeed({
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? port : Number(url.port),
    secure: url.protocol === "smtps:",
    user: url.username === "" ? undefined : decodeURIComponent(url.username),
    password: url.password === "" ? undefined : Redacted.make(decodeURIComponent(url.password))
  })
}

/** The address in `Cloud <noreply@cloud.example>`, or the whole text. */
export const addressOf = (from: string): string => /<([^<>]*)>$/.exec(from)?.[1] ?? from

const named = /^[^<>@,;:"\\\p{Cc}]*<[^<>]+>$/u

/** The sender of mails: an address, or a name and an address. */
export const Sender = Schema.String.check(
  Schema.makeFilter((text: string) => (named.test(text) || !text.includes("<")) && isEmailAddress(addressOf(text)), {
    expected: "an e-mail address, or a name and an address: Cloud <noreply@cloud.example>"
  })
)
