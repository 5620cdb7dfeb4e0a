import { Effect, Schema } from "effect"
import { kindOf, type Table } from "../projectResources/listing.ts"
import type { Kind } from "../projectResources/Kind.ts"
import { controlled } from "../openstack/openstack.ts"

const Image = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  owner: Schema.NullOr(Schema.String),
  protected: Schema.Boolean
})

/** A list contains either the hidden images or the others. */
const images = (hidden: boolean): Table<typeof Image.Type> => ({
  service: "image",
  name: "images",
  path: "/images",
  collection: "images",
  item: Image,
  query: (projectId) => ({ owner: projectId, os_hidden: String(hidden) }),
  paging: { by: "marker", limit: 500 },
  toListed: ({ id, name, owner, protected: isProtected }) => ({
    id,
    name,
    project: owner ?? undefined,
    guarded: isProtected ? "protected" : undefined
  })
})

export const glanceResources = Effect.gen(function* () {
  const glance = yield* controlled("glance", "image")
  const system = () => glance
  const shown = kindOf(images(false), { system })
  const hidden = kindOf(images(true), { system })
  const both: Kind = {
    ...shown,
    list: (projectId) =>
      Effect.map(Effect.all([shown.list(projectId), hidden.list(projectId)]), (lists) => lists.flat())
  }
  return { images: both }
})
