import { portico } from "../api/portico.ts"
import { useWhole } from "../api/useWhole.ts"
import { useProject } from "../app/useProject.ts"
import { usePeople } from "../people/useNames.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export type Unit = Awaited<ReturnType<typeof portico.policy.listUnits>>["ous"][number]
export type Policy = Awaited<ReturnType<typeof portico.policy.listPolicies>>["policies"][number]
export type Effective = Awaited<ReturnType<typeof portico.policy.effective>>

/** Who is in units, and what policies are asked about: `user:…` and `credential:…`, with names. */
export const useSubjects = () => {
  const t = useWords(words)
  const { project_id } = useProject()
  const people = usePeople().data?.users ?? []
  const credentials = useWhole(portico.credentials.list, { limit: 1000 }).data ?? []
  const isHere = (_: { readonly project_id: string | null }) => project_id === undefined || _.project_id === project_id
  return [
    ...people.filter(isHere).map((_) => ({ value: `user:${_.user_id}`, label: `${t.person}: ${_.email}` })),
    ...credentials
      .filter(isHere)
      .map((_) => ({ value: `credential:${_.credential_id}`, label: `${t.credential}: ${_.label}` }))
  ]
}

/** `cred-1` of `credential:cred-1`. */
export const idOf = (subject: string): string => subject.slice(subject.indexOf(":") + 1)
