import { NodeHttpClient } from "@effect/platform-node"
import { addressOf, contains } from "@portico/contract/Networks"
import { Config, Context, Duration, Effect, Layer, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Agent } from "undici"
import { literalOf, neverConnected } from "../addresses.ts"
import { guardedLookup, NameLookup } from "../guardedLookup.ts"
import { observed } from "../observed.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { readAddress } from "../webAddress.ts"

/** Where the keys of an issuer are, as an operator registered it. */
export interface KeyEndpoint {
  readonly issuer: string
  readonly discoveryUrl: string
  /** Pinned; null when the discovery document names it. */
  readonly jwksUri: string | null
  /** PEM; null when the system's authorities count. */
  readonly ca: string | null
}

/** Public keys as they came (RFC 7517); which of them is of use, the reader finds out. */
export const KeySet = Schema.Struct({
  keys: Schema.Array(
    Schema.StructWithRest(Schema.Struct({ kty: Schema.String }), [Schema.Record(Schema.String, Schema.Json)])
  ).check(Schema.isMaxLength(100))
})
export type KeySet = typeof KeySet.Type

const Discovery = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String })

/** For a document and for a key set, all that is waited for included. */
const timeLimit = Duration.seconds(5)

/** No key set comes near it. */
const bytes = 128 * 1024

/**
 * The key sets of clusters (OpenID Connect Discovery 1.0). What is asked is
 * what an operator registered, and never what a token says. A redirect is not
 * followed, every fetch has a connection of its own, and the keys that a
 * discovery document names must be where the document is.
 */
export class KeyEndpoints extends Context.Service<
  KeyEndpoints,
  {
    /** Without a status when nobody answered in time, or may not be connected to. */
    keySet(endpoint: KeyEndpoint): Effect.Effect<KeySet, UpstreamError>
    /** Why keys are never fetched from an address; undefined when they may be. */
    refusal(address: string): string | undefined
  }
>()("portico/upstream/oidc/KeyEndpoints") {
  static readonly layer = Layer.effect(
    KeyEndpoints,
    Effect.gen(function* () {
      const insecure = yield* Config.Boolean("WORKLOAD_IDENTITY_INSECURE").pipe(Config.withDefault(false))
      const plain = yield* HttpClient.HttpClient
      const lookup = guardedLookup(yield* NameLookup, isRefused)

      const refusal = (address: string): string | undefined => {
        const url = readAddress(address)
        if ("why" in url) return url.why
        if (insecure) return undefined
        if (url.protocol !== "https:") return "must begin with https://"
        const literal = literalOf(url)
        return literal !== undefined && isRefused(literal)
          ? "names this machine, its own link, or no single machine"
          : undefined
      }

      const clientFor = Effect.fnUntraced(function* (ca: string | null) {
        if (insecure && ca === null) return plain
        const connect = { ...(ca === null ? {} : { ca }), ...(insecure ? {} : { lookup }) }
        const agent = yield* Effect.acquireRelease(
          Effect.sync(() => new Agent({ connect, pipelining: 0 })),
          (agent) => Effect.promise(() => agent.destroy())
        )
        return yield* Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, agent)
      })

      const fetched = Effect.fnUntraced(
        function* <A, I>(call: string, address: string, ca: string | null, schema: Schema.Codec<A, I>) {
          const refused = refusal(address)
          if (refused !== undefined) return yield* failed(call, null, `${address} ${refused}`)
          const client = yield* clientFor(ca)
          const request = HttpClientRequest.get(address, {
            headers: { accept: "application/json, application/jwk-set+json" }
          })
          // It is not the platform's: it is told nothing of our traces.
          const { status, text } = yield* observed(
            { system: "issuer", name: call, method: request.method },
            Effect.fnUntraced(function* () {
              const { status, stream } = yield* Effect.mapError(client.execute(request), () =>
                failed(call, null, "no answer")
              )
              return { status, text: yield* textOf(call, stream) }
            })
          )
          if (status !== 200) return yield* failed(call, status, `answered ${status}`)
          return yield* Effect.mapError(Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text), () =>
            failed(call, 200, "answered with a body that is not understood")
          )
        },
        Effect.scoped,
        (effect, call) =>
          Effect.timeoutOrElse(effect, {
            duration: timeLimit,
            orElse: () => failed(call, null, `no answer within ${Duration.format(timeLimit)}`)
          })
      )

      /** Where the document says that the keys are, if that is where it may say so. */
      const discovered = Effect.fnUntraced(function* ({ ca, discoveryUrl, issuer }: KeyEndpoint) {
        const document = yield* fetched("discovery", discoveryUrl, ca, Discovery)
        if (document.issuer !== issuer) return yield* failed("discovery", 200, "the document is another issuer's")
        if (URL.parse(document.jwks_uri)?.origin !== new URL(discoveryUrl).origin) {
          return yield* failed("discovery", 200, "its jwks_uri is on another host: pin it with jwks_uri")
        }
        return document.jwks_uri
      })

      return KeyEndpoints.of({
        keySet: Effect.fn("KeyEndpoints.keySet")(function* (endpoint) {
          const address = endpoint.jwksUri ?? (yield* discovered(endpoint))
          return yield* fetched("keySet", address, endpoint.ca, KeySet)
        }),
        refusal
      })
    })
  )
}

/**
 * Whether an IP address is one where no cluster's keys are; what is no address
 * is. Private networks are no part of it, because that is where clusters are.
 */
export const isRefused = (text: string): boolean => {
  const address = addressOf(text)
  return address === undefined || contains(neverConnected, address)
}

const textOf = <E>(call: string, stream: Stream.Stream<Uint8Array, E>): Effect.Effect<string, UpstreamError> =>
  stream.pipe(
    Stream.mapError(() => failed(call, null, "the answer broke off")),
    Stream.runFoldEffect(
      () => Buffer.alloc(0),
      (whole, piece) =>
        whole.length + piece.length > bytes
          ? Effect.fail(failed(call, 200, `answered with more than ${bytes} bytes`))
          : Effect.succeed(Buffer.concat([whole, piece]))
    ),
    Effect.map((_) => _.toString("utf8"))
  )

const failed = (call: string, status: number | null, words: string): UpstreamError =>
  new UpstreamError({ upstream: "issuer", call, status, words })
