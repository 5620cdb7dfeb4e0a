import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import { sections } from "../Api.ts"
import { listOf, type Spec, textAt } from "./tree.ts"

/** The sections with the names that the generator gives the tags of their groups. */
const tagGroups = Object.entries(sections).map(([name, groups]) => ({
  name,
  tags: groups.map(({ annotations, identifier }) => Context.getOrElse(annotations, OpenApi.Title, () => identifier))
}))

/** Names the sections in `x-tagGroups`, which pages such as Redoc and Scalar read; the groups of no plane are left out. */
export const withSections = (spec: Spec): Spec => {
  const present = new Set(listOf(spec["tags"]).map((_) => textAt(_, "name")))
  const shown = tagGroups
    .map(({ name, tags }) => ({ name, tags: tags.filter((_) => present.has(_)) }))
    .filter((_) => _.tags.length > 0)
  return { ...spec, "x-tagGroups": shown }
}
