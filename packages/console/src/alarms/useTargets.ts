import * as v from "valibot"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { usePlatform } from "../platform/usePlatform.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

const Servers = v.object({ servers: v.array(v.object({ id: v.string(), name: v.nullish(v.string(), "") })) })

/** What an alarm can watch: `server:<id>` and `group:<id>` with their names. */
export const useTargets = () => {
  const t = useWords(words)
  const servers = usePlatform(Servers, "compute/servers?limit=1000")
  const groups = useAnswer(portico.autoscaling.list, {})
  return [
    ...(groups.data?.groups ?? []).map((_) => ({ value: `group:${_.group_id}`, label: `${t.group} ${_.name}` })),
    ...(servers.data?.servers ?? []).map((_) => ({ value: `server:${_.id}`, label: `${t.server} ${_.name}` }))
  ]
}
