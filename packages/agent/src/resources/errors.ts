import { failureTable } from "@portico/contract/Failures"
import { adviceOf, type ToolOf } from "../answers/advice.ts"

/** Every code of the catalogue of failures with its status. */
export const errorList = {
  errors: failureTable.map(({ code, status }) => ({ code, status })),
  next: "portico://errors/{code} has the meaning, the cause and what to do."
}

/** A failure of the catalogue; undefined for a code that it does not have. */
export const errorNamed = (code: string, toolOf: ToolOf) => {
  const found = adviceOf(code, toolOf)
  return found === undefined
    ? undefined
    : { code, status: found.status, example: found.meaning, cause: found.cause, fix: found.fix }
}
