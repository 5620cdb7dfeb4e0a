import { type JsonObject, stringAt } from "../Json.ts"
import type { Server } from "./state.ts"

/** A URL's host is printed in the shortest form of an address. */
const shortest = (address: string): string => new URL(`http://[${address}]/`).hostname.slice(1, -1)

/** The attributes that create, update and rebuild all take, where they are given. */
export const attributesOf = (given: JsonObject): Pick<Server, "access_ip_v4" | "access_ip_v6" | "disk_config"> => {
  const disk = stringAt(given, "OS-DCF:diskConfig")
  const [v4, v6] = [stringAt(given, "accessIPv4"), stringAt(given, "accessIPv6")]
  return {
    ...(disk === undefined ? {} : { disk_config: disk }),
    ...(v4 === undefined ? {} : { access_ip_v4: v4 }),
    ...(v6 === undefined ? {} : { access_ip_v6: shortest(v6) })
  }
}
