import { type Answer as Resource, decode, encode, type Packet } from "dns-packet"
import { Result } from "effect"
import type { World } from "../World.ts"
import { resolve } from "./resolve.ts"
import type { RecordSet } from "./state.ts"

/** The UDP limit of a client without EDNS, RFC 1035, section 4.2.1. */
const smallest = 512

const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4 } as const
type Rcode = keyof typeof rcodes

/** Response, recursion available; the low bits are the RCODE. */
const flags = (query: Packet, rcode: Rcode): number => 0x80_80 | ((query.flags ?? 0) & 0x01_00) | rcodes[rcode]

const respond = (query: Packet, rcode: Rcode, answers: Array<Resource> = []): Buffer =>
  encode({
    type: "response",
    id: query.id ?? 0,
    flags: flags(query, rcode),
    questions: query.questions ?? [],
    answers
  })

const read = (message: Uint8Array): Packet | undefined =>
  Result.getOrUndefined(Result.try(() => decode(Buffer.from(message))))

/** The response to a query, of any length; undefined when the message is not a query. */
export const answerPacket = (world: World, message: Uint8Array, now: number): Buffer | undefined => {
  const query = read(message)
  if (query === undefined || query.type !== "query") return undefined
  const [question, ...more] = query.questions ?? []
  if (question === undefined || more.length > 0) return respond(query, "FORMERR")
  const { rcode, sets } = resolve(world, question.name, question.type, now)
  return respond(query, rcode, sets.flatMap(resourcesOf))
}

/** A SERVFAIL response. */
export const failurePacket = (message: Uint8Array): Buffer | undefined => {
  const query = read(message)
  return query === undefined ? undefined : respond(query, "SERVFAIL")
}

/** The response for one UDP datagram of this client: complete, or only the header with the TC bit. */
export const truncated = (message: Uint8Array, response: Uint8Array): Uint8Array => {
  const query = read(message)
  const options = query?.additionals?.find((_) => _.type === "OPT")
  const limit = options?.type === "OPT" ? Math.max(smallest, options.udpPayloadSize) : smallest
  if (query === undefined || response.length <= limit) return response
  return encode({
    type: "response",
    id: query.id ?? 0,
    flags: flags(query, "NOERROR") | 0x02_00,
    questions: query.questions ?? []
  })
}

/** The types that a response can carry; the others are treated as absent. */
const resourcesOf = ({ data, name, ttl, type }: RecordSet): Array<Resource> =>
  data.flatMap((text): Array<Resource> => {
    const words = text.split(/\s+/)
    const [first = "", second = ""] = words
    // Names in messages have no trailing dot.
    const host = (word: string) => word.replace(/\.$/, "")
    const owner = { name: host(name), ttl, class: "IN" } as const
    switch (type) {
      case "A":
      case "AAAA":
        return [{ ...owner, type, data: text }]
      case "CNAME":
      case "NS":
        return [{ ...owner, type, data: host(text) }]
      case "MX":
        return [{ ...owner, type, data: { preference: Number(first), exchange: host(second) } }]
      case "TXT":
        return [{ ...owner, type, data: stringsOf(text) }]
      case "SOA":
        return [{ ...owner, type, data: soaOf(words) }]
      default:
        return []
    }
  })

const soaOf = ([mname = "", rname = "", ...numbers]: ReadonlyArray<string>) => {
  const [serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0] = numbers.map(Number)
  return { mname: mname.replace(/\.$/, ""), rname: rname.replace(/\.$/, ""), serial, refresh, retry, expire, minimum }
}

/** The strings of a TXT record in zone file syntax: quoted ones with `\"`, `\\` and `\065`, or one without quotes. */
const stringsOf = (text: string): Array<Buffer> =>
  (text.match(/"(?:[^"\\]|\\.)*"|(?:[^\s"\\]|\\.)+/gs) ?? []).map((part) => {
    const inner = part.startsWith('"') ? part.slice(1, -1) : part
    const pieces = inner.match(/\\\d{3}|\\.|[^\\]+/gs) ?? []
    return Buffer.concat(
      pieces.map((piece) => {
        const [, code] = /^\\(\d{3})$/.exec(piece) ?? []
        return code === undefined ? Buffer.from(piece.replace(/^\\/, "")) : Buffer.from([Number(code)])
      })
    )
  })
