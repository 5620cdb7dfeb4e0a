import { Validated } from "@portico/contract/Access"
import { Internal, Invalid } from "@portico/contract/Failures"
import type { ValidationIssue } from "@portico/contract/failures/bodies"
import { Effect, SchemaAST, type SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

const locations: Readonly<Record<string, string>> = {
  Payload: "body",
  Query: "query",
  Params: "path",
  Headers: "header"
}

/** A schema error of a request becomes the 422 body. A schema error of an answer is a bug. */
export const ValidatedLive = HttpApiMiddleware.layerSchemaErrorTransform(Validated, ({ cause, kind }) => {
  const location = locations[kind]
  return location === undefined
    ? Effect.andThen(
        Effect.logError(`an answer does not match its schema (${kind})`, cause),
        Effect.fail(Internal.error())
      )
    : Effect.fail(Invalid.issues(issuesOf(cause.issue, [location])))
})

type Location = ValidationIssue["loc"]

/** One entry per error. Messages never repeat the input. Types and texts follow FastAPI's. */
export const issuesOf = (issue: SchemaIssue.Issue, loc: Location): ReadonlyArray<ValidationIssue> => {
  switch (issue._tag) {
    case "Pointer":
      return issuesOf(issue.issue, [...loc, ...issue.path.map((_) => (typeof _ === "number" ? _ : String(_)))])
    case "Composite":
      return issue.issues.flatMap((_) => issuesOf(_, loc))
    case "Encoding":
      return issuesOf(issue.issue, loc)
    case "MissingKey":
      return [{ loc, msg: "Field required", type: "missing" }]
    case "UnexpectedKey":
      return [{ loc, msg: "Extra inputs are not permitted", type: "extra_forbidden" }]
    case "Filter":
      return [{ loc, msg: `Input should be ${expectedBy(issue.filter)}`, type: "value_error" }]
    case "InvalidType":
      return [typeIssue(issue.ast, loc)]
    case "AnyOf":
      return issue.issues.length === 1 && issue.issues[0] !== undefined
        ? issuesOf(issue.issues[0], loc)
        : [unionIssue(issue.ast, loc)]
    default:
      return [{ loc, msg: "Input is not valid", type: "value_error" }]
  }
}

const expectedBy = (filter: { readonly annotations?: { readonly expected?: unknown } | undefined }): string => {
  const expected = filter.annotations?.expected
  return typeof expected === "string" ? expected : "valid"
}

const typeIssue = (ast: SchemaAST.AST, loc: Location): ValidationIssue => {
  if (SchemaAST.isString(ast)) return { loc, msg: "Input should be a valid string", type: "string_type" }
  if (SchemaAST.isNumber(ast)) return { loc, msg: "Input should be a valid number", type: "number_type" }
  if (SchemaAST.isBoolean(ast)) return { loc, msg: "Input should be a valid boolean", type: "bool_type" }
  if (SchemaAST.isArrays(ast)) return { loc, msg: "Input should be a valid list", type: "list_type" }
  if (SchemaAST.isObjects(ast)) return { loc, msg: "Input should be a valid object", type: "model_attributes_type" }
  return literalIssue(ast, loc) ?? { loc, msg: "Input has the wrong type", type: "type_error" }
}

const unionIssue = (ast: SchemaAST.Union, loc: Location): ValidationIssue =>
  literalIssue(ast, loc) ??
  (ast.types.every(SchemaAST.isObjects)
    ? typeIssue(ast.types[0] ?? ast, loc)
    : { loc, msg: "Input should be one of the accepted forms", type: "union" })

const literalIssue = (ast: SchemaAST.AST, loc: Location): ValidationIssue | undefined => {
  const literals = literalsOf(ast)
  if (literals.length === 0) return undefined
  const quoted = literals.map((_) => (typeof _ === "string" ? `'${_}'` : String(_)))
  const list = quoted.length === 1 ? quoted[0] : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
  return { loc, msg: `Input should be ${list}`, type: "literal_error" }
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.LiteralValue> =>
  SchemaAST.isLiteral(ast) ? [ast.literal] : SchemaAST.isUnion(ast) ? ast.types.flatMap(literalsOf) : []
