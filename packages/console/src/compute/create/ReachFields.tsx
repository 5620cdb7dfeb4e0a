import { CheckField } from "../../ui/form.tsx"
import { Muted, Row, Stack } from "../../ui/layout.tsx"
import { useWords } from "../../words/words.ts"
import { useGroups } from "../lookups.ts"
import { words } from "./words.ts"

interface ReachFieldsProps {
  readonly groups: ReadonlyArray<string>
  readonly onGroups: (groups: ReadonlyArray<string>) => void
  readonly floating: boolean
  readonly onFloating: (floating: boolean) => void
}

/** Who reaches the server: its security groups, and an address on the internet. */
export const ReachFields = ({ floating, groups, onFloating, onGroups }: ReachFieldsProps) => {
  const t = useWords(words)
  const known = useGroups().data ?? []
  return (
    <>
      <Stack tight>
        <strong>{t.groups}</strong>
        <Muted small>{t.groupsHelp}</Muted>
        <Row>
          {known.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              checked={groups.includes(id)}
              onChange={(checked) => onGroups(checked ? [...groups, id] : groups.filter((_) => _ !== id))}
            />
          ))}
        </Row>
      </Stack>
      <Stack tight>
        <CheckField label={t.floating} checked={floating} onChange={onFloating} />
        <Muted small>{t.floatingHelp}</Muted>
      </Stack>
    </>
  )
}
