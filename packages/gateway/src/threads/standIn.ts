import { Effect } from "effect"
import { createServer, type Server } from "node:net"
import { networkInterfaces } from "node:os"
import type { Listener } from "../Listener.ts"
import { onAsked } from "./worker.ts"

/** Whether a host means every address of the machine. Only such a listener can be stood in for. */
export const isEveryAddress = (host: string): boolean => host === "0.0.0.0" || host === "::"

/**
 * Takes the new connections of other threads that are blocked, for as long as the process asks for it. The kernel gives
 * a connection to a socket that is bound to its address rather than to one that is bound to all of them
 * (`__inet_lookup_listener` of Linux), so a listener on each single address gets what would go to a blocked thread.
 *
 * The blocked thread's own socket has to stay: descriptors are the process's, and one that another thread closes may be
 * another file's when its owner uses it again.
 */
export const standIn = (listener: Listener, settings: { readonly port: number; readonly keepAliveDelay: number }) =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    let servers: ReadonlyArray<Server> = []
    const opened = (host: string): Server => {
      // As an HTTP server of Node accepts connections.
      const options = {
        allowHalfOpen: true,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: settings.keepAliveDelay
      }
      const server = createServer(options)
      server.on("error", (error) => void run(Effect.logWarning("a thread cannot stand in for another", error)))
      listener.adopt(server)
      return server.listen({ host, port: settings.port, reusePort: true })
    }
    onAsked((asked) => {
      if (asked.kind !== "standIn" || asked.on === servers.length > 0) return
      for (const server of servers) server.close()
      servers = asked.on ? addresses().map(opened) : []
    })
  })

/** The addresses of this machine; those of one link alone need the link too, and no client uses them. */
const addresses = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter((_) => !_.address.startsWith("fe80:")).map((_) => _.address)
  )
