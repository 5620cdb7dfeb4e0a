import autocannon from "autocannon"
import { readFileSync } from "node:fs"

// Does what wrk does with wrk.lua, where wrk is not installed: the same arguments in one JSON object, the same line at the end.

const { bodyFile, connections, headers, method, seconds, tokensFile, url } = JSON.parse(process.argv[2] ?? "")
const tokens = tokensFile === undefined ? undefined : readFileSync(tokensFile, "utf8").trim().split("\n")

const result = await autocannon({
  url,
  method,
  headers,
  connections,
  duration: seconds,
  ...(bodyFile === undefined ? {} : { body: readFileSync(bodyFile) }),
  ...(tokens === undefined
    ? {}
    : { requests: tokens.map((token) => ({ headers: { ...headers, authorization: `Bearer ${token}` } })) })
})
console.log(
  JSON.stringify({
    requests: result["2xx"],
    seconds: result.duration,
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
    failed: result.non2xx + result.errors + result.timeouts
  })
)
