import { type Config, SchemaIssue } from "effect"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** What would be right. The value is never in it: it may be a secret. */
export const messagesOf = (issue: SchemaIssue.Issue): ReadonlyArray<string> =>
  issuesOf(issue).issues.map((_) => _.message)

/** A setting that cannot be read, as the reader can mend it. The value is never in it: it may be a secret. */
export const settingSentence = ({ cause }: Config.ConfigError): string => {
  if (cause._tag !== "SchemaError") return cause.message
  return issuesOf(cause.issue)
    .issues.map(({ message, path: [name, ...inside] = [] }) =>
      // What is in the environment is a string, so that only a missing setting is none.
      inside.length === 0 && message === "Expected string" ? missing(String(name)) : wrong(String(name), message)
    )
    .join("; ")
}

export const missing = (name: string): string => `the setting ${name} is missing`

export const wrong = (name: string, message: string): string =>
  `the setting ${name} is not what it should be: ${message}`
