import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authenticated, MinimumTier } from "./Access.ts"
import {
  BadGateway,
  BadRequest,
  Forbidden,
  NotFound,
  RequestTimeout,
  TooLarge,
  UnsupportedMediaType
} from "./Failures.ts"

const verbatim = {
  success: Schema.Unknown.pipe(HttpApiSchema.status(200)),
  error: [BadRequest, Forbidden, NotFound, RequestTimeout, TooLarge, UnsupportedMediaType, BadGateway]
}

/** The catch-all: the path after the service's segment goes to that service, and its response comes back verbatim. */
export class Iaas extends HttpApiGroup.make("iaas")
  .add(
    HttpApiEndpoint.get("get", "/iaas/*", verbatim),
    HttpApiEndpoint.post("post", "/iaas/*", verbatim),
    HttpApiEndpoint.put("put", "/iaas/*", verbatim),
    HttpApiEndpoint.patch("patch", "/iaas/*", verbatim),
    HttpApiEndpoint.delete("delete", "/iaas/*", verbatim),
    HttpApiEndpoint.options("options", "/iaas/*", verbatim)
  )
  // The proxy itself enforces the tier of the method: it has exceptions, and messages of its own.
  .annotateEndpoints(MinimumTier, 0)
  .annotateMerge(
    OpenApi.annotations({
      title: "iaas",
      description:
        "Forwards to the platform service that the first segment of the path names; body and status come back verbatim."
    })
  )
  .middleware(Authenticated)
  .prefix("/v1") {}
