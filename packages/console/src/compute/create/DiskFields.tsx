import { CheckField, ChoiceField, TextField } from "../../ui/form.tsx"
import { useWords } from "../../words/words.ts"
import type { NewServer } from "./newServer.ts"
import { words } from "./words.ts"

interface DiskFieldsProps {
  readonly draft: NewServer
  readonly change: (change: Partial<NewServer>) => void
}

/** Where the server has its disk. */
export const DiskFields = ({ change, draft }: DiskFieldsProps) => {
  const t = useWords(words)
  return (
    <>
      <ChoiceField<NewServer["disk"]>
        legend={t.disk}
        value={draft.disk}
        onChange={(disk) => change({ disk })}
        choices={[
          { value: "own", label: t.own, help: t.ownHelp },
          { value: "volume", label: t.volume, help: t.volumeHelp }
        ]}
      />
      {draft.disk === "own" ? null : (
        <>
          <TextField label={t.size} inputMode="numeric" value={draft.size} onChange={(size) => change({ size })} />
          <CheckField label={t.keep} checked={draft.keepVolume} onChange={(keepVolume) => change({ keepVolume })} />
        </>
      )}
    </>
  )
}
