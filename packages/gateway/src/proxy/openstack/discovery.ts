import { BadGateway } from "@portico/contract/Failures"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { denied } from "@portico/domain/access/limits"
import { observed, traced } from "@portico/upstream/observed"
import { Effect, Option, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { admission } from "../../limits/admission.ts"
import type { Exchange } from "../Exchange.ts"
import type { KeystoneResponse } from "./KeystoneResponse.ts"
import { type Base, sameVersion } from "./Bases.ts"

/** A version of a service as the service lists it, with the fields that clients select by. */
const Version = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  /** The highest and the lowest microversion. They are empty for Nova's oldest version. */
  version: Schema.optionalKey(Schema.String),
  min_version: Schema.optionalKey(Schema.String),
  max_version: Schema.optionalKey(Schema.String),
  updated: Schema.optionalKey(Schema.String),
  links: Schema.Array(Schema.Struct({ rel: Schema.String, href: Schema.String }))
})
type Version = typeof Version.Type

const Versions = Schema.Array(Version)
const decodeList = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ versions: Versions })))
const decodeValues = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ versions: Schema.Struct({ values: Versions }) }))
)

/** Services write the list in one of two forms. Any other text yields no versions. */
const versionsIn = (text: string): ReadonlyArray<Version> =>
  Option.match(decodeList(text), {
    onSome: ({ versions }) => versions,
    onNone: () => Option.match(decodeValues(text), { onSome: ({ versions }) => versions.values, onNone: () => [] })
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
 * Errors: those of any call without a caller; 502 when the service does not answer.
 */
export const serviceVersions = Effect.gen(function* () {
  const admitted = yield* admission
  const client = yield* HttpClient.HttpClient

  /** Requested without a token, which the services allow. */
  const listed = (service: string, { root }: Base) => {
    const request = HttpClientRequest.acceptJson(HttpClientRequest.get(`${root}/`))
    return observed({ system: service, name: "versions", method: request.method }, (traceparent) =>
      client.execute(traced(request, traceparent))
    ).pipe(
      Effect.flatMap((_) => _.text),
      Effect.timeout("10 seconds"),
      Effect.map(versionsIn),
      Effect.mapError(() => BadGateway.upstream(`${service}: no answer`, true))
    )
  }

  return Effect.fnUntraced(function* (exchange: Exchange, service: string, base: Base, one: boolean) {
    const { authorization, own, prefix } = exchange
    const denial = denied(yield* admitted(yield* bearerToken(authorization), exchange), service, 0)
    if (denial !== undefined) return yield* denial
    const versions = offered(yield* listed(service, base), base).map(({ at, ...version }) => ({
      ...version,
      links: [{ rel: "self", href: `${own}${prefix}${service}/${at}/` }]
    }))
    const current = versions.find((_) => _.status === "CURRENT") ?? versions.at(-1)
    return { status: 200, body: one ? { version: current } : { versions } } satisfies KeystoneResponse
  })
})

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
