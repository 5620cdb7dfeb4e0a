import type { Step } from "../Wire.ts"
import { type FieldError, forbiddenValue, invalidUnless, invalidValue, notSupported, tooLong } from "./status.ts"

type Options = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions" | "ListOptions"

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

const match = "resourceVersionMatch"

const listErrors = (query: URLSearchParams, wanted: string): ReadonlyArray<FieldError> => {
  const version = query.get("resourceVersion") ?? ""
  const errors = [
    ...(version === "" ? [`${match} is forbidden unless resourceVersion is provided`] : []),
    ...(query.get("continue") ? [`${match} is forbidden when continue is provided`] : [])
  ].map((_) => forbiddenValue(match, _))
  if (!["Exact", "NotOlderThan"].includes(wanted))
    errors.push(notSupported(match, wanted, ["Exact", "NotOlderThan", ""]))
  if (wanted === "Exact" && version === "0") {
    errors.push(forbiddenValue(match, `${match} "exact" is forbidden for resourceVersion "0"`))
  }
  return errors
}

/** The options of a list. */
export const checkList = (query: URLSearchParams): Step<void> => {
  const wanted = query.get(match) ?? ""
  return invalidUnless({ group, kind: "ListOptions" }, "", [
    ...(wanted === "" ? [] : listErrors(query, wanted)),
    ...(query.get("sendInitialEvents") === null
      ? []
      : [forbiddenValue("sendInitialEvents", "sendInitialEvents is forbidden for list")])
  ])
}

/** The options of a watch. */
export const checkWatch = (query: URLSearchParams): Step<void> => {
  const wanted = query.get(match) ?? ""
  const initial = query.get("sendInitialEvents") !== null
  return invalidUnless({ group, kind: "ListOptions" }, "", [
    ...(initial && wanted !== "NotOlderThan"
      ? [forbiddenValue(match, `sendInitialEvents requires setting ${match} to NotOlderThan`)]
      : []),
    ...(wanted !== "" && !initial
      ? [forbiddenValue(match, `${match} is forbidden for watch unless sendInitialEvents is provided`)]
      : []),
    ...(wanted !== "" && wanted !== "NotOlderThan" ? [notSupported(match, wanted, ["NotOlderThan"])] : []),
    ...(wanted !== "" && query.get("continue")
      ? [forbiddenValue(match, `${match} is forbidden when continue is provided`)]
      : [])
  ])
}
