import * as v from "valibot"
import type { Finder } from "../app/definitions.ts"
import { listOf, withQuery } from "../platform/lists.ts"
import { platformCall } from "../platform/platform.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { hrefOf, Server } from "./server.ts"
import { words } from "./words.ts"

const servers = listOf("servers", Server)

/** Compute looks by a part of the name; by an address among the newest servers. */
export const find: Finder = async (text, signal) => {
  const isAddress = /^\d+\.[\d.]*$/.test(text) || text.includes(":")
  const path = withQuery("compute/servers/detail", isAddress ? { limit: "500" } : { limit: "20", name: text })
  const found = v.parse(servers, await platformCall("GET", path, { signal }))
  return found
    .filter(({ addresses }) => !isAddress || addresses.some((_) => _.address.startsWith(text)))
    .map(({ id, name }) => ({ title: name, kind: words[currentLanguage()].server, href: hrefOf(id) }))
}
