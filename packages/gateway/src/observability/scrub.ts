import { Predicate } from "effect"

const gone = "<redacted>"

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

/** Whether what stands under this name must not be shown. */
export const isSecretName = (name: string): boolean => secret.has(name.toLowerCase().replaceAll(/[-_]/g, ""))

/** Each name with hyphens, low lines or nothing between its letters. */
const spelled = secretNames.map((name) => [...name].join("[-_]?")).join("|")

const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  // A scheme and its credentials (RFC 9110, section 11.4), those of S3 with all their parameters.
  [/\b(AWS4-HMAC-SHA256)\b[^"\\\n]*/g, `$1 ${gone}`],
  [/\b(Bearer|Basic|Negotiate|AWS)\s+[\w.~+/=:-]{6,}/gi, `$1 ${gone}`],
  // `name: value`, `name=value` and `"name":"value"`, quoted again or not.
  [
    new RegExp(
      `(?<![A-Za-z])(${spelled})(\\\\*["']?\\s*[:=]\\s*\\\\*["']?)(?!${gone}|Bearer |Basic )[^\\s"'\\\\&,;})]+`,
      "gi"
    ),
    `$1$2${gone}`
  ],
  // The user information of an address (RFC 3986, section 3.2.1).
  [/:\/\/[^\s/"'@]+@/g, `://${gone}@`],
  // Tokens of Keystone, and JSON web tokens, by how they begin.
  [/\bgAAAAA[\w=-]{20,}/g, gone],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, gone]
]

/** A text without what looks like a secret. It is the last guard: nothing should have written one into it. */
export const scrubbed = (text: string): string =>
  patterns.reduce((left, [pattern, instead]) => left.replaceAll(pattern, instead), text)

/** The same for plain data, whatever it is nested in. */
export const scrubbedIn = (value: unknown): unknown => {
  if (typeof value === "string") return scrubbed(value)
  if (Array.isArray(value)) return value.map(scrubbedIn)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecretName(name) && inner !== null && inner !== undefined ? gone : scrubbedIn(inner)
    ])
  )
}
