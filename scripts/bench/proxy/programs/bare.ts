import { createServer } from "node:http"
import { type Dispatcher, Pool } from "undici"
import { atOrigin } from "../names.ts"
import { announced } from "./announce.ts"

// The shortest fast reverse proxy on Node: node:http in front, undici's dispatch behind, raw headers, back-pressure, nothing else.

const pool = new Pool(process.argv[2] ?? "", { connections: 128, keepAliveTimeout: 60_000 })

const hopByHop = new Set(["connection", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"])

const endToEnd = (raw: ReadonlyArray<string | Buffer>): Array<string> => {
  const kept: Array<string> = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = String(raw[i])
    if (!hopByHop.has(name.toLowerCase())) kept.push(name, String(raw[i + 1]))
  }
  return kept
}

const isRaw = (headers: unknown): headers is ReadonlyArray<Buffer> => Array.isArray(headers)

const server = createServer((from, to) => {
  const { headers, method = "GET", rawHeaders, url = "/" } = from
  const body = "content-length" in headers || "transfer-encoding" in headers ? from : null
  const options = { path: atOrigin(url), method: method as Dispatcher.HttpMethod, headers: endToEnd(rawHeaders), body }
  pool.dispatch(options, {
    onRequestStart: (call) => {
      to.on("drain", () => call.resume())
      to.on("close", () => to.writableFinished || call.abort(new Error("the client went")))
    },
    onResponseStart: ({ rawHeaders }, status) =>
      void to.writeHead(status, isRaw(rawHeaders) ? endToEnd(rawHeaders) : []),
    onResponseData: (call, chunk) => void (to.write(chunk) || call.pause()),
    onResponseEnd: () => void to.end(),
    onResponseError: () => void (to.headersSent ? to.destroy() : to.writeHead(502).end())
  })
})
server.requestTimeout = 0
announced(server)
