import { decodeJson } from "@portico/contract/decodeJson"
import { Option, Predicate } from "effect"

const maxLength = 500

/**
 * The upstream's error message, extracted from its error envelope: Keystone,
 * Nova, Cinder, Neutron, Glance, Octavia, Barbican, RGW, Zitadel and OAuth have
 * one each. Text without an envelope loses its markup.
 */
export const detailOf = (status: number, body: string): string => {
  const found = Option.match(decodeJson(body), { onNone: () => plain(body), onSome: fromJson })
  return found === undefined || found === "" ? `answered ${status}` : plain(found).slice(0, maxLength)
}

/** The characters in which the message is looked for. */
const maxSearched = 4_096

const plain = (text: string): string =>
  text
    .slice(0, maxSearched)
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, maxLength)

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
    validationErrors(body) ??
    text(body, "Message") ??
    text(body, "Code") ??
    text(body, "error") ??
    text(body, "type")
  )
}

/** Designate's list of validation errors: `{"errors": {"errors": [{"path": [...], "message": "..."}]}}`. */
const validationErrors = ({ errors }: { readonly [key: PropertyKey]: unknown }): string | undefined => {
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
