import { Effect, Schema, SchemaGetter } from "effect"

/** The spellings of a flag in a query, whatever the case: Python's clients send `True`, others `1`. */
export const flagPattern = /^(?:true|false|1|0)$/i

/** What a flag in a query says; undefined for a text that is no flag. */
export const flagOf = (text: string): boolean | undefined =>
  flagPattern.test(text) ? /^(?:true|1)$/i.test(text) : undefined

/** A flag in a query: `true` or `false` in any case, `1` or `0`; false where it is missing. */
export const QueryFlag = (description: string) =>
  Schema.String.check(Schema.isPattern(flagPattern, { expected: "true or false" })).pipe(
    Schema.decodeTo(Schema.Boolean, {
      decode: SchemaGetter.transform((_) => flagOf(_) === true),
      encode: SchemaGetter.transform(String)
    }),
    Schema.annotateKey({ description }),
    Schema.withDecodingDefaultKey(Effect.succeed("false"))
  )
