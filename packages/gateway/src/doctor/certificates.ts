import { addressOf, authoritiesOf } from "@portico/store/address"
import { certificatesIn } from "@portico/upstream/certificates"
import { Trust } from "@portico/upstream/Trust"
import { Clock, Config, Effect, Option, Redacted } from "effect"
import { X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { connect as dial, isIP, type Socket } from "node:net"
import { connect } from "node:tls"
import { table } from "../settings/table.ts"
import { type Check, failed, type Finding, ok, skipped, warning } from "./Check.ts"

const day = 86_400_000

/** What issuers renew by themselves is renewed by then. */
const fewDays = 21

/** Files of certificates: the own ones of the planes, and those of authorities. */
const files = Object.keys(table).filter((_) => /_(?:TLS_CERT|CA)_FILE$/.test(_))

/** Settings with the address of a server that the gateway connects to. */
const addresses = Object.keys(table).filter((_) => /^(?!.*PUBLIC).*_URL$/.test(_) || _ === "DATABASE_ARCHIVE_ENDPOINT")

const settingOf = (name: string) =>
  Effect.orElseSucceed(Effect.map(Config.option(Config.NonEmptyString(name)), Option.getOrUndefined), () => undefined)

/** For one server. Its own check tells that it does not answer. */
const patience = "3 seconds"

interface Seen {
  /** What has it: `the certificate of CUSTOMER_TLS_CERT_FILE`. */
  readonly who: string
  readonly subject: string
  /** Milliseconds since the epoch. */
  readonly ends: number
  /** Why it is not trusted here. */
  readonly refused?: string
}

const subjectOf = (subject: string): string => /CN=([^\n]*)/.exec(subject)?.[1] ?? subject.replaceAll("\n", ", ")

const blocks = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g

const inFile = (setting: string, file: string) =>
  Effect.tryPromise(() => readFile(file, "utf8")).pipe(
    Effect.flatMap((text) =>
      Effect.try(() =>
        [...text.matchAll(blocks)].map(([pem]): Seen => {
          const { subject, validTo } = new X509Certificate(pem)
          return { who: `in the file of ${setting}`, subject: subjectOf(subject), ends: Date.parse(validTo) }
        })
      )
    ),
    // The check of the settings says what is wrong with the file.
    Effect.orElseSucceed(() => [])
  )

/** The certificate that a server shows; undefined when it shows none, which its own check tells. */
const shown = (host: string, port: number, ca: ReadonlyArray<string> | undefined, socket?: Socket) =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      connect({
        host,
        port,
        ...(socket === undefined ? {} : { socket }),
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(ca === undefined ? {} : { ca: [...ca] }),
        rejectUnauthorized: false
      })
    ),
    (socket) =>
      Effect.callback<Seen | undefined>((resume) => {
        socket.once("error", () => resume(Effect.undefined))
        socket.once("secureConnect", () => {
          const { subject, valid_to } = socket.getPeerCertificate()
          const { CN = subject?.O ?? host } = subject ?? {}
          const error: unknown = socket.authorizationError
          const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
          resume(
            Effect.succeed({
              who: `of ${host}:${port}`,
              subject: String(CN),
              ends: Date.parse(valid_to),
              ...(socket.authorized ? {} : { refused: code })
            })
          )
        })
      }),
    (socket) => Effect.sync(() => void socket.destroy())
  )

/** Asks a PostgreSQL for TLS on a new connection: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const asked = (host: string, port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => dial(port, host)),
    (_) => Effect.sync(() => void _.destroy())
  ).pipe(
    Effect.flatMap((socket) =>
      Effect.callback<Socket, string>((resume) => {
        socket.on("error", () => resume(Effect.fail("no answer")))
        socket.once("close", () => resume(Effect.fail("no answer")))
        socket.once("data", ([first]) => resume(first === yes ? Effect.succeed(socket) : Effect.fail("no TLS")))
        socket.write(sslRequest)
      })
    )
  )

const yes = "S".charCodeAt(0)

const sslRequest = Buffer.from("0000000804d2162f", "hex")

/** What PostgreSQL shows, where `DATABASE_URL` asks for TLS. */
const ofDatabase = Effect.gen(function* () {
  const text = (yield* settingOf("DATABASE_URL")) ?? ""
  const address = addressOf(text)
  // A Unix socket has no TLS.
  if (address?.isEncrypted !== true || address.host === "" || address.host.startsWith("/")) return undefined
  const ca = yield* authoritiesOf(Redacted.make(text))
  const { host, port } = address
  return yield* Effect.flatMap(asked(host, port), (_) => shown(host, port, ca === undefined ? ca : [ca], _))
}).pipe(
  Effect.scoped,
  Effect.orElseSucceed(() => undefined)
)

