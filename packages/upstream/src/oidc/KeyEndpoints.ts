import { NodeHttpClient } from "@effect/platform-node"
import { addressOf, contains } from "@portico/contract/Networks"
import { Config, Context, Duration, Effect, Layer, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Agent } from "undici"
import { literalOf, neverConnected } from "../addresses.ts"
import { untrustedConnector } from "../untrustedPeer.ts"
import { guardedLookup, RegisteredNameLookup } from "../guardedLookup.ts"
import { observed } from "../observed.ts"
import { inTime } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { readAddress } from "../webAddress.ts"

/** The key endpoint of an issuer, registered by an operator. */
export interface KeyEndpoint {
  readonly issuer: string
  readonly discoveryUrl: string
  /** A pinned URL; null to take it from the discovery document. */
  readonly jwksUri: string | null
  /** PEM; null for the system's authorities. */
  readonly ca: string | null
}

/** Unvalidated public keys (RFC 7517); the reader selects the usable ones. */
export const KeySet = Schema.Struct({
  keys: Schema.Array(
    Schema.StructWithRest(Schema.Struct({ kty: Schema.String }), [Schema.Record(Schema.String, Schema.Json)])
  ).check(Schema.isMaxLength(100))
})
export type KeySet = typeof KeySet.Type

const Discovery = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String })

/** The time limit of one fetch, of a document or of a key set. */
const timeLimit = Duration.seconds(5)

/** The size limit of a response. Every key set is far smaller. */
const maxBytes = 128 * 1024

/** The most encrypted bytes of one. */
const answerBytes = 8 * maxBytes

/** The most pieces that it arrives in: a cluster may send single bytes, and each costs time. */
const maxPieces = 4_096

/**
 * The key sets of clusters (OpenID Connect Discovery 1.0). Only URLs that an
 * operator registered are fetched, never a URL from a token. A redirect is not
 * followed. Every fetch has its own connection. The keys that a discovery
 * document names must have the document's origin.
 */
export class KeyEndpoints extends Context.Service<
  KeyEndpoints,
  {
    /** Fails without a status when no response came in time, or the gateway may not connect to the address. */
    keySet(endpoint: KeyEndpoint): Effect.Effect<KeySet, UpstreamError>
    /** Why keys are never fetched from a URL; undefined when they may be. */
    refusal(address: string): string | undefined
  }
>()("portico/upstream/oidc/KeyEndpoints") {
  static readonly layer = Layer.effect(
    KeyEndpoints,
    Effect.gen(function* () {
      const insecure = yield* Config.Boolean("WORKLOAD_IDENTITY_INSECURE").pipe(Config.withDefault(false))
      const sharedClient = yield* HttpClient.HttpClient
      const lookup = guardedLookup(yield* RegisteredNameLookup, isRefused)

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
        if (insecure && ca === null) return sharedClient
        const timeout = Duration.toMillis(timeLimit)
        const agent = yield* Effect.acquireRelease(
          Effect.map(Effect.context(), (context) => {
            const guarded = { context, answerBytes, timeout, lookup, ...(ca === null ? {} : { ca }) }
            const connect = insecure ? (ca === null ? {} : { ca }) : untrustedConnector(guarded)
            return new Agent({ allowH2: false, connect, pipelining: 0 })
          }),
          (agent) => Effect.promise(() => agent.destroy())
        )
        return yield* Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, agent)
      })

      const fetchJson = Effect.fnUntraced(
        function* <A, I>(call: string, address: string, ca: string | null, schema: Schema.Codec<A, I>) {
          const refused = refusal(address)
          if (refused !== undefined) return yield* failed(call, null, `${address} ${refused}`)
          const client = yield* clientFor(ca)
          const request = HttpClientRequest.get(address, {
            headers: { accept: "application/json, application/jwk-set+json" }
          })
          // The issuer is not part of the platform, so it gets no `traceparent`.
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
        (effect, call) => inTime("issuer", call, timeLimit)(effect)
      )

      /** The key set's URL from the discovery document, checked against the issuer and the origin. */
      const discovered = Effect.fnUntraced(function* ({ ca, discoveryUrl, issuer }: KeyEndpoint) {
        const document = yield* fetchJson("discovery", discoveryUrl, ca, Discovery)
        if (document.issuer !== issuer) return yield* failed("discovery", 200, "the document is another issuer's")
        if (URL.parse(document.jwks_uri)?.origin !== new URL(discoveryUrl).origin) {
          return yield* failed("discovery", 200, "its jwks_uri is on another host: pin it with jwks_uri")
        }
        return document.jwks_uri
      })

      return KeyEndpoints.of({
        keySet: Effect.fn("KeyEndpoints.keySet")(function* (endpoint) {
          const address = endpoint.jwksUri ?? (yield* discovered(endpoint))
          return yield* fetchJson("get key set", address, endpoint.ca, KeySet)
        }),
        refusal
      })
    })
  )
}

/**
 * Whether an IP address can never be a cluster's key endpoint. True for text
 * that is not an address. Private networks are allowed, because clusters are
 * there.
 */
export const isRefused = (text: string): boolean => {
  const address = addressOf(text)
  return address === undefined || contains(neverConnected, address)
}

const textOf = Effect.fnUntraced(function* <E>(call: string, stream: Stream.Stream<Uint8Array, E>) {
  const pieces: Array<Uint8Array> = []
  let size = 0
  yield* stream.pipe(
    Stream.mapError(() => failed(call, null, "the answer broke off")),
    Stream.runForEach((piece) => {
      size += piece.length
      if (size > maxBytes) return Effect.fail(failed(call, 200, `answered with more than ${maxBytes} bytes`))
      if (pieces.push(piece) > maxPieces) return Effect.fail(failed(call, 200, "answered in too many pieces"))
      return Effect.void
    })
  )
  return Buffer.concat(pieces).toString("utf8")
})

const failed = (call: string, status: number | null, detail: string): UpstreamError =>
  new UpstreamError({ upstream: "issuer", call, status, detail })
