import { State, type Tone } from "../ui/Badge.tsx"
import type { Database } from "./database.ts"

const tones: Readonly<Record<Database["status"], Tone>> = {
  pending: "busy",
  provisioning: "busy",
  ready: "good",
  updating: "busy",
  degraded: "warn",
  failing: "bad",
  deleting: "busy"
}

export const DatabaseState = ({ status }: Pick<Database, "status">) => <State state={status} tone={tones[status]} />
