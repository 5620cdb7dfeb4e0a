import { has, objectAt, stringMapOf } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { type Request, computeRoute, lockedFor, memberRoute, ofServer } from "./request.ts"
import { badRequest, fault, misfit, notFound } from "./fault.ts"
import { limitOf } from "./quotas.ts"
import { allMetadata, oneMetadatum } from "./schemas.ts"
import type { Server } from "./state.ts"

type Texts = Readonly<Record<string, string>>

const absent = notFound("Metadata item was not found")

/** Replaces a server's metadata, if the project's quota allows the number of items. */
const write = (request: Request, server: Server, metadata: Texts): Answer | undefined => {
  const limit = limitOf(request.world, request.scope.projectId, "metadata_items")
  if (limit >= 0 && Object.keys(metadata).length > limit) {
    return fault(403, `Maximum number of metadata items exceeds ${limit}`)
  }
  server.metadata = metadata
  server.updated_at = request.now
  return undefined
}

/** @param key `metadata` for all items, `meta` for one */
const writing = (key: "metadata" | "meta", merge: (old: Texts, given: Texts) => Texts) =>
  ofServer((request, server) => {
    const wrong = misfit(key === "meta" ? oneMetadatum : allMetadata, request.json)
    if (wrong !== undefined) return wrong
    const texts = stringMapOf(objectAt(request.json, key)) ?? {}
    if (key === "meta" && !has(texts, request.params["key"] ?? "")) return badRequest("Request body and URI mismatch")
    const metadata = merge(server.metadata, texts)
    const refused = lockedFor(request, server) ?? write(request, server, metadata)
    return refused ?? json(200, { [key]: key === "meta" ? texts : metadata })
  })

const show = ofServer(({ params }, { metadata }) => {
  const key = params["key"] ?? ""
  return Object.hasOwn(metadata, key) ? json(200, { meta: { [key]: metadata[key] } }) : absent
})

const remove = ofServer((request, server) => {
  const { [request.params["key"] ?? ""]: gone, ...rest } = server.metadata
  if (gone === undefined) return absent
  return lockedFor(request, server) ?? write(request, server, rest) ?? empty(204)
})

const url = "/v2.1/servers/:id/metadata"

export const metadataRoutes: Routes = {
  [`GET ${url}`]: computeRoute(ofServer((_, { metadata }) => json(200, { metadata }))),
  [`POST ${url}`]: memberRoute(
    "server-metadata:create",
    writing("metadata", (old, given) => ({ ...old, ...given }))
  ),
  [`PUT ${url}`]: memberRoute(
    "server-metadata:update_all",
    writing("metadata", (_, given) => given)
  ),
  [`GET ${url}/:key`]: computeRoute(show),
  [`PUT ${url}/:key`]: memberRoute(
    "server-metadata:update",
    writing("meta", (old, given) => ({ ...old, ...given }))
  ),
  [`DELETE ${url}/:key`]: memberRoute("server-metadata:delete", remove)
}
