import { request as requestOver, Agent } from "node:http"
import { connect } from "node:net"
import { headersOf } from "../proxy/stage.ts"
import { paths } from "../proxy/names.ts"

// Somebody who means no good, as a process of its own: `attack.ts <kind> <url> <count>`, until it is ended.

const [kind = "", url = "", count = "0"] = process.argv.slice(2)
const { hostname, port } = new URL(url)

/** A connection that asks and never reads the answer. */
const silent = (path: string, headers: Readonly<Record<string, string>>): void => {
  const socket = connect(Number(port), hostname, () => {
    const lines = Object.entries({ host: "bench", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`)
  })
  socket.pause().on("error", () => {})
}

/** Every token is one that was never seen. */
const flood = (perSecond: number): void => {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 })
  let sent = 0
  const begun = performance.now()
  setInterval(() => {
    const due = ((performance.now() - begun) / 1000) * perSecond
    while (sent < due) {
      const authorization = `Bearer dead-${process.pid}-${sent++}`
      requestOver({ agent, hostname, port, path: paths.show, headers: { authorization } }, (answer) => answer.resume())
        .on("error", () => {})
        .end()
    }
  }, 10)
}

const times = (act: (index: number) => void): void => {
  for (let index = 0; index < Number(count); index++) act(index)
}

if (kind === "flood") flood(Number(count))
if (kind === "docs") times(() => silent("/docs", {}))
if (kind === "large") times((index) => silent(paths.data(64 * 1024 * 1024), headersOf(100 + index)))

console.log("begun")
// Until it is ended: sockets that wait for nothing would not keep it.
setInterval(() => {}, 60_000)
