import { has, objectAt, stringMapOf } from "../Json.ts"
import { badRequest, invalidField, notFound } from "../nova/fault.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { type RequestHandler, type Request, memberRoute, ofSnapshot, ofVolume, volumeRoute } from "./request.ts"

type Texts = Readonly<Record<string, string>>

interface Described {
  readonly id: string
  metadata: Texts
  updated_at: number | null
}

/** Volumes and snapshots share the metadata routes; only their messages differ. */
const routesOf = (
  {
    collection,
    created,
    rule,
    title
  }: { readonly collection: string; readonly rule: string; readonly created: string; readonly title: string },
  of: (handler: (request: Request, thing: Described) => Answer) => RequestHandler
): Routes => {
  const absent = ({ id }: Described, key: string) => notFound(`${title} ${id} has no metadata with key ${key}.`)

  /** @param name `metadata` for all keys, `meta` for one */
  const writing = (name: "metadata" | "meta", merge: (old: Texts, given: Texts) => Texts) =>
    of(({ json: body, now }, thing) => {
      if (!has(body, name)) return badRequest(`'${name}' is a required property`)
      const given = stringMapOf(objectAt(body, name))
      if (given === undefined) return invalidField(name, objectAt(body, name), "is not of type 'string'")
      thing.metadata = merge(thing.metadata, given)
      thing.updated_at = now
      return json(200, { [name]: name === "meta" ? given : thing.metadata })
    })

  const show = of(({ params }, thing) => {
    const key = params["key"] ?? ""
    return Object.hasOwn(thing.metadata, key) ? json(200, { meta: { [key]: thing.metadata[key] } }) : absent(thing, key)
  })

  const remove = of(({ now, params }, thing) => {
    const key = params["key"] ?? ""
    const { [key]: gone, ...rest } = thing.metadata
    if (gone === undefined) return absent(thing, key)
    thing.metadata = rest
    thing.updated_at = now
    return empty(200)
  })

  const url = `/v3/:project/${collection}/:id/metadata`
  const words = (verb: string) => `volume:${rule.replace("*", verb)}`
  const merged = (old: Texts, given: Texts) => ({ ...old, ...given })
  return {
    [`GET ${url}`]: volumeRoute(of((_, { metadata }) => json(200, { metadata }))),
    [`POST ${url}`]: memberRoute(words(created), writing("metadata", merged)),
    [`PUT ${url}`]: memberRoute(
      words("update"),
      writing("metadata", (_, given) => given)
    ),
    [`GET ${url}/:key`]: volumeRoute(show),
    [`PUT ${url}/:key`]: memberRoute(words("update"), writing("meta", merged)),
    [`DELETE ${url}/:key`]: memberRoute(words("delete"), remove)
  }
}

export const metadataRoutes: Routes = {
  ...routesOf({ collection: "volumes", rule: "*_volume_metadata", created: "create", title: "Volume" }, ofVolume),
  ...routesOf(
    { collection: "snapshots", rule: "*_snapshot_metadata", created: "update", title: "Snapshot" },
    ofSnapshot
  )
}
