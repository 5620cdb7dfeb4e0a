import { Schema } from "effect"

/**
 * Addresses that mail can be sent to unchanged (the rule of HTML forms), in a
 * domain with a dot; no quoted local parts.
 */
const local = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const domain = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i

/**
 * The local part by RFC 5321, section 4.5.3.1.1. The whole address is a login,
 * whose length the identity provider limits.
 */
const longest = { whole: 200, local: 64 }

export const isEmailAddress = (text: string): boolean => {
  const at = text.lastIndexOf("@")
  return (
    text.length <= longest.whole &&
    at <= longest.local &&
    local.test(text.slice(0, Math.max(at, 0))) &&
    domain.test(text.slice(at + 1))
  )
}

export const EmailAddress = Schema.String.annotate({
  description:
    `An e-mail address of at most ${longest.whole} characters, ${longest.local} before the \`@\`, without quotes, in a ` +
    "domain with a dot. Letters other than ASCII in the domain are written `xn--…`."
}).check(Schema.makeFilter((text: string) => isEmailAddress(text.trim()), { expected: "an e-mail address" }))

/**
 * The address with its domain in lower case. The local part stays unchanged:
 * only its server knows whether case matters.
 */
export const tidied = (email: string): string => {
  const text = email.trim()
  const at = text.lastIndexOf("@")
  return `${text.slice(0, at)}${text.slice(at).toLowerCase()}`
}
