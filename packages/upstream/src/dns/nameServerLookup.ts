import { type LookupAddress, type LookupOptions, promises } from "node:dns"
import { isIP } from "node:net"

/** `lookup` of node:dns where it is asked for all addresses. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  found: (error: NodeJS.ErrnoException | null, addresses: Array<LookupAddress>) => void
) => void

/** Neither is a failure of a name server: there is no such name, or it has no address of the family. */
const absences: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"])

/**
 * Looks a name up at name servers, with the signature of `lookup` of node:dns. That one occupies a thread while a name
 * server is silent, of which the process has two, and every connection to a host name waits behind it: so it must not
 * be used for names of tenants, who can choose silent servers. Neither the hosts file nor search domains count here.
 *
 * @param servers the system's when absent
 * @param timeout of a query to one server, in milliseconds; the second try waits twice as long
 */
export const nameServerLookup =
  (servers?: ReadonlyArray<string>, timeout = 2_000): Lookup =>
  (hostname, { family }, found) => {
    const literal = isIP(hostname)
    if (literal !== 0) return process.nextTick(found, null, [{ address: hostname, family: literal }])
    // A new one for each lookup, so that no earlier response is cached, and the system's servers are the present ones.
    const resolver = new promises.Resolver({ timeout, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const asked = [
      ...(family === 6 || family === "IPv6" ? [] : [resolver.resolve4(hostname).then(as(4))]),
      ...(family === 4 || family === "IPv4" ? [] : [resolver.resolve6(hostname).then(as(6))])
    ]
    void Promise.allSettled(asked).then((answers) => {
      const addresses = answers.flatMap((_) => (_.status === "fulfilled" ? _.value : []))
      const errors = answers.flatMap((_): ReadonlyArray<Error & { code?: unknown }> =>
        _.status === "rejected" ? [_.reason] : []
      )
      if (addresses.length > 0) found(null, addresses)
      else found(errors.find((_) => !absences.has(_.code)) ?? errors[0] ?? new Error(`${hostname} has no address`), [])
    })
  }

const as = (family: 4 | 6) => (addresses: ReadonlyArray<string>) => addresses.map((address) => ({ address, family }))
