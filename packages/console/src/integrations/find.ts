import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { destinationOf } from "./integration.ts"
import { words } from "./words.ts"

const find: Finder = async (text, signal) => {
  const { integrations } = await portico.integrations.list({}, { signal })
  return integrations
    .filter((_) => `${_.name} ${destinationOf(_)}`.toLowerCase().includes(text.toLowerCase()))
    .map(({ integration_id, name }) => ({
      title: name,
      kind: words[currentLanguage()].integration,
      href: `/integrations/${integration_id}`
    }))
}

export default find
