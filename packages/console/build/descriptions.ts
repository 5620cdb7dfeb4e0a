import { catalogOf } from "@portico/client/catalogue/catalogOf"
import type { Field } from "@portico/client/catalogue/Catalogue"
import type { Document } from "@portico/client/catalogue/Document"

interface Description {
  readonly text: string
  /** By place: `body.template.image`. */
  readonly fields: Readonly<Record<string, string>>
}

const proseOf = ({ description, values = [] }: Field): string =>
  [
    ...(description === undefined ? [] : [description]),
    ...values.flatMap(([value, meaning]) => (meaning === undefined ? [] : [`${value}: ${meaning}`]))
  ].join("\n")

const described = (place: string, field: Field): ReadonlyArray<readonly [string, string]> => {
  const own = `${place}.${field.name}`.replace(/\.$/, "")
  const prose = proseOf(field)
  return [
    ...(prose === "" ? [] : [[own, prose] as const]),
    ...(field.fields ?? []).flatMap((_) => described(own, _)),
    ...(field.items === undefined ? [] : described(own, { ...field.items, name: "" }).filter(([key]) => key !== own))
  ]
}

/** What the document says of each operation and its fields. */
export const descriptionsOf = (document: Document): Readonly<Record<string, Description>> =>
  Object.fromEntries(
    catalogOf(document)
      .groups.flatMap((_) => _.operations)
      .map(({ body, description, id, parameters, query }) => [
        id,
        {
          text: description,
          fields: Object.fromEntries([
            ...parameters.flatMap((_) => described("path", _)),
            ...query.flatMap((_) => described("query", _)),
            ...body.flatMap((_) => described("body", _))
          ])
        }
      ])
  )
