import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { queryOf } from "@portico/simulator/dns/udp"
import { type Lookup, Resolver } from "@portico/upstream/dns/Resolver"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { decode, encode, type Packet } from "dns-packet"
import { Effect, Layer } from "effect"

const failed = (type: string, words: string) =>
  new UpstreamError({ upstream: "dns", call: type.toLowerCase(), status: null, detail: words })

/** The resolver of the simulated internet without sockets: the same messages, which are logged and can go wrong. */
export const layer = Layer.effect(
  Resolver,
  Effect.map(SimulatedCloud, (cloud) => {
    const lookup: Lookup = Effect.fnUntraced(function* (name, type) {
      const query = encode({
        type: "query",
        id: 1,
        flags: 0x01_00,
        questions: [{ type, name: name.replace(/\.$/, "") }]
      })
      const outcome = yield* cloud.answer(queryOf(query))
      if (outcome === "reset" || outcome.status !== 200) return yield* failed(type, "no answer")
      const response = yield* Effect.mapError(
        Effect.try(() => decode(Buffer.from(outcome.body))),
        () => failed(type, "an answer that is not understood")
      )
      if (rcodeOf(response) === nameError) return []
      if (rcodeOf(response) !== 0) return yield* failed(type, "the name servers failed to answer")
      return (response.answers ?? []).flatMap((_) => {
        if (_.type !== type) return []
        if (_.type === "NS") return [_.data]
        return _.type === "TXT" ? [Buffer.concat(textsOf(_.data)).toString("utf8")] : []
      })
    })
    return Resolver.over(lookup)
  })
)

const rcodeOf = ({ flags }: Packet): number => (flags ?? 0) & 0x0f
const nameError = 3

const textsOf = (data: unknown): ReadonlyArray<Uint8Array> =>
  (Array.isArray(data) ? data : [data]).flatMap((_) =>
    _ instanceof Uint8Array ? [_] : typeof _ === "string" ? [Buffer.from(_)] : []
  )
