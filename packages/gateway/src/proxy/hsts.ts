import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"

/** A year (RFC 6797). The gateway does not know what else is served below its host's name, so subdomains are left out. */
const hsts = ["Strict-Transport-Security", "max-age=31536000"] as const

const none: ReadonlyArray<string> = []

/**
 * A browser applies the header to every port of a host. On a developer's machine it would reach programs of his that
 * speak plain HTTP.
 */
const localhost = /^(?:.+\.)?localhost(?::\d*)?$/i

/**
 * The header by which browsers speak only TLS with this host from now on: name and value, for an answer on a connection
 * whose TLS the gateway ends itself. Empty for every other connection.
 */
export const hstsOf = (socket: Duplex, host: string | undefined): ReadonlyArray<string> =>
  socket instanceof TLSSocket && !localhost.test(host ?? "") ? hsts : none
