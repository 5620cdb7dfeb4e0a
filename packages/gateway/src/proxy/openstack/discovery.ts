import { BadGateway, NotFound } from "@portico/contract/Failures"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { denied } from "@portico/domain/access/limits"
import { observed, traced } from "@portico/upstream/observed"
import { Cache, Duration, Effect, Exit, Option, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { admission } from "../../limits/admission.ts"
import { stockPrefix } from "../../requests/route.ts"
import type { Exchange } from "../Exchange.ts"
import type { KeystoneResponse } from "./KeystoneResponse.ts"
import { type Base, type Bases, sameVersion } from "./Bases.ts"

/** A version of a service as the service lists it, with the fields that clients select by. */
const Version = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  /** The highest and the lowest microversion. They are empty for Nova's oldest version. */
  version: Schema.optionalKey(Schema.String),
  min_version: Schema.optionalKey(Schema.String),
  max_version: Schema.optionalKey(Schema.String),
  updated: Schema.optionalKey(Schema.String),
  "media-types": Schema.optionalKey(Schema.Array(Schema.Struct({ base: Schema.String, type: Schema.String }))),
  links: Schema.Array(Schema.Struct({ rel: Schema.String, href: Schema.String }))
})
type Version = typeof Version.Type

const Versions = Schema.Array(Version)
const decodeList = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ versions: Versions })))
const decodeValues = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ versions: Schema.Struct({ values: Versions }) }))
)

/** What a service answers at its root. */
interface Listed {
  /** 200 or 300. */
  readonly status: number
  readonly versions: ReadonlyArray<Version>
  /** Whether the list stands in `versions.values`. */
  readonly nested: boolean
}

/** Services write the list in one of two forms. Any other text yields no versions. */
const listedIn = (status: number, text: string): Listed =>
  Option.match(decodeList(text), {
    onSome: ({ versions }) => ({ status, versions, nested: false }),
    onNone: () =>
      Option.match(decodeValues(text), {
        onSome: ({ versions }) => ({ status, versions: versions.values, nested: true }),
        onNone: () => ({ status: 200, versions: [], nested: false })
      })
  })

/** Keystone's only version, as its releases have reported it since 2020. */
const identity = { id: "v3.14", status: "stable", updated: "2020-04-07T00:00:00Z" }

/**
 * Keystone's answer at its root (300, a list) and at `/v3` (200). It needs no authentication, because a client asks
 * before it logs in.
 *
 * @param address where the client reaches the services, with a trailing slash
 * @param one whether the client asked for a single version
 */
export const identityVersions = (address: string, one: boolean): KeystoneResponse => {
  const version = {
    ...identity,
    links: [{ rel: "self", href: `${address}identity/v3/` }],
    "media-types": [{ base: "application/json", type: "application/vnd.openstack.identity-v3+json" }]
  }
  return one ? { status: 200, body: { version } } : { status: 300, body: { versions: { values: [version] } } }
}

/**
 * The versions that a service lists at its root and that the configured base serves, each with the gateway's own
 * address. They include the microversion range; without it a client would use the lowest microversion.
 *
 * Below `/openstack` everybody is told, as by the service itself, because clients ask before they log in; the service
 * is then asked once in {@link timeToLive}. Below `/v1/iaas` callers are told.
 *
 * Errors: those of any call without a caller; 502 when the service does not answer.
 */
export const serviceVersions = Effect.fnUntraced(function* (known: Bases) {
  const admitted = yield* admission
  const client = yield* HttpClient.HttpClient

  /** Requested without a token, which the services allow. */
  const listed = Effect.fnUntraced(
    function* (service: string) {
      const base = known.get(service)
      if (base === undefined) return yield* NotFound.service(service)
      const request = HttpClientRequest.acceptJson(HttpClientRequest.get(`${base.root}/`))
      const response = yield* observed({ system: service, name: "versions", method: request.method }, (traceparent) =>
        client.execute(traced(request, traceparent))
      )
      return listedIn(response.status, yield* response.text)
    },
    Effect.timeout("10 seconds"),
    (asking, service) =>
      Effect.catchTags(asking, {
        HttpClientError: () => BadGateway.upstream(`${service}: no answer`, true),
        TimeoutError: () => BadGateway.upstream(`${service}: no answer`, true)
      })
  )
  const cache = yield* Cache.makeWith(listed, {
    capacity: known.size,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? timeToLive : Duration.seconds(1))
  })

  const listedForCaller = Effect.fnUntraced(function* (exchange: Exchange, service: string) {
    const caller = yield* admitted(yield* bearerToken(exchange.authorization), exchange)
    const denial = denied(caller, service, 0)
    if (denial !== undefined) return yield* denial
    const { versions } = yield* listed(service)
    return { status: 200, versions, nested: false } satisfies Listed
  })

  return Effect.fnUntraced(function* (exchange: Exchange, service: string, base: Base, one: boolean) {
    const { own, prefix } = exchange
    const answer = prefix === stockPrefix ? yield* Cache.get(cache, service) : yield* listedForCaller(exchange, service)
    const versions = offered(answer.versions, base).map(({ at, ...version }) => ({
      ...version,
      links: [{ rel: "self", href: `${own}${prefix}${service}/${at}/` }]
    }))
    if (one) {
      const version = versions.find((_) => _.status === "CURRENT") ?? versions.at(-1)
      // Cinder lists its one version there, too.
      const isListed = service === "volume" && prefix === stockPrefix
      return { status: 200, body: isListed ? { versions: [version] } : { version } } satisfies KeystoneResponse
    }
    const { nested, status } = answer
    return { status, body: { versions: nested ? { values: versions } : versions } } satisfies KeystoneResponse
  })
})

/** How long the answer of a service's root counts: it changes when the service is upgraded. */
const timeToLive = Duration.minutes(1)

/**
 * The versions whose own link points to the base. When the service lists none that can be parsed, the base's version
 * alone.
 */
const offered = (listed: ReadonlyArray<Version>, { version }: Base) => {
  const here = listed.flatMap(({ links, ...listed }) => {
    const at = /\/(v\d+(?:\.\d+)?)\/?$/.exec(links.find((_) => _.rel === "self")?.href ?? "")?.[1]
    return at !== undefined && (version === undefined || sameVersion(at, version)) ? [{ ...listed, at }] : []
  })
  return here.length > 0 || version === undefined ? here : [{ id: version, status: "CURRENT", at: version }]
}
