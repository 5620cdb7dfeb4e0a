import { portico } from "../api/portico.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import type { Finder } from "../app/definitions.ts"
import { words } from "./words.ts"

const find: Finder = async (text, signal) => {
  const { credentials } = await portico.credentials.list({}, { signal })
  return credentials
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    .map(({ credential_id, label }) => ({
      title: label,
      kind: words[currentLanguage()].credential,
      href: `/credentials?q=${encodeURIComponent(credential_id)}`
    }))
}

export default find
