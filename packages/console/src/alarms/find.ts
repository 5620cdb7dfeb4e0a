import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words } from "./words.ts"

const find: Finder = async (text, signal) => {
  const { alarms } = await portico.alarms.list({}, { signal })
  return alarms
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map(({ alarm_id, name }) => ({ title: name, kind: words[currentLanguage()].alarm, href: `/alarms/${alarm_id}` }))
}

export default find
