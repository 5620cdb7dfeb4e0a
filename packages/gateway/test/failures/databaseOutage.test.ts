import { assert, it } from "@effect/vitest"
import { Cause } from "effect"
import { SqlError } from "effect/sql"
import { isDatabaseOutage } from "../../src/middleware/databaseOutage.ts"

const props = (code?: string, operation = "query") => ({
  cause: Object.assign(new Error("said PostgreSQL"), code === undefined ? {} : { code }),
  message: "failed",
  operation
})
const diedOf = (reason: SqlError.SqlErrorReason) => Cause.die(new SqlError.SqlError({ reason }))
const unknown = (code?: string, operation?: string) => diedOf(new SqlError.UnknownError(props(code, operation)))

it("an unreachable database is an outage, and every other failure of a query a defect", () => {
  const outages = {
    "a connection that was cut": diedOf(new SqlError.ConnectionError(props())),
    "a login while the server starts or stops": unknown(undefined, "connect"),
    "an administrator's restart": unknown("57P01"),
    "a full disk": unknown("53100"),
    "too many connections": unknown("53300"),
    "a statement that took longer than the server allows": unknown("57014"),
    "a lock that was not free in time": unknown("55P03"),
    "a server that is read-only": unknown("25006"),
    "a file that cannot be read": unknown("58030")
  }
  const bugs = {
    "a query that is wrong": diedOf(new SqlError.SqlSyntaxError(props("42703"))),
    "a row that is there twice": diedOf(new SqlError.UniqueViolation({ ...props("23505"), constraint: "slug" })),
    "an unknown failure": unknown("XX000"),
    "a password that is wrong": diedOf(new SqlError.AuthenticationError(props("28P01", "connect"))),
    "another defect": Cause.die(new Error("no"))
  }
  for (const [what, cause] of Object.entries(outages)) assert.isTrue(isDatabaseOutage(cause), what)
  for (const [what, cause] of Object.entries(bugs)) assert.isFalse(isDatabaseOutage(cause), what)
})
