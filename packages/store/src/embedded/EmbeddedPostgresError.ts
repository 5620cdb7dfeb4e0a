import { Schema } from "effect"

export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  static readonly from = (cause: Error) =>
    cause instanceof EmbeddedPostgresError
      ? cause
      : new EmbeddedPostgresError({ message: `Embedded PostgreSQL: ${cause.message}`, cause })
}
