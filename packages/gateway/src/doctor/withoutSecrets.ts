import { Config, Effect, Option } from "effect"
import { scrubbed } from "../observability/scrub.ts"
import { table } from "../settings/table.ts"
import type { Checked } from "./Check.ts"

/** Settings whose whole value is a secret. */
const secret = /_(?:PASSWORD|SECRET|SECRET_KEY|TOKEN|PASSWORD_KEY)$/

/** Shorter ones would hide ordinary words. */
const fewest = 4

const placeholder = "<redacted>"

const passwordIn = (text: string): ReadonlyArray<string> => {
  const password = URL.parse(text)?.password ?? ""
  return password === "" ? [] : [password, decoded(password)]
}

const decoded = (text: string): string => (/%(?![0-9A-Fa-f]{2})/.test(text) ? text : decodeURIComponent(text))

/** All secrets among the settings: whole values, and the passwords in addresses. */
const secrets = Effect.forEach(Object.keys(table), (name) =>
  Effect.orElseSucceed(Config.option(Config.String(name)), () => Option.none<string>()).pipe(
    Effect.map((found) => Option.getOrElse(found, () => "")),
    Effect.map((text) => (secret.test(name) ? [text] : passwordIn(text)))
  )
)

/** A finding without the settings' secrets, and without what looks like one: systems may quote what they were sent. */
export const withoutSecrets = Effect.map(secrets, (found) => {
  const all = [...new Set(found.flat())].filter((_) => _.length >= fewest).toSorted((a, b) => b.length - a.length)
  const clean = (text: string): string => all.reduce((left, _) => left.replaceAll(_, placeholder), scrubbed(text))
  return (finding: Checked): Checked => ({
    ...finding,
    detail: clean(finding.detail),
    fix: finding.fix === null ? null : clean(finding.fix)
  })
})
