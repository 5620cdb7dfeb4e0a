import { Option, Predicate, Schema } from "effect"

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const longest = 500

/**
 * What an upstream says of its refusal, taken out of whichever error envelope
 * it uses: Keystone, Nova, Cinder, Neutron, Glance, Octavia, Barbican, RGW,
 * Zitadel and OAuth have one each. Text without an envelope loses its markup.
 */
export const wordsOf = (status: number, body: string): string => {
  const found = Option.match(decodeJson(body), { onNone: () => plain(body), onSome: fromJson })
  return found === undefined || found === "" ? `answered ${status}` : plain(found).slice(0, longest)
}

const plain = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, longest)

const fromJson = (body: unknown): string | undefined => {
  if (!Predicate.isObject(body)) return undefined
  return (
    text(body, "error", "message") ??
    text(body, "NeutronError", "message") ??
    text(body, "error_description") ??
    text(body, "faultstring") ??
    text(body, "description") ??
    text(body, "message") ??
    Object.values(body)
      .map((value) => text(value, "message"))
      .find(Predicate.isString) ??
    flaws(body) ??
    text(body, "Message") ??
    text(body, "Code") ??
    text(body, "error") ??
    text(body, "type")
  )
}

/** Designate's list of what is wrong with an object: `{"errors": {"errors": [{"path": [...], "message": "..."}]}}`. */
const flaws = ({ errors }: { readonly [key: PropertyKey]: unknown }): string | undefined => {
  const found = Predicate.isObject(errors) && Predicate.hasProperty(errors, "errors") ? errors.errors : undefined
  if (!Array.isArray(found)) return undefined
  const messages = found.flatMap((_) => text(_, "message") ?? [])
  return messages.length === 0 ? undefined : messages.join("; ")
}

const text = (value: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const found = path.reduce<unknown>(
    (at, key) => (Predicate.isObject(at) && Predicate.hasProperty(at, key) ? at[key] : undefined),
    value
  )
  return typeof found === "string" && found !== "" ? found : undefined
}
