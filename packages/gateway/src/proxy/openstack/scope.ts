import { Option, Schema } from "effect"

/** A Keystone project, named in either of the two ways in which a scope may name it. */
export interface Project {
  readonly id: string
  readonly name: string
  readonly domain: { readonly id: string; readonly name: string }
}

const decodeScope = Schema.decodeUnknownOption(
  Schema.Struct({
    project: Schema.Union([
      Schema.Struct({ id: Schema.String }),
      Schema.Struct({
        name: Schema.String,
        domain: Schema.Union([Schema.Struct({ id: Schema.String }), Schema.Struct({ name: Schema.String })])
      })
    ])
  }),
  { onExcessProperty: "error" }
)

/**
 * Whether a scope is this project. Left out it is: the credential has no
 * other. Everything else that Keystone knows of, a domain, the system, a
 * trust, none, is not.
 */
export const isOwnScope = (scope: unknown, own: Project): boolean =>
  scope === undefined ||
  Option.match(decodeScope(scope), {
    onNone: () => false,
    onSome: ({ project }) =>
      "id" in project
        ? project.id === own.id
        : project.name === own.name &&
          ("id" in project.domain ? project.domain.id === own.domain.id : project.domain.name === own.domain.name)
  })
