import { useSearchParams } from "wouter"
import { useMe } from "../app/me.ts"
import { FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { Fold } from "../ui/layout.tsx"
import { useStateName } from "../ui/states.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { actors, methods } from "./record.ts"
import { words } from "./words.ts"

interface OneProps {
  readonly name: string
  readonly label: string
}

const Text = ({ label, name, ...rest }: OneProps & { readonly help?: string; readonly type?: string }) => {
  const [value, set] = useFilter(name)
  return <TextField label={label} value={value} onChange={set} {...rest} />
}

const Choice = ({ label, name, values }: OneProps & { readonly values: ReadonlyArray<string> }) => {
  const t = useWords(words)
  const stateName = useStateName()
  const [value, set] = useFilter(name)
  return (
    <SelectField
      label={label}
      value={value}
      onChange={set}
      choices={[{ value: "", label: t.any }, ...values.map((_) => ({ value: _, label: stateName(_) }))]}
    />
  )
}

const further = ["resource", "credential_id", "user_id", "request_id", "since", "until", "project_id"]

export const Filters = () => {
  const t = useWords(words)
  const me = useMe()
  const [params] = useSearchParams()
  return (
    <>
      <FilterBar>
        <Choice name="actor" label={t.actor} values={actors} />
        <Choice name="method" label={t.method} values={methods} />
        <Text name="status" label={t.status} />
        <Text name="route" label={t.route} />
      </FilterBar>
      <Fold title={t.moreFilters} open={further.some((_) => params.has(_))}>
        <FilterBar>
          <Text name="resource" label={t.resource} />
          <Text name="credential_id" label={t.credential} />
          <Text name="user_id" label={t.user} />
          <Text name="request_id" label={t.request} />
          <Text name="since" label={t.since} type="datetime-local" />
          <Text name="until" label={t.until} type="datetime-local" />
          {me.tenant === null ? <Text name="project_id" label={t.project} /> : null}
        </FilterBar>
      </Fold>
    </>
  )
}
