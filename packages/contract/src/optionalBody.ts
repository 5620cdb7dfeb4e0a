import { Schema } from "effect"

/**
 * The payload of an endpoint whose body has only optional fields: the body itself may be missing too, and counts as
 * `{}`, see {@link bodyOr}. A test holds every POST to it. A PATCH or PUT without a body would say nothing of what is
 * to change, and is refused.
 */
export const optionalBody = <S extends Schema.Top>(schema: S) => [schema, Schema.Undefined] as const

/** What a missing body means: the value that `{}` decodes to. */
export const bodyOr = <A>(schema: Schema.Decoder<A>): ((given: A | undefined) => A) => {
  const empty = Schema.decodeUnknownSync(schema)({})
  return (given) => given ?? empty
}
