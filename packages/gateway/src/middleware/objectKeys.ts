import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"

/** The one route with an object's key in its path; a key may hold slashes, and end like the route itself. */
const presigned = /^(\/v1\/object-storage\/buckets\/[^/?]+\/objects\/)([^?]+)(\/presigned(?:\?.*)?)$/s

/**
 * The same address with the object's key in one segment, as the router has it:
 * clients may write the slashes of a key as they are, or encode them.
 */
export const withKeyInOneSegment = (url: string): string => {
  const [, before, key, after] = presigned.exec(url) ?? []
  return before === undefined || key === undefined ? url : `${before}${key.replaceAll("/", "%2F")}${after}`
}

/** Lets everything behind it see such addresses in one form. */
export const withObjectKeys = <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const url = withKeyInOneSegment(request.url)
    return url === request.url
      ? httpEffect
      : Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  })
