import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words as integrationWords } from "./integrationWords.ts"
import { destinationOf } from "./target.ts"
import { words as webhookWords } from "./webhookWords.ts"

const isIn = (text: string, ...texts: ReadonlyArray<string>): boolean =>
  texts.join(" ").toLowerCase().includes(text.toLowerCase())

const webhook: Finder = async (text, signal) => {
  const { webhooks } = await portico.webhooks.list({}, { signal })
  const kind = webhookWords[currentLanguage()].one
  return webhooks
    .filter((_) => isIn(text, _.url, _.description ?? ""))
    .map(({ url, webhook_id }) => ({ title: url, kind, href: `/webhooks/${webhook_id}` }))
}

const integration: Finder = async (text, signal) => {
  const { integrations } = await portico.integrations.list({}, { signal })
  const kind = integrationWords[currentLanguage()].one
  return integrations
    .filter((_) => isIn(text, _.name, destinationOf(_)))
    .map(({ integration_id, name }) => ({ title: name, kind, href: `/integrations/${integration_id}` }))
}

export const finders = { webhook, integration }
