import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The schema of a response that no cache may store: its body is a secret, or has one. */
export const Unstored = <S extends Schema.Top>(body: S) =>
  HttpApiSchema.WithHeaders(body, { "cache-control": Schema.Literal("no-store") })

/** Such a response. */
export const unstored = <A>(body: A) =>
  HttpApiSchema.withHeaders({ body, headers: { "cache-control": "no-store" as const } })
