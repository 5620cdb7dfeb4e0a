import type { Field, Operation, Shape } from "./Catalogue.ts"
import { catalogOf } from "./catalogOf.ts"
import type { Document } from "./Document.ts"
import { compact } from "./fieldOf.ts"

// For the build of a page: what it makes is small, and is part of the page in place of this module.

/** A field without its prose. */
const bare = ({ description: _, fields, items, values, ...field }: Field): Field =>
  compact<Field>({
    ...field,
    values: values?.map(([value]) => [value] as const),
    items: items === undefined ? undefined : bare(items),
    fields: fields?.map(bare)
  })

const withoutExample = ({ example: _, ...operation }: Operation) => operation

/** Every operation of a plane's document, such as `openapi.customer.json`. */
export const operationsFor = (document: Document): ReadonlyArray<Shape> =>
  catalogOf(document)
    .groups.flatMap(({ operations }) => operations.map(withoutExample))
    .map(({ body, description: _, parameters, query, ...operation }) => ({
      ...operation,
      parameters: parameters.map(bare),
      query: query.map(bare),
      body: body.map(bare)
    }))
