import { Unprocessable } from "@portico/contract/Failures"
import { Effect } from "effect"

/** Leaves room for suffixes: a project name has 64 characters at most. */
const longest = 40
const shortest = 2

/** Names that a cloud, its services or the platform itself use. */
const reserved: ReadonlySet<string> = new Set([
  "admin",
  "administrator",
  "api",
  "default",
  "demo",
  "invisible-to-admin",
  "kube-public",
  "kube-system",
  "openstack",
  "operator",
  "platform",
  "portico",
  "public",
  "root",
  "service",
  "services",
  "system",
  "tenant",
  "tenants"
])

/** Letters that Unicode does not decompose into a base letter and marks. */
const spelledOut: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  þ: "th",
  ı: "i"
}

/**
 * The slug of an organisation: lower-case, accents removed (NFKD), every run
 * of other characters than a-z and 0-9 one hyphen, none at the ends, cut to 40
 * characters. Two names with one slug clash. A name of which less than two
 * characters remain, or whose slug is reserved, is a 422 that says so.
 */
export const slugOf = Effect.fnUntraced(function* (name: string) {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[ßæœøđðłþı]/g, (_) => spelledOut[_] ?? "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, longest)
    .replace(/-$/, "")
  if (slug.length < shortest) {
    return yield* Unprocessable.unusableName(
      `No slug can be made from this name: at least ${shortest} letters a-z or digits have to remain. ` +
        "Set tenant_name to a name that has them."
    )
  }
  if (reserved.has(slug)) {
    return yield* Unprocessable.unusableName(`The name '${slug}' is reserved. Set tenant_name to another one.`)
  }
  return slug
})
