import { Result } from "effect"
import type { JsonObject } from "../Json.ts"
import { type Answer, json, type Step } from "../Wire.ts"
import { type Kind, resourceOf } from "./kinds.ts"

export interface Cause {
  readonly reason: string
  readonly message: string
  readonly field?: string
}

export interface Details {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: ReadonlyArray<Cause>
  readonly retryAfterSeconds?: number
}

export const plainText = (status: number, body: string): Answer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body
})

/** The error object of the API (`meta/v1.Status`). */
export const failureStatus = (code: number, reason: string, message: string, details?: Details, meta = {}) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: meta,
  status: "Failure",
  message,
  ...(reason === "" ? {} : { reason }),
  ...(details === undefined ? {} : { details }),
  code
})

export const failure = (code: number, reason: string, message: string, details?: Details, meta?: JsonObject): Answer =>
  json(code, failureStatus(code, reason, message, details, meta))

export const refuse = (
  code: number,
  reason: string,
  message: string,
  details?: Details,
  meta?: JsonObject
): Step<never> => Result.fail(failure(code, reason, message, details, meta))

export const badRequest = (message: string) => refuse(400, "BadRequest", message)

const detailsOf = (kind: Kind, name: string): Details => ({
  ...(name === "" ? {} : { name }),
  ...(kind.group === "" ? {} : { group: kind.group }),
  kind: kind.plural
})

export const notFound = (kind: Kind, name: string) =>
  refuse(404, "NotFound", `${resourceOf(kind)} "${name}" not found`, detailsOf(kind, name))

export const alreadyExists = (kind: Kind, name: string) =>
  refuse(409, "AlreadyExists", `${resourceOf(kind)} "${name}" already exists`, detailsOf(kind, name))

const modified = "the object has been modified; please apply your changes to the latest version and try again"

export const conflict = (kind: Kind, name: string, why = modified) =>
  refuse(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${resourceOf(kind)} "${name}": ${why}`,
    detailsOf(kind, name)
  )

/** An admission or authorization refusal about one object; an empty name stands for a collection. */
export const forbidden = (kind: Kind, name: string, why: string, causes?: ReadonlyArray<Cause>) =>
  refuse(403, "Forbidden", `${resourceOf(kind)}${name === "" ? "" : ` "${name}"`} is forbidden: ${why}`, {
    ...detailsOf(kind, name),
    ...(causes === undefined ? {} : { causes })
  })

export interface FieldError {
  readonly reason:
    | "FieldValueInvalid"
    | "FieldValueRequired"
    | "FieldValueForbidden"
    | "FieldValueNotSupported"
    | "FieldValueTooLong"
    | "FieldValueTypeInvalid"
    | "FieldValueTooMany"
    | "FieldValueDuplicate"
  readonly field: string
  readonly message: string
}

export const required = (field: string, detail = ""): FieldError => ({
  reason: "FieldValueRequired",
  field,
  message: `Required value${detail === "" ? "" : `: ${detail}`}`
})

export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${detail}`
})

/** The error of a value when something is wrong with it, and none when it is not. */
export const invalidIf = (wrong: boolean, field: string, value: unknown, detail: string): ReadonlyArray<FieldError> =>
  wrong ? [invalidValue(field, value, detail)] : []

/** The error of a field when it is missing. */
export const requiredIf = (missing: boolean, field: string, detail = ""): ReadonlyArray<FieldError> =>
  missing ? [required(field, detail)] : []

export const tooMany = (field: string, is: number, limit: number): FieldError => ({
  reason: "FieldValueTooMany",
  field,
  message: `Too many: ${is}: must have at most ${limit} items`
})

/** The value is spelt already. */
export const duplicate = (field: string, value: string): FieldError => ({
  reason: "FieldValueDuplicate",
  field,
  message: `Duplicate value: ${value}`
})

/** A value of another type, as schemas of custom kinds refuse it. */
export const wrongType = (field: string, given: string, wanted: string): FieldError => ({
  reason: "FieldValueTypeInvalid",
  field,
  message: `Invalid value: ${JSON.stringify(given)}: ${field} in body must be of type ${wanted}: ${JSON.stringify(given)}`
})

export const forbiddenValue = (field: string, detail: string): FieldError => ({
  reason: "FieldValueForbidden",
  field,
  message: `Forbidden: ${detail}`
})

export const notSupported = (field: string, value: unknown, supported: ReadonlyArray<string>): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((_) => `"${_}"`).join(", ")}`
})

export const tooLong = (field: string, limit: number): FieldError => ({
  reason: "FieldValueTooLong",
  field,
  message: `Too long: may not be more than ${limit} bytes`
})

export const notNegative = (field: string, value: unknown): ReadonlyArray<FieldError> =>
  invalidIf(typeof value === "number" && value < 0, field, value, "must be greater than or equal to 0")

/** 422 with one cause a field, or nothing to object to. What is said goes before the words. */
export const invalidUnless = (
  kind: Pick<Kind, "group" | "kind">,
  name: string,
  errors: ReadonlyArray<FieldError>,
  said = ""
): Step<void> => {
  if (errors.length === 0) return Result.void
  const all = [...new Set(errors.map((_) => `${_.field}: ${_.message}`))]
  const subject = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`
  return refuse(
    422,
    "Invalid",
    `${said}${subject} "${name}" is invalid: ${all.length === 1 ? all[0] : `[${all.join(", ")}]`}`,
    {
      ...(name === "" ? {} : { name }),
      ...(kind.group === "" ? {} : { group: kind.group }),
      ...(kind.kind === "" ? {} : { kind: kind.kind }),
      causes: errors
    }
  )
}

export const methodNotAllowed = refuse(
  405,
  "MethodNotAllowed",
  "the server does not allow this method on the requested resource",
  {}
)

/** Paths that nothing is registered at; not a Status, as the API server's own mux answers. */
export const noSuchPath: Answer = plainText(404, "404 page not found\n")
