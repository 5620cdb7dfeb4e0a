import { Predicate } from "effect"

const placeholder = "<redacted>"

/** Names of fields, headers and parameters whose value is a secret, without hyphens and underscores. */
const secretNames = [
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "xauthtoken",
  "xsubjecttoken",
  "xservicetoken",
  "xstoragetoken",
  "xapikey",
  "xamzsignature",
  "xamzsecuritytoken",
  "xamzcredential",
  "signature",
  "password",
  "adminpass",
  "secret",
  "clientsecret",
  "secretkey",
  "accesstoken",
  "refreshtoken",
  "subjecttoken",
  "idtoken",
  "pat",
  "apikey",
  "authkey",
  "privatekey",
  "userdata"
]

const secret: ReadonlySet<string> = new Set(secretNames)

/** Whether a value with this name must not be shown. */
const isSecretName = (name: string): boolean => secret.has(name.toLowerCase().replaceAll(/[-_]/g, ""))

/** Each name, with an optional hyphen or underscore between its letters. */
const spellings = secretNames.map((name) => [...name].join("[-_]?")).join("|")

const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  // An authentication scheme and its credentials (RFC 9110, section 11.4). For S3, all parameters.
  [/\b(AWS4-HMAC-SHA256)\b[^"\\\n]*/g, `$1 ${placeholder}`],
  [/\b(Bearer|Basic|Negotiate|AWS)\s+[\w.~+/=:-]{6,}/gi, `$1 ${placeholder}`],
  // `name: value`, `name=value` and `"name":"value"`, also inside a quoted JSON text.
  [
    new RegExp(
      `(?<![A-Za-z])(${spellings})(\\\\*["']?\\s*[:=]\\s*\\\\*["']?)(?!${placeholder}|Bearer |Basic )[^\\s"'\\\\&,;})]+`,
      "gi"
    ),
    `$1$2${placeholder}`
  ],
  // The user information of a URL (RFC 3986, section 3.2.1).
  [/:\/\/[^\s/"'@]+@/g, `://${placeholder}@`],
  // Keystone tokens and JSON web tokens, by their prefix.
  [/\bgAAAAA[\w=-]{20,}/g, placeholder],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, placeholder]
]

/** Redacts everything in a text that looks like a secret. It is the last guard: no caller should log a secret. */
export const scrubbed = (text: string): string =>
  patterns.reduce((left, [pattern, instead]) => left.replaceAll(pattern, instead), text)

/** The same for plain data, at any depth. */
export const scrubbedIn = (value: unknown): unknown => {
  if (typeof value === "string") return scrubbed(value)
  if (Array.isArray(value)) return value.map(scrubbedIn)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecretName(name) && inner !== null && inner !== undefined ? placeholder : scrubbedIn(inner)
    ])
  )
}
