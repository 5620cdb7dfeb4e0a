/** A media range of an `Accept` header; a weight outside of 0 to 1 counts as 1, and further parameters are not looked at. */
const rangeOf = (text: string): { readonly type: string; readonly weight: number } => {
  const [type = "", ...parameters] = text.split(";").map((_) => _.trim().toLowerCase())
  const given = parameters.find((_) => /^q\s*=/.test(_))?.replace(/^q\s*=\s*/, "")
  const weight = given === undefined || given === "" ? 1 : Number(given)
  return { type, weight: weight >= 0 && weight <= 1 ? weight : 1 }
}

/** The ranges that a media type fits, the most specific one first. */
const rangesFor = (type: string) => [type, `${type.split("/", 1)[0]}/*`, "*/*"]

/**
 * Whether a client accepts a media type (RFC 9110, section 12.5.1): the most specific range that fits decides, and a
 * weight of 0 refuses. Without the header every type is accepted, and with an empty one too.
 *
 * @param accept the header, several of them joined by commas
 * @param type in lower case, without parameters
 */
export const accepts = (accept: string | undefined, type: string): boolean => {
  if (accept === undefined || accept.trim() === "") return true
  const ranges = accept.split(",").map(rangeOf)
  // `*` alone stands for every type in clients that take RFC 9110 from memory.
  const named = rangesFor(type).map((_) => ranges.findLast(({ type }) => type === _ || (type === "*" && _ === "*/*")))
  const decisive = named.find((_) => _ !== undefined)
  return decisive !== undefined && decisive.weight > 0
}
