import { CustomerApi } from "@portico/contract/Api"
import type { Certificate } from "@portico/gateway/Certificate"
import { Connections } from "@portico/gateway/connections/Connections"
import { Listener } from "@portico/gateway/Listener"
import { requestsOf } from "@portico/gateway/observability/Requests"
import { Effect } from "effect"

const limits = { connections: 10, heldBytes: 1_000_000, stall: 30_000, idle: 60_000, head: 60_000, lastIdle: 60_000 }

/** A plane that listens, and has no handler yet. */
export const listening = Effect.fnUntraced(function* (head = limits.head, certificate?: Certificate) {
  const requests = yield* requestsOf("customer", CustomerApi)
  const options = { own: undefined, plane: "customer" } as const
  const server = new Listener(undefined, requests, options, new Connections({ ...limits, head }), certificate)
  yield* Effect.callback<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close().closeAllConnections()))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { server, url: `http://127.0.0.1:${port}` }
})
