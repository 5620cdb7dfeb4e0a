import { BadGateway } from "@portico/contract/Failures"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { denied } from "@portico/domain/access/limits"
import { observed, traced } from "@portico/upstream/observed"
import { Effect, Option, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { admission } from "../../limits/admission.ts"
import { iaasPrefix } from "../../requests/Place.ts"
import type { Exchange } from "../Exchange.ts"
import type { KeystoneAnswer } from "./KeystoneAnswer.ts"
import { type Base, sameVersion } from "./Bases.ts"

/** The versions of a service as it tells them itself; of all that it tells, what a client chooses by. */
const Version = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  /** The highest microversion, and the lowest; of Nova's oldest version they are empty. */
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

/** Services write the list in either of two ways. Nothing is found in what is no such list. */
const versionsIn = (text: string): ReadonlyArray<Version> =>
  Option.match(decodeList(text), {
    onSome: ({ versions }) => versions,
    onNone: () => Option.match(decodeValues(text), { onSome: ({ versions }) => versions.values, onNone: () => [] })
  })

/** Keystone's only version, as its releases have told it since 2020. */
const identity = { id: "v3.14", status: "stable", updated: "2020-04-07T00:00:00Z" }

/**
 * What Keystone answers at its root (300, a list), or below it at `/v3` (200).
 * For everybody, because a client asks before it logs in.
 *
 * @param one whether a single version was asked for
 */
export const identityVersions = (own: string, one: boolean): KeystoneAnswer => {
  const version = {
    ...identity,
    links: [{ rel: "self", href: `${own}${iaasPrefix}identity/v3/` }],
    "media-types": [{ base: "application/json", type: "application/vnd.openstack.identity-v3+json" }]
  }
  return one ? { status: 200, body: { version } } : { status: 300, body: { versions: { values: [version] } } }
}

/**
 * The versions of a service, as it tells them at its root, and of these the
 * ones that are at the base that is configured, each with the gateway's own
 * address. Its microversions are in it: without them a client would take the
 * lowest.
 *
 * Errors: those of any call without a caller; 502 when the service does not
 * answer.
 */
export const serviceVersions = Effect.gen(function* () {
  const admitted = yield* admission
  const client = yield* HttpClient.HttpClient

  /** Asked without a token, as anybody may. */
  const told = (service: string, { root }: Base) => {
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
    const { authorization, own } = exchange
    const denial = denied(yield* admitted(yield* bearerToken(authorization), exchange), service, 0)
    if (denial !== undefined) return yield* denial
    const versions = offered(yield* told(service, base), base).map(({ at, ...version }) => ({
      ...version,
      links: [{ rel: "self", href: `${own}${iaasPrefix}${service}/${at}/` }]
    }))
    const current = versions.find((_) => _.status === "CURRENT") ?? versions.at(-1)
    return { status: 200, body: one ? { version: current } : { versions } } satisfies KeystoneAnswer
  })
})

/** Those whose own link leads to the base; where the service says nothing that is understood, the base's version alone. */
const offered = (told: ReadonlyArray<Version>, { version }: Base) => {
  const here = told.flatMap(({ links, ...told }) => {
    const at = /\/(v\d+(?:\.\d+)?)\/?$/.exec(links.find((_) => _.rel === "self")?.href ?? "")?.[1]
    return at !== undefined && (version === undefined || sameVersion(at, version)) ? [{ ...told, at }] : []
  })
  return here.length > 0 || version === undefined ? here : [{ id: version, status: "CURRENT", at: version }]
}
