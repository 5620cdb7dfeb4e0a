import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useWhole } from "../api/useWhole.ts"
import { Page } from "../app/Page.tsx"
import { useProject } from "../app/useProject.ts"
import { useMe } from "../app/me.ts"
import { useSearchParams } from "wouter"
import { Answered } from "../ui/Answered.tsx"
import { FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { useWords } from "../words/words.ts"
import { Decision } from "./Decision.tsx"
import { idOf, useSubjects } from "./policy.ts"
import { words } from "./words.ts"

/** What the page is about, in the address: one of `credential_id`, `user_id`, `ou`, or nothing for the caller. */
const useSubject = () => {
  const [params, setParams] = useSearchParams()
  const { project_id } = useProject()
  const [credential, user, unit] = [params.get("credential_id"), params.get("user_id"), params.get("ou")]
  const value =
    credential !== null
      ? `credential:${credential}`
      : user !== null
        ? `user:${user}`
        : unit === null
          ? ""
          : `unit:${unit}`
  const set = (subject: string) =>
    setParams((before) => {
      const next = new URLSearchParams(before)
      for (const name of ["credential_id", "user_id", "ou"]) next.delete(name)
      if (subject.startsWith("credential:")) next.set("credential_id", idOf(subject))
      if (subject.startsWith("user:")) next.set("user_id", idOf(subject))
      if (subject.startsWith("unit:")) next.set("ou", idOf(subject))
      return next
    })
  const input = {
    project_id,
    credential_id: credential ?? undefined,
    user_id: credential === null ? (user ?? undefined) : undefined,
    ou: credential === null && user === null ? (unit ?? undefined) : undefined
  }
  return { value, set, input }
}

const EffectivePage = () => {
  const t = useWords(words)
  const me = useMe()
  const project = useProject()
  const { input, set, value } = useSubject()
  const missing = project.missing || (me.tenant === null && value === "")
  const answer = useAnswer(portico.policy.effective, input, { enabled: !missing })
  const units = useWhole(
    portico.policy.listUnits,
    { project_id: project.project_id, limit: 1000 },
    { enabled: !project.missing }
  )
  const choices = [
    { value: "", label: t.me },
    ...useSubjects(),
    { value: "unit:", label: t.account },
    ...(units.data ?? []).map(({ path }) => ({ value: `unit:${path}`, label: `${t.unit}: ${path}` }))
  ]
  const known = choices.some((_) => _.value === value) ? choices : [...choices, { value, label: idOf(value) }]
  return (
    <Page title={t.effective} about={t.effectiveAbout} up={{ href: "/policy", title: t.title }}>
      <FilterBar>
        {project.asks ? (
          <TextField label={t.projectId} value={project.project_id ?? ""} onChange={project.set} />
        ) : null}
        <SelectField label={t.about1} value={value} onChange={set} choices={known} />
      </FilterBar>
      {missing ? (
        <p>{t.projectText}</p>
      ) : (
        <Answered answer={answer}>{(data) => <Decision effective={data} />}</Answered>
      )}
    </Page>
  )
}

export default EffectivePage