const secure: Readonly<Record<string, number>> = { "https:": 443, "rediss:": 6379, "smtps:": 465 }

/** The servers that are spoken to in TLS from the first byte on, once each. */
const servers = Effect.gen(function* () {
  const texts = yield* Effect.forEach(addresses, (name) => Effect.map(settingOf(name), (text) => [name, text] as const))
  const found = new Map<string, { readonly setting: string; readonly host: string; readonly port: number }>()
  for (const [setting, text] of texts) {
    const url = text === undefined ? null : URL.parse(text)
    const usual = secure[url?.protocol ?? ""]
    if (url === null || usual === undefined) continue
    const [host, port] = [url.hostname.replace(/^\[|\]$/g, ""), url.port === "" ? usual : Number(url.port)]
    found.set(`${host}:${port}`, { setting, host, port })
  }
  if ((yield* settingOf("KAFKA_TLS")) === "true") {
    for (const broker of ((yield* settingOf("KAFKA_BROKERS")) ?? "").split(",")) {
      const [host = "", port = "9092"] = broker.trim().split(":")
      found.set(broker.trim(), { setting: "KAFKA_BROKERS", host, port: Number(port) })
    }
  }
  return [...found.values()]
})

const judged = ({ ends, refused, subject, who }: Seen, now: number): Finding | undefined => {
  const about = `the certificate of '${subject}' ${who}`
  if (ends <= now) return failed(`${about} ended on ${dateOf(ends)}`, "Renew it; a renewed file is read by itself")
  if (refused !== undefined) {
    return failed(
      `${about} is not trusted here: ${refused}`,
      "Put its authority into UPSTREAM_CA_FILE, for Kubernetes into KUBERNETES_CA_FILE, for PostgreSQL into the file of sslrootcert"
    )
  }
  const days = Math.floor((ends - now) / day)
  return days < fewDays ? warning(`${about} ends on ${dateOf(ends)}: ${days} days are left`, "Renew it") : undefined
}

const dateOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** Whether certificates end soon: the gateway's own, those of authorities, and those that its systems show. */
export const certificates: Check<never> = {
  name: "certificates",
  run: Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const trusted = yield* Trust
    const own = yield* Effect.forEach(files, (setting) =>
      Effect.flatMap(settingOf(setting), (file) => (file === undefined ? Effect.succeed([]) : inFile(setting, file)))
    )
    const clusterCa = yield* settingOf("KUBERNETES_CA_FILE")
    const cluster =
      clusterCa === undefined
        ? trusted
        : yield* Effect.orElseSucceed(
            Effect.map(certificatesIn("KUBERNETES_CA_FILE")(clusterCa), (_) => [_]),
            () => trusted
          )
    const ofServers = (yield* servers).map(({ host, port, setting }) =>
      shown(host, port, setting === "KUBERNETES_URL" ? cluster : trusted)
    )
    // One that does not answer leaves what the others show.
    const theirs = yield* Effect.forEach([...ofServers, ofDatabase], (_) => Effect.timeoutOption(_, patience), {
      concurrency: "unbounded"
    })
    const all = [...own.flat(), ...theirs.flatMap((_) => Option.getOrUndefined(_) ?? [])]
    if (all.length === 0) return [skipped("nothing here speaks TLS")]
    const problems = all.flatMap((_) => judged(_, now) ?? [])
    const soonest = Math.min(...all.map((_) => _.ends))
    return problems.length > 0 ? problems : [ok(`${all.length} are valid, the first of them until ${dateOf(soonest)}`)]
  })
}
