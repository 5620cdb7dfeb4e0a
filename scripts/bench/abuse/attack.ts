import { request as requestOver, Agent } from "node:http"
import { connect } from "node:net"
import { headersOf } from "../proxy/stage.ts"
import { paths } from "../proxy/names.ts"
import { firstAttacker, attackers } from "./attackers.ts"

// Those who mean no good, as a process of its own: `attack.ts <kind> <url> <count>`, until it is ended.

const [kind = "", url = "", count = "0"] = process.argv.slice(2)
const { hostname, port } = new URL(url)

/** Milliseconds after which what was refused is asked again. */
const pause = 3_000

/** A connection that asks and never reads the answer: until it has asked. */
const silent = (path: string, headers: Readonly<Record<string, string>>): Promise<void> =>
  new Promise((asked) => {
    const socket = connect(Number(port), hostname, () => {
      const lines = Object.entries({ host: "bench", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, () => asked())
    })
    socket.pause().on("error", () => asked())
  })

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

const seen = { open: 0, most: 0, refused: 0, whole: 0 }
const several = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** Opens a path and reads whatever comes, again and again. */
const reader = (path: string, tenant: number, answered: () => void): void => {
  const again = (after: number) => setTimeout(() => reader(path, tenant, () => {}), after)
  const asked = requestOver({ agent: several, hostname, port, path, headers: headersOf(tenant) }, (answer) => {
    answered()
    answer.resume()
    if (answer.statusCode !== 200) {
      seen.refused += 1
      return void again(pause)
    }
    seen.open += 1
    seen.most = Math.max(seen.most, seen.open)
    answer.once("close", () => {
      seen.open -= 1
      if (answer.complete) seen.whole += 1
      again(10)
    })
  })
  asked.on("error", () => answered()).end()
}

const indexes = Array.from({ length: Number(count) }, (_, index) => index)
const tenantOf = (index: number) => firstAttacker + (index % attackers)

/** Until each of them had its first answer. */
const readers = (path: (tenant: number) => string): Promise<unknown> =>
  Promise.all(
    indexes.map((index) => new Promise<void>((answered) => reader(path(tenantOf(index)), tenantOf(index), answered)))
  )

if (kind === "flood") flood(Number(count))
if (kind === "docs") await Promise.all(indexes.map(() => silent("/docs", {})))
if (kind === "large") {
  await Promise.all(indexes.map((index) => silent(paths.data(64 * 1024 * 1024), headersOf(tenantOf(index)))))
}
if (kind === "watches") await readers(paths.watch)
if (kind === "exports") await readers(() => "/v1/audit/export")
if (kind === "lists") await readers(() => paths.images)

console.log("begun")
// Also so that it goes on until it is ended: sockets that wait for nothing would not keep it.
setInterval(() => console.log(JSON.stringify(seen)), 250)
