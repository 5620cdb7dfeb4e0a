import { Option, Schema } from "effect"

/** A Keystone project, with both forms by which a scope may name it. */
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
 * Whether a scope is this project. An absent scope is, because the credential has no other project. Every other kind
 * of Keystone scope (domain, system, trust, unscoped) is not.
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
