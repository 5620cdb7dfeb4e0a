import * as v from "valibot"
import type { Finder } from "../app/definitions.ts"
import { listOf, text as named } from "../platform/lists.ts"
import { platformCall } from "../platform/platform.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { hrefOf, nameOf } from "./volume.ts"
import { words } from "./volumeWords.ts"

const volumes = listOf("volumes", v.object({ id: v.string(), name: named }))

/** Block storage filters by whole names: parts are looked for among the newest volumes. */
export const find: Finder = async (text, signal) => {
  const newest = v.parse(volumes, await platformCall("GET", "volume/volumes?limit=500", { signal }))
  const wanted = text.toLowerCase()
  return newest
    .filter(({ id, name }) => name.toLowerCase().includes(wanted) || id.startsWith(wanted))
    .map((volume) => ({ title: nameOf(volume), kind: words[currentLanguage()].volume, href: hrefOf(volume.id) }))
}
