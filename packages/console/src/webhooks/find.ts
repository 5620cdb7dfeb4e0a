import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words } from "./words.ts"

const find: Finder = async (text, signal) => {
  const { webhooks } = await portico.webhooks.list({}, { signal })
  return webhooks
    .filter((_) => `${_.url} ${_.description ?? ""}`.toLowerCase().includes(text.toLowerCase()))
    .map(({ url, webhook_id }) => ({
      title: url,
      kind: words[currentLanguage()].webhook,
      href: `/webhooks/${webhook_id}`
    }))
}

export default find
