import { HttpClientRequest } from "effect/http"

/** Makes a request with a JSON body. */
const withJson =
  (make: (url: string, options?: HttpClientRequest.Options.NoUrl) => HttpClientRequest.HttpClientRequest) =>
  (url: string, body: unknown, options?: HttpClientRequest.Options.NoUrl): HttpClientRequest.HttpClientRequest =>
    HttpClientRequest.bodyJsonUnsafe(make(url, options), body)

export const postJson = withJson(HttpClientRequest.post)
export const putJson = withJson(HttpClientRequest.put)
export const patchJson = withJson(HttpClientRequest.patch)
