import { Effect } from "effect"
import { createServer } from "node:http"
import { connect, type Socket } from "node:net"

/** An HTTP proxy that wants a password, and says which hosts it was asked for. Every name is this machine to it. */
export const loggingProxy = Effect.map(
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly asked: Array<string>; readonly close: () => void }>((resume) => {
      const asked: Array<string> = []
      const sockets = new Set<Socket>()
      const server = createServer((_, response) => response.writeHead(501).end())
      server.on("connect", (request, client: Socket, head: Buffer) => {
        asked.push(`${request.headers["proxy-authorization"]} ${request.url}`)
        const [, port] = /:(\d+)$/.exec(request.url ?? "") ?? []
        const onward = connect(Number(port), "127.0.0.1", () => {
          client.write("HTTP/1.1 200 Connection established\r\n\r\n")
          onward.write(head)
          client.pipe(onward).pipe(client)
        })
        for (const [one, other] of [
          [client, onward],
          [onward, client]
        ] as const) {
          sockets.add(one)
          one.on("error", () => other.destroy())
          one.once("close", () => other.destroy())
        }
      })
      server.listen(0, "127.0.0.1", () => {
        const close = () => {
          server.close()
          for (const socket of sockets) socket.destroy()
        }
        resume(Effect.succeed({ port: Number(Object(server.address()).port), asked, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ),
  ({ asked, port }) => ({ url: `http://us%65r:p%40ss@127.0.0.1:${port}`, address: `127.0.0.1:${port}`, asked })
)

/** What the proxy above hears from a program that was given its address. */
export const login = `Basic ${Buffer.from("user:p@ss").toString("base64")}`
