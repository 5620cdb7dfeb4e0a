import { type Config, SchemaIssue } from "effect"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** What a valid value would be. Messages never contain the value, which may be a secret. */
export const messagesOf = (issue: SchemaIssue.Issue): ReadonlyArray<string> =>
  issuesOf(issue).issues.map((_) => _.message)

/**
 * A message about an invalid setting for the operator who can correct it. It never contains the value, which may be a
 * secret.
 */
export const settingSentence = ({ cause }: Config.ConfigError): string => {
  if (cause._tag !== "SchemaError") return cause.message
  return issuesOf(cause.issue)
    .issues.map(({ message, path: [name, ...inside] = [] }) =>
      // Environment variables are strings, so only a missing setting is none.
      inside.length === 0 && message === "Expected string" ? missing(String(name)) : wrong(String(name), message)
    )
    .join("; ")
}

export const missing = (name: string): string => `the setting ${name} is missing`

export const wrong = (name: string, message: string): string =>
  `the setting ${name} is not what it should be: ${message}`
