import { portico } from "../api/portico.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import type { Finder } from "../app/definitions.ts"
import { words } from "./words.ts"

const find: Finder = async (text, signal) => {
  const { credentials } = await portico.credentials.list({ limit: 1000 }, { signal })
  return credentials
    .filter(({ credential_id, label }) => label.toLowerCase().includes(text.toLowerCase()) || credential_id === text)
    .map(({ credential_id, label }) => ({
      title: label,
      kind: words[currentLanguage()].credential,
      href: `/credentials/${encodeURIComponent(credential_id)}`
    }))
}

export default find
