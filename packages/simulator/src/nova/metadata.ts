import { has, objectAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { type Asked, computeRoute, lockedFor, memberRoute, ofServer } from "./asked.ts"
import { fault, invalidField, missing, notFound } from "./fault.ts"
import { limitOf } from "./quotas.ts"
import type { Server } from "./state.ts"

type Texts = Readonly<Record<string, string>>

const absent = notFound("Metadata item was not found")

const textsOf = (given: Readonly<Record<string, unknown>>): Texts | undefined => {
  const texts = Object.entries(given).flatMap(([key, _]) => (typeof _ === "string" ? [[key, _] as const] : []))
  return texts.length === Object.keys(given).length ? Object.fromEntries(texts) : undefined
}

/** Writes what a server's metadata are to be, as far as the project may have so many. */
const write = (asked: Asked, server: Server, metadata: Texts): Answer | undefined => {
  const limit = limitOf(asked.world, asked.scope.projectId, "metadata_items")
  if (limit >= 0 && Object.keys(metadata).length > limit) {
    return fault(403, `Maximum number of metadata items exceeds ${limit}`)
  }
  server.metadata = metadata
  server.updated_at = asked.now
  return undefined
}

/** @param key `metadata` for all of them, `meta` for one */
const writing = (key: "metadata" | "meta", merge: (old: Texts, given: Texts) => Texts) =>
  ofServer((asked, server) => {
    if (!has(asked.json, key)) return missing(asked, key)
    const given = objectAt(asked.json, key)
    const texts = textsOf(given)
    if (texts === undefined) return invalidField(key, given, "is not of type 'string'")
    const metadata = merge(server.metadata, texts)
    const refused = lockedFor(asked, server) ?? write(asked, server, metadata)
    return refused ?? json(200, { [key]: key === "meta" ? texts : metadata })
  })

const show = ofServer(({ params }, { metadata }) => {
  const key = params["key"] ?? ""
  return Object.hasOwn(metadata, key) ? json(200, { meta: { [key]: metadata[key] } }) : absent
})

const remove = ofServer((asked, server) => {
  const { [asked.params["key"] ?? ""]: gone, ...rest } = server.metadata
  if (gone === undefined) return absent
  return lockedFor(asked, server) ?? write(asked, server, rest) ?? empty(204)
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
