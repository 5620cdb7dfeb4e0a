import { Predicate } from "effect"

/** What has to be said differently in the served document than in the code. */
export const asContract = (spec: Record<string, unknown>): Record<string, unknown> =>
  withPlainNames(wildcardAsPath(spec))

/** The routers' `*` is no OpenAPI: a catch-all is written `{path}`, as the contract spells it, and declared as a parameter. */
const wildcardAsPath = (spec: Record<string, unknown>): Record<string, unknown> => {
  const { paths } = spec
  if (!Predicate.isObject(paths)) return spec
  return {
    ...spec,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) =>
        path.endsWith("/*") && Predicate.isObject(item)
          ? [path.replace("/*", "/{path}"), { ...item, parameters: [pathParameter] }]
          : [path, item]
      )
    )
  }
}

const pathParameter = {
  name: "path",
  in: "path",
  required: true,
  description: "Any number of segments, forwarded as sent.",
  schema: { type: "string" }
}

/** Error classes give their wire form the suffix `Encoded`, which says nothing to a reader of the document. */
const withPlainNames = (spec: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(spec).replaceAll(/Encoded"/g, '"'))
