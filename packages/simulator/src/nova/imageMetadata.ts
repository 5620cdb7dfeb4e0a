import { type Image, imageFor } from "../glance/state.ts"
import { has, objectAt, stringMapOf } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { badRequest, fault, misfit, notFound } from "./fault.ts"
import { limitOf } from "./quotas.ts"
import { computeRoute, memberRoute, type Request, type RequestHandler, until } from "./request.ts"
import { allMetadata, oneMetadatum } from "./schemas.ts"

type Texts = Image["properties"]

/** The proxy of images lives three microversions longer for their metadata. */
const last = 38

const ofImage = (handler: (request: Request, image: Image) => Answer): RequestHandler =>
  until(last, (request) => {
    const image = imageFor(request.world.glance, request.scope, request.params["id"] ?? "")
    return image === undefined ? notFound("Image not found.") : handler(request, image)
  })

/** Stores the properties of an image, if Glance lets the caller and the quota has room. */
const write = ({ now, scope, world }: Request, image: Image, properties: Texts): Answer | undefined => {
  const limit = limitOf(world, scope.projectId, "metadata_items")
  if (limit >= 0 && Object.keys(properties).length > limit) return fault(403, "Image metadata limit exceeded")
  if (image.owner !== scope.projectId && !scope.admin) return fault(403, `Not authorized for image ${image.id}.`)
  image.properties = properties
  image.updated_at = now
  return undefined
}

/** @param key `metadata` for all items, `meta` for one */
const writing = (key: "metadata" | "meta", merge: (old: Texts, given: Texts) => Texts) =>
  ofImage((request, image) => {
    const wrong = misfit(key === "meta" ? oneMetadatum : allMetadata, request.json)
    if (wrong !== undefined) return wrong
    const given = stringMapOf(objectAt(request.json, key)) ?? {}
    if (key === "meta" && !has(given, request.params["key"] ?? "")) return badRequest("Request body and URI mismatch")
    const metadata = merge(image.properties, given)
    return write(request, image, metadata) ?? json(200, { [key]: key === "meta" ? given : metadata })
  })

const show = ofImage(({ params }, { properties }) => {
  const key = params["key"] ?? ""
  return has(properties, key)
    ? json(200, { meta: { [key]: properties[key] } })
    : notFound("The resource could not be found.")
})

const remove = ofImage((request, image) => {
  const { [request.params["key"] ?? ""]: gone, ...rest } = image.properties
  return gone === undefined ? notFound("Invalid metadata key") : (write(request, image, rest) ?? empty(204))
})

const url = "/v2.1/images/:id/metadata"
const merged = (old: Texts, given: Texts): Texts => ({ ...old, ...given })

/** The deprecated proxy of an image's properties. */
export const imageMetadataRoutes: Routes = {
  [`GET ${url}`]: computeRoute(ofImage((_, { properties }) => json(200, { metadata: properties }))),
  [`POST ${url}`]: memberRoute("image-metadata:create", writing("metadata", merged)),
  [`PUT ${url}`]: memberRoute(
    "image-metadata:update_all",
    writing("metadata", (_, given) => given)
  ),
  [`GET ${url}/:key`]: computeRoute(show),
  [`PUT ${url}/:key`]: memberRoute("image-metadata:update", writing("meta", merged)),
  [`DELETE ${url}/:key`]: memberRoute("image-metadata:delete", remove)
}
