import { NodeFileSystem } from "@effect/platform-node"
import { Effect, FileSystem } from "effect"
import { execFile } from "node:child_process"
import { type AddressInfo, connect, type Socket } from "node:net"
import { createServer } from "node:tls"

/** What a run of the program came to. */
export interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

export const execute = (file: string, args: ReadonlyArray<string>, input = ""): Effect.Effect<Run> =>
  Effect.callback((resume) => {
    const child = execFile(file, [...args], { timeout: 600_000 }, (error, out, err) =>
      resume(Effect.succeed({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, out, err }))
    )
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
  })

export const hasOpenssl = Effect.map(execute("openssl", ["version"]), (_) => _.code === 0)

/** A certificate and its key, as files. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Makes a certificate for this machine that is its own authority: by openssl, trusted by the test alone. */
export const certificateAt = Effect.fnUntraced(function* (files: Certificate, ...others: ReadonlyArray<string>) {
  const pairing = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", files.key]
  const names = ["IP:127.0.0.1", "DNS:localhost", ...others].join(",")
  const subject = ["-subj", "/CN=localhost", "-addext", `subjectAltName=${names}`]
  const made = yield* execute("openssl", ["req", "-x509", "-days", "1", "-out", files.cert, ...pairing, ...subject])
  return made.code === 0 ? files : yield* Effect.die(made.err)
})

/** The same as `cert.pem` and `key.pem`. */
export const certificateIn = (at: (name: string) => string, ...others: ReadonlyArray<string>) =>
  certificateAt({ cert: at("cert.pem"), key: at("key.pem") }, ...others)

/**
 * Ends TLS under a certificate of its own making, and joins each connection to
 * one of a port of this machine.
 *
 * @param protocols what it offers by ALPN, the preferred one first
 * @returns the port on which it listens, the file of the authority to trust, and `present`, which gives new connections
 * another certificate
 */
export const terminator = Effect.fnUntraced(
  function* (directory: string, to: number, protocols: ReadonlyArray<string> = ["http/1.1"]) {
    const { readFileString } = yield* FileSystem.FileSystem
    const pairOf = ({ cert, key }: Certificate) =>
      Effect.all({ cert: readFileString(cert), key: readFileString(key) }).pipe(Effect.orDie)
    const own = yield* certificateIn((name) => `${directory}/${name}`)
    const sockets = new Set<Socket>()
    const server = createServer({ ...(yield* pairOf(own)), ALPNProtocols: [...protocols] }, (client) => {
      const onward = connect(to, "127.0.0.1")
      sockets.add(client)
      client.once("close", () => sockets.delete(client))
      client.pipe(onward).pipe(client)
      for (const [one, other] of [
        [client, onward],
        [onward, client]
      ] as const) {
        one.on("error", () => other.destroy())
        one.once("close", () => other.destroy())
      }
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        })
    )
    return {
      ca: own.cert,
      port: (server.address() as AddressInfo).port,
      present: (other: Certificate) => Effect.map(pairOf(other), (pair) => server.setSecureContext(pair))
    }
  },
  Effect.provide(NodeFileSystem.layer),
  Effect.orDie
)
