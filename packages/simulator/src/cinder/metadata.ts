import { has, objectAt } from "../Json.ts"
import { badRequest, invalidField, notFound } from "../nova/fault.ts"
import { empty, json, type Routes } from "../Wire.ts"
import { memberRoute, ofVolume, volumeRoute } from "./asked.ts"
import type { Volume } from "./state.ts"
import { strings } from "./volumes.ts"

type Texts = Readonly<Record<string, string>>

const absent = ({ id }: Volume, key: string) => notFound(`Volume ${id} has no metadata with key ${key}.`)

/** @param name `metadata` for all of them, `meta` for one */
const writing = (name: "metadata" | "meta", merge: (old: Texts, given: Texts) => Texts) =>
  ofVolume(({ json: body, now }, volume) => {
    if (!has(body, name)) return badRequest(`'${name}' is a required property`)
    const given = strings(objectAt(body, name))
    if (given === undefined) return invalidField(name, objectAt(body, name), "is not of type 'string'")
    volume.metadata = merge(volume.metadata, given)
    volume.updated_at = now
    return json(200, { [name]: name === "meta" ? given : volume.metadata })
  })

const show = ofVolume(({ params }, volume) => {
  const key = params["key"] ?? ""
  return Object.hasOwn(volume.metadata, key)
    ? json(200, { meta: { [key]: volume.metadata[key] } })
    : absent(volume, key)
})

const remove = ofVolume(({ now, params }, volume) => {
  const key = params["key"] ?? ""
  const { [key]: gone, ...rest } = volume.metadata
  if (gone === undefined) return absent(volume, key)
  volume.metadata = rest
  volume.updated_at = now
  return empty(200)
})

const url = "/v3/:project/volumes/:id/metadata"

export const metadataRoutes: Routes = {
  [`GET ${url}`]: volumeRoute(ofVolume((_, { metadata }) => json(200, { metadata }))),
  [`POST ${url}`]: memberRoute(
    "volume:create_volume_metadata",
    writing("metadata", (old, given) => ({ ...old, ...given }))
  ),
  [`PUT ${url}`]: memberRoute(
    "volume:update_volume_metadata",
    writing("metadata", (_, given) => given)
  ),
  [`GET ${url}/:key`]: volumeRoute(show),
  [`PUT ${url}/:key`]: memberRoute(
    "volume:update_volume_metadata",
    writing("meta", (old, given) => ({ ...old, ...given }))
  ),
  [`DELETE ${url}/:key`]: memberRoute("volume:delete_volume_metadata", remove)
}
