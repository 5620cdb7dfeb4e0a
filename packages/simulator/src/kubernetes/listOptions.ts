import type { Step } from "../Wire.ts"
import type { Request } from "./request.ts"
import { type FieldError, forbiddenValue, invalidUnless, notSupported } from "./status.ts"

const match = "resourceVersionMatch"
const atLeast = "NotOlderThan"
const forbiddenIf = (wrong: boolean, field: string, detail: string): ReadonlyArray<FieldError> =>
  wrong ? [forbiddenValue(field, detail)] : []

const errorsOfList = (query: URLSearchParams): ReadonlyArray<FieldError> => {
  const wanted = query.get(match) ?? ""
  const version = query.get("resourceVersion") ?? ""
  const ofMatch =
    wanted === ""
      ? []
      : [
          ...forbiddenIf(version === "", match, `${match} is forbidden unless resourceVersion is provided`),
          ...forbiddenIf(isContinued(query), match, `${match} is forbidden when continue is provided`),
          ...(["Exact", atLeast].includes(wanted) ? [] : [notSupported(match, wanted, ["Exact", atLeast, ""])]),
          ...forbiddenIf(
            wanted === "Exact" && version === "0",
            match,
            `${match} "exact" is forbidden for resourceVersion "0"`
          )
        ]
  const isAsked = query.has("sendInitialEvents")
  return [...ofMatch, ...forbiddenIf(isAsked, "sendInitialEvents", "sendInitialEvents is forbidden for list")]
}

const errorsOfWatch = (query: URLSearchParams): ReadonlyArray<FieldError> => {
  const wanted = query.get(match) ?? ""
  const isAsked = query.has("sendInitialEvents")
  const ofMatch =
    wanted === ""
      ? []
      : [
          ...forbiddenIf(!isAsked, match, `${match} is forbidden for watch unless sendInitialEvents is provided`),
          ...(wanted === atLeast ? [] : [notSupported(match, wanted, [atLeast])]),
          ...forbiddenIf(isContinued(query), match, `${match} is forbidden when continue is provided`)
        ]
  return [
    ...forbiddenIf(isAsked && wanted !== atLeast, match, `sendInitialEvents requires setting ${match} to ${atLeast}`),
    ...ofMatch
  ]
}

const isContinued = (query: URLSearchParams) => (query.get("continue") ?? "") !== ""

/** What the API server checks of the query before it lists or watches (`ValidateListOptions`). */
export const checkListOptions = ({ incoming, info }: Request): Step<void> =>
  invalidUnless(
    { group: "meta.k8s.io", kind: "ListOptions" },
    "",
    (info.verb === "watch" ? errorsOfWatch : errorsOfList)(incoming.query)
  )
