import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { WebSocketServer } from "ws"
import type { Upgrade } from "./Wire.ts"

/** Whether a request can become a WebSocket. */
export const isWebSocket = ({ headers, method }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket"

/** Performs the handshake and passes the socket on. */
export const openWebSocket = (request: IncomingMessage, socket: Socket, head: Buffer, upgrade: Upgrade): void => {
  const { open, protocol } = upgrade
  const server = new WebSocketServer({ noServer: true, handleProtocols: () => (protocol === "" ? false : protocol) })
  server.handleUpgrade(request, socket, head, (webSocket) => {
    const session = open({
      send: (frame) => webSocket.send(frame),
      close: (code) => webSocket.close(code)
    })
    webSocket.on("message", (data) => {
      session.receive(Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data))
    })
    // A protocol error, or a client that disconnects, ends only its own connection.
    webSocket.on("error", () => webSocket.terminate())
  })
}
