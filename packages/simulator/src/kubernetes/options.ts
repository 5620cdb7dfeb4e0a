import type { Step } from "../Wire.ts"
import { type FieldError, invalidUnless, invalidValue, notSupported, tooLong } from "./status.ts"

type Options = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions"

const group = "meta.k8s.io"

const validations = ["", "Ignore", "Strict", "Warn"]

const dryRun = (values: ReadonlyArray<string>): ReadonlyArray<FieldError> =>
  values.some((_) => _ !== "All") ? [notSupported("dryRun", values, ["All"])] : []

const manager = (name: string): ReadonlyArray<FieldError> => {
  const at = [...name].findIndex((_) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(_))
  const wrong = [...name][at]
  return [
    ...(Buffer.byteLength(name) > 128 ? [tooLong("fieldManager", 128)] : []),
    ...(wrong === undefined
      ? []
      : [
          invalidValue(
            "fieldManager",
            name,
            `invalid character U+${(wrong.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")} (at position ${at})`
          )
        ])
  ]
}

/** The options of a write, in the query. */
export const checkOptions = (
  query: URLSearchParams,
  kind: Options,
  own: ReadonlyArray<FieldError> = []
): Step<void> => {
  const validation = query.get("fieldValidation") ?? ""
  return invalidUnless({ group, kind }, "", [
    ...own,
    ...manager(query.get("fieldManager") ?? ""),
    ...dryRun(query.getAll("dryRun")),
    ...(validations.includes(validation) ? [] : [notSupported("fieldValidation", validation, validations)])
  ])
}

const policies = ["Foreground", "Background", "Orphan", "nil"]

/** The options of a deletion. */
export const checkDeletion = (values: ReadonlyArray<string>, propagation: string): Step<void> =>
  invalidUnless({ group, kind: "DeleteOptions" }, "", [
    ...(policies.includes(propagation) ? [] : [notSupported("propagationPolicy", propagation, policies)]),
    ...dryRun(values)
  ])
