import { Config, Context, Effect, Layer, Schedule, Schema } from "effect"
import { Resolver as Channel } from "node:dns"
import { isIP } from "node:net"
import { observedQuestion } from "../observed.ts"
import { inTime } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"

/** One query without a retry. `[]` when the name does not exist or has no record of the type. */
export type Lookup = (name: string, type: "TXT" | "NS") => Effect.Effect<ReadonlyArray<string>, UpstreamError>

/**
 * Lookups in the public DNS. An absent record is an empty result. A name server
 * that is silent, refuses or fails is an UpstreamError and never an absence.
 */
export class Resolver extends Context.Service<
  Resolver,
  {
    /** The TXT records of the name, each with its strings joined. */
    txt(name: string): Effect.Effect<ReadonlyArray<string>, UpstreamError>
    /** The name servers of a zone: absolute, in lower case, in alphabetical order. */
    ns(name: string): Effect.Effect<ReadonlyArray<string>, UpstreamError>
  }
>()("portico/upstream/dns/Resolver") {
  /** Every lookup has a time limit, and one retry after a transient failure. */
  static readonly over = (lookup: Lookup) => {
    const query = (name: string, type: "TXT" | "NS") =>
      observedQuestion({ system: "resolver", name: type }, lookup(name, type)).pipe(
        inTime("dns", type.toLowerCase()),
        Effect.retry({ times: 1, schedule: Schedule.exponential("100 millis"), while: (error) => error.transient })
      )
    return Resolver.of({
      txt: Effect.fn("Resolver.txt")((name: string) => query(name, "TXT")),
      ns: Effect.fn("Resolver.ns")((name: string) =>
        Effect.map(query(name, "NS"), (found) => [...new Set(found.map(hostName))].toSorted())
      )
    })
  }

  /** Uses the servers of `DNS_RESOLVERS`, or else the system's. */
  static readonly layer = Layer.effect(
    Resolver,
    Effect.gen(function* () {
      const servers = yield* Config.schema(Servers, "DNS_RESOLVERS").pipe(Config.withDefault(""))
      return Resolver.over(lookupAt(split(servers)))
    })
  )
}

const split = (text: string): ReadonlyArray<string> => (text.trim() === "" ? [] : text.split(",").map((_) => _.trim()))

/** `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
const isServer = (text: string): boolean => {
  if (isIP(text) !== 0) return true
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const known = six === undefined ? isIP(four ?? "") === 4 : isIP(six) === 6
  return known && (port === undefined || (Number(port) > 0 && Number(port) <= 65535))
}

export const Servers = Schema.String.check(
  Schema.makeFilter((text: string) => split(text).every(isServer), {
    expected: "IP addresses of name servers, each with a port or without, separated by commas"
  })
)

const unresolved = (type: string, detail: string): UpstreamError =>
  new UpstreamError({ upstream: "dns", call: type.toLowerCase(), status: null, detail })

const hostName = (name: string): string => `${name.replace(/\.$/, "")}.`.toLowerCase()

/** The name does not exist, it has no record of the type, or it is no valid name. */
const absences: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"])

/** Node decodes every byte as one character. */
const textOf = (strings: ReadonlyArray<string>): string => Buffer.from(strings.join(""), "latin1").toString("utf8")

/** A new channel for each query, so that no earlier response is cached. */
const lookupAt =
  (servers: ReadonlyArray<string>): Lookup =>
  (name, type) =>
    Effect.callback((resume) => {
      const channel = new Channel({ timeout: 2_000, tries: 2 })
      if (servers.length > 0) channel.setServers(servers)
      const answered = (error: NodeJS.ErrnoException | null, found: ReadonlyArray<string>) => {
        if (error === null) return resume(Effect.succeed(found))
        resume(
          absences.has(error.code ?? "")
            ? Effect.succeed([])
            : Effect.fail(unresolved(type, `the name servers failed to answer for '${name}': ${error.code}`))
        )
      }
      if (type === "NS") channel.resolveNs(name, answered)
      else channel.resolveTxt(name, (error, records) => answered(error, error === null ? records.map(textOf) : []))
      return Effect.sync(() => channel.cancel())
    })
