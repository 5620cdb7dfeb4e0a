import { createServer } from "node:net"
import { parentPort } from "node:worker_threads"

const refusal = '{"message": "too much"}'
const head = "HTTP/1.1 413 Content Too Large\r\nContent-Type: application/json\r\n"
const whole = `Content-Length: ${refusal.length}\r\n`

/** By the id of the image whose data is sent. */
const answers: Readonly<Record<string, string>> = {
  "with-a-length": `${head}${whole}Connection: close\r\n\r\n${refusal}`,
  "without-notice": `${head}${whole}\r\n${refusal}`,
  "in-chunks": `${head}Transfer-Encoding: chunked\r\n\r\n${refusal.length.toString(16)}\r\n${refusal}\r\n0\r\n\r\n`,
  half: `${head}Content-Length: 1000\r\nConnection: close\r\n\r\n${refusal}`,
  endless: `${head}Connection: close\r\n\r\n${refusal}`,
  nothing: ""
}

const server = createServer((socket) => {
  socket.on("error", () => {})
  socket.once("data", (bytes: Buffer) => {
    socket.pause()
    const [, name = ""] = /images\/([a-z-]+)\/file HTTP/.exec(bytes.toString("latin1")) ?? []
    // What is left unread makes the kernel reset the connection.
    socket.write(answers[name] ?? "", () => socket.destroy())
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  parentPort?.postMessage(typeof address === "object" ? address?.port : undefined, [])
})
