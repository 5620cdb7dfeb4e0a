import { Schema } from "effect"

export const PostgresCredentials = Schema.Struct({
  engine: Schema.Literal("postgres").annotateKey({ description: "`postgres`" }),
  username: Schema.String.annotateKey({ description: "The role that owns the database." }),
  password: Schema.String.annotateKey({ description: "The role's password. A rotation changes it." }),
  uri: Schema.String.annotateKey({
    description:
      "A connection URI with all of the other fields, password included. It works in every namespace of " +
      "the cluster."
  }),
  host: Schema.String.annotateKey({
    description: "The host name of the primary, as `endpoint` of the database has it. It resolves in the cluster alone."
  }),
  port: Schema.Int.annotateKey({ description: "The TCP port." }),
  dbname: Schema.String.annotateKey({ description: "The name of the database within PostgreSQL." })
}).annotate({
  identifier: "PostgresCredentials",
  description: "How to connect to a `postgres` database, as its owner."
})
export type PostgresCredentials = typeof PostgresCredentials.Type

export const KafkaCredentials = Schema.Struct({
  engine: Schema.Literal("kafka").annotateKey({ description: "`kafka`" }),
  bootstrap: Schema.String.annotateKey({
    description: "The bootstrap address for clients, as `host:port`. It resolves in the cluster alone."
  }),
  credentials: Schema.Null.annotateKey({
    description: "Always null: a broker accepts every client of the tenant's namespace without a login."
  })
}).annotate({ identifier: "KafkaCredentials", description: "How to connect to a `kafka` database." })
export type KafkaCredentials = typeof KafkaCredentials.Type

export const DatabaseCredentials = Schema.Union([PostgresCredentials, KafkaCredentials])
export type DatabaseCredentials = typeof DatabaseCredentials.Type

export const DatabaseRotation = Schema.Struct({
  engine: Schema.Literal("postgres").annotateKey({ description: "`postgres`" }),
  name: Schema.String.annotateKey({ description: "The name of the database." }),
  credentials: Schema.String.annotateKey({
    description:
      "The path of the operation that shows the new password. It is a 404 (`database_credentials_not_ready`) for the " +
      "seconds until the password is set."
  })
}).annotate({ identifier: "DatabaseRotation", description: "A rotation that was begun." })
export type DatabaseRotation = typeof DatabaseRotation.Type
