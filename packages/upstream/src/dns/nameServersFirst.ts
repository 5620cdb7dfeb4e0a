import { TIMEOUT } from "node:dns"
import type { Lookup } from "./nameServerLookup.ts"

/**
 * Looks a name up at name servers, and in the operating system where those do not know it: that one also knows the hosts
 * file and search domains. It occupies a thread while a name server is silent, of which the process has two, so it is
 * asked for one name at a time, and never for a name whose name servers were silent just before.
 */
export const nameServersFirst = (nameServers: Lookup, system: Lookup): Lookup => {
  let free = Promise.resolve()
  return (hostname, options, found) =>
    nameServers(hostname, options, (error, addresses) => {
      if (error === null || error.code === TIMEOUT) return found(error, addresses)
      free = free.then(
        () =>
          new Promise((resolve) => {
            system(hostname, options, (error, addresses) => {
              resolve()
              found(error, addresses)
            })
          })
      )
    })
}
