import { anId } from "../../rules/Spelling.ts"
import { type Attempt, attempt } from "./Attempt.ts"
import type { Family } from "./examined.ts"

const forced = JSON.stringify({ forceDelete: null })

const act = (what: string, path: string, body: string, headers?: Attempt["headers"]): Attempt =>
  attempt(what, "POST", path, { body, ...(headers === undefined ? {} : { headers }) })

/** Deleting a server by a POST, which takes long to undo: the plainest way, and the oddest that a reader of JSON takes. */
export const serverActs: Family = {
  attempts: [
    act("forceDelete", `/compute/servers/${anId}/action`, forced),
    act("an escape in the key", `/compute/servers/${anId}/action`, forced.replace("D", "\\u0044")),
    act("another case, which is none of Nova's", `/compute/servers/${anId}/action`, '{"ForceDelete":null}'),
    act("two acts", `/compute/servers/${anId}/action`, '{"os-start":null,"forceDelete":null}')
  ],
  comeOff: 1
}

const connector = { host: "guards", ip: "192.0.2.1", initiator: "iqn.2026-01.example:guards" }
const connect = JSON.stringify({ "os-initialize_connection": { connector } })
const volume = `/volume/volumes/${anId}/action`
const versioned = { "content-type": "application/json", "openstack-api-version": "volume 3.27" }

/** What connects to the storage behind a volume, which the answer holds. */
export const connections: Family = {
  attempts: [
    act("os-initialize_connection", volume, connect),
    act("a key twice", volume, connect.replace("{", '{"os-initialize_connection":{},')),
    act("an escape in the key", volume, connect.replace("i", "\\u0069")),
    act(
      "an attachment with a connector",
      "/volume/attachments",
      JSON.stringify({
        attachment: { volume_uuid: anId, connector }
      }),
      versioned
    )
  ],
  comeOff: 1
}

/** An address that Glance is asked to fetch, and refuses or begins to. */
const uri = "http://192.0.2.1/x"

export const imports: Family = {
  attempts: [
    act("web-download", `/image/images/${anId}/import`, JSON.stringify({ method: { name: "web-download", uri } })),
    act(
      "a name twice",
      `/image/images/${anId}/import`,
      `{"method":{"name":"glance-direct","name":"web-download","uri":"${uri}"}}`
    ),
    act("an escape", `/image/images/${anId}/import`, `{"method":{"name":"web\\u002ddownload","uri":"${uri}"}}`)
  ],
  comeOff: 1
}
