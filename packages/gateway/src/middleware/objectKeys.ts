import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"

/** The routes with an object key in their paths. A key may contain slashes, and end like the route itself. */
const presigned = /^(\/v1\/object-storage\/buckets\/[^/?]+\/objects\/)([^?]+)(\/presigned(?:\?.*)?)$/s
const object = /^(\/v1\/object-storage\/buckets\/[^/?]+\/objects\/)([^?]+)((?:\?.*)?)$/s

/**
 * The same address with the object key in one segment, as the router expects it. Clients may send the slashes of a
 * key encoded or not. A DELETE is of an object, so its whole rest is the key.
 */
export const withKeyInOneSegment = (method: string, url: string): string => {
  const [, before, key, after] = (method === "DELETE" ? object : presigned).exec(url) ?? []
  return before === undefined || key === undefined ? url : `${before}${key.replaceAll("/", "%2F")}${after}`
}

/** Normalizes such addresses for all inner middleware and the router. */
export const withObjectKeys = <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const url = withKeyInOneSegment(request.method, request.url)
    return url === request.url
      ? httpEffect
      : Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  })
