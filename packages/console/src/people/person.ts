import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words } from "./words.ts"

export type Person = Awaited<ReturnType<typeof portico.orgUsers.list>>["users"][number]

/** Whoever may not list people finds none. */
export const find: Finder = async (text, signal) => {
  const { users } = await portico.orgUsers.list({ limit: 1000 }, { signal })
  return users
    .filter((_) => `${_.display_name} ${_.email}`.toLowerCase().includes(text.toLowerCase()))
    .map(({ display_name, email }) => ({
      title: `${display_name} · ${email}`,
      kind: words[currentLanguage()].person,
      href: `/people?q=${encodeURIComponent(email)}`
    }))
}
