import { useQuery } from "@tanstack/react-query"
import * as v from "valibot"

/** `GET /console/config.json`: where this console signs in, and what it is the console of. */
const Config = v.object({
  plane: v.picklist(["customer", "operator"]),
  version: v.string(),
  client_id: v.string(),
  authorization_endpoint: v.string(),
  end_session_endpoint: v.nullable(v.string()),
  scope: v.string(),
  /** The address that policies on source networks see for this browser. */
  your_address: v.nullable(v.string()),
  /** Where presigned uploads go. */
  object_storage_origin: v.nullable(v.string()),
  agent_url: v.nullable(v.string())
})
type ConsoleConfig = v.InferOutput<typeof Config>

let read: Promise<ConsoleConfig> | undefined

/** Read once; a failed read is not kept. */
export const consoleConfig = (): Promise<ConsoleConfig> =>
  (read ??= fetch("/console/config.json", { cache: "no-store" })
    .then((answer) => {
      if (!answer.ok) throw new Error(`The console's settings cannot be read: status ${answer.status}`)
      return answer.json()
    })
    .then((_) => v.parse(Config, _))
    .catch((error: unknown) => {
      read = undefined
      throw error
    }))

/** The settings of this console; undefined until they are read. */
export const useConsoleConfig = (): ConsoleConfig | undefined =>
  useQuery({ queryKey: ["console.config"], queryFn: consoleConfig, staleTime: Infinity }).data
