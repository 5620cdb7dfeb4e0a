import { Clock, Effect } from "effect"
import { lookup } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { connect, isIP, type Socket } from "node:net"
import { connect as connectTls, type DetailedPeerCertificate, rootCertificates, type TLSSocket } from "node:tls"
import { failed, type Finding, ok, skipped, warning } from "./Check.ts"

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, "")

const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port))

const messageOf = (error: unknown): string => {
  // A host with several addresses fails with one error for each.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(messageOf))].join("; ")
  return error instanceof Error ? error.message : String(error)
}

const isLoopback = (host: string): boolean => /^(localhost|127\.|::1$)/.test(host)

/** Whether the name has an address. */
export const resolves = (url: URL): Effect.Effect<Finding> => {
  const host = bare(url.hostname)
  if (isIP(host) !== 0) return Effect.succeed(ok(`${host} needs no resolution`))
  return Effect.tryPromise({ try: () => lookup(host, { all: true }), catch: messageOf }).pipe(
    Effect.match({
      onFailure: (_) => failed(`${host} has no address: ${_}`, "Check the address and this machine's name servers"),
      onSuccess: (found) => ok(`${host} is ${found.map((_) => _.address).join(", ")}`)
    })
  )
}

/** Waits for one of the two ends of a connection attempt, and closes the connection. */
const attempted = <S extends Socket>(
  open: () => S,
  ready: "connect" | "secureConnect",
  found: { readonly ready: (socket: S) => Finding; readonly failed: (message: string) => Finding }
): Effect.Effect<Finding> =>
  Effect.acquireUseRelease(
    Effect.sync(open),
    (socket) =>
      Effect.callback<Finding>((resume) => {
        socket.once(ready, () => resume(Effect.sync(() => found.ready(socket))))
        socket.once("error", (error) => resume(Effect.succeed(found.failed(messageOf(error)))))
      }),
    (socket) => Effect.sync(() => void socket.destroy())
  )

const unreachable =
  "Check the port, the firewall, and that the gateway runs; the operator plane listens on the administrative network alone"

/** Whether something listens there. */
export const connects = (url: URL): Effect.Effect<Finding> => {
  const [host, port] = [bare(url.hostname), portOf(url)]
  return attempted(() => connect({ host, port }), "connect", {
    ready: () => ok(`${host} port ${port} takes connections`),
    failed: (_) => failed(`${host} port ${port}: ${_}`, unreachable)
  })
}

const reasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is signed by itself",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another name",
  SELF_SIGNED_CERT_IN_CHAIN: "its authority is not known here",
  UNABLE_TO_GET_ISSUER_CERT: "an intermediate certificate is missing, or its authority is not known here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its authority is not known here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "an intermediate certificate is missing, or its authority is not known here"
}

const fixes: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "Renew the certificate at the gateway, and check this machine's clock",
  CERT_NOT_YET_VALID: "Check this machine's clock",
  ERR_TLS_CERT_ALTNAME_INVALID: "Use the name that the certificate has"
}

const nameOf = (name: DetailedPeerCertificate["subject"] | undefined): string => {
  const text = name?.CN ?? name?.O ?? ""
  return Array.isArray(text) ? text.join(", ") : text
}

/** The names from the gateway's own certificate up to its authority. */
const chainOf = (leaf: DetailedPeerCertificate): ReadonlyArray<string> => {
  const names: Array<string> = []
  const seen = new Set<string>()
  for (let at: DetailedPeerCertificate | undefined = leaf; at !== undefined && !seen.has(at.fingerprint256);) {
    seen.add(at.fingerprint256)
    names.push(nameOf(at.subject))
    at = at.issuerCertificate
  }
  return names
}

const day = 86_400_000

const judged = (socket: TLSSocket, now: number): Finding => {
  const leaf = socket.getPeerCertificate(true)
  const chain = chainOf(leaf).join(" < ")
  const ends = Date.parse(leaf.valid_to)
  const days = Math.floor((ends - now) / day)
  if (!socket.authorized) {
    const error: unknown = socket.authorizationError
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
    const fix = fixes[code] ?? "Trust the authority with NODE_EXTRA_CA_CERTS=<its PEM file>"
    return failed(`${reasons[code] ?? code} (${chain})`, fix)
  }
  const about = `${socket.getProtocol() ?? "TLS"}, ${chain}, valid until ${new Date(ends).toISOString().slice(0, 10)}`
  return days < 14 ? warning(`${about}: ${days} days are left`, "Renew the certificate at the gateway") : ok(about)
}

const authorities = (caFile: string | undefined) =>
  caFile === undefined
    ? Effect.undefined
    : Effect.tryPromise({ try: () => readFile(caFile, "utf8"), catch: messageOf }).pipe(
        Effect.map((_) => [...rootCertificates, _])
      )

/** Whether the certificate is one that this machine trusts, and how long it lasts. */
export const speaksTls = (url: URL, caFile: string | undefined): Effect.Effect<Finding> => {
  const [host, port] = [bare(url.hostname), portOf(url)]
  if (url.protocol !== "https:") {
    return Effect.succeed(
      isLoopback(host)
        ? skipped("The address is plain HTTP, on this machine")
        : warning("The address is plain HTTP: tokens cross the network in clear", "Use the gateway's https:// address")
    )
  }
  const shake = (ca: Array<string> | undefined, now: number) => {
    const names = isIP(host) === 0 ? { servername: host } : {}
    const trusted = ca === undefined ? {} : { ca }
    const open = () => connectTls({ host, port, ...names, ...trusted, rejectUnauthorized: false })
    return attempted(open, "secureConnect", {
      ready: (_) => judged(_, now),
      failed: (_) => failed(`No TLS connection: ${_}`, "Check that the port speaks TLS 1.2 or 1.3")
    })
  }
  return Effect.zipWith(authorities(caFile), Clock.currentTimeMillis, (ca, now) => [ca, now] as const).pipe(
    Effect.matchEffect({
      onFailure: (_) =>
        Effect.succeed(failed(`The profile's authorities cannot be read: ${_}`, `Check ${caFile ?? ""}`)),
      onSuccess: ([ca, now]) => shake(ca, now)
    })
  )
}
