import { Effect, type Scope } from "effect"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import type { AddressInfo } from "node:net"

/** A mail as it came over the wire. */
export interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Whether the connection was under TLS. */
  readonly secure: boolean
  readonly user: string | undefined
  readonly raw: string
}

export interface MailServer {
  readonly port: number
  readonly received: ReadonlyArray<Received>
}

/** What a server says to a recipient or to a letter, such as `550 no such user`. */
export const reply = (code: number, words: string): Error => Object.assign(new Error(words), { responseCode: code })

/** A mail server on a free port of this machine, which takes every mail that the options do not refuse. */
export const mailServer = (options: SMTPServerOptions = {}): Effect.Effect<MailServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = new SMTPServer({
      logger: false,
      authOptional: true,
      disableReverseLookup: true,
      onAuth: (auth, _session, done) => done(null, { user: `${auth.username}:${auth.password}` }),
      onData: (stream, session, done) => {
        const chunks: Array<Buffer> = []
        stream.on("data", (_: Buffer) => chunks.push(_))
        stream.on("end", () => {
          const { mailFrom, rcptTo } = session.envelope
          received.push({
            from: mailFrom === false ? "" : mailFrom.address,
            to: rcptTo.map((_) => _.address),
            secure: session.secure,
            user: session.user,
            raw: Buffer.concat(chunks).toString("utf8")
          })
          done()
        })
      },
      ...options
    })
    // A client that does not like what it sees goes away in the middle.
    server.on("error", () => {})
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
    )
    const address: unknown = server.server.address()
    return { port: portOf(address), received }
  })

const portOf = (address: unknown): number => {
  const { port } = address as AddressInfo
  return port
}
