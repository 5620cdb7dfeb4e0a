import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"

/** The one route with an object key in its path. A key may contain slashes, and end like the route itself. */
const presigned = /^(\/v1\/object-storage\/buckets\/[^/?]+\/objects\/)([^?]+)(\/presigned(?:\?.*)?)$/s

/**
 * The same address with the object key in one segment, as the router expects it. Clients may send the slashes of a
 * key encoded or not.
 */
export const withKeyInOneSegment = (url: string): string => {
  const [, before, key, after] = presigned.exec(url) ?? []
  return before === undefined || key === undefined ? url : `${before}${key.replaceAll("/", "%2F")}${after}`
}

/** Normalizes such addresses for all inner middleware and the router. */
export const withObjectKeys = <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const url = withKeyInOneSegment(request.url)
    return url === request.url
      ? httpEffect
      : Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  })
