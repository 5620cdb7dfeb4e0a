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
    const child = execFile(file, [...args], { timeout: 20_000 }, (error, out, err) =>
      resume(Effect.succeed({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, out, err }))
    )
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
  })

export const hasOpenssl = Effect.map(execute("openssl", ["version"]), (_) => _.code === 0)

/**
 * Ends TLS under a certificate of its own making, and joins each connection to
 * one of a port of this machine.
 *
 * @param protocols what it offers by ALPN, the preferred one first
 * @returns the port on which it listens, and the file of the authority to trust
 */
export const terminator = Effect.fnUntraced(
  function* (directory: string, to: number, protocols: ReadonlyArray<string> = ["http/1.1"]) {
    const files = yield* FileSystem.FileSystem
    const [key, ca] = [`${directory}/key.pem`, `${directory}/ca.pem`]
    const pairing = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key]
    const names = ["-subj", "/CN=gateway", "-addext", "subjectAltName=IP:127.0.0.1"]
    const made = yield* execute("openssl", ["req", "-x509", "-days", "1", "-out", ca, ...pairing, ...names])
    if (made.code !== 0) return yield* Effect.die(made.err)
    const pair = { key: yield* files.readFileString(key), cert: yield* files.readFileString(ca) }
    const sockets = new Set<Socket>()
    const server = createServer({ ...pair, ALPNProtocols: [...protocols] }, (client) => {
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
    return { ca, port: (server.address() as AddressInfo).port }
  },
  Effect.provide(NodeFileSystem.layer),
  Effect.orDie
)
