import { SelectField, TextArea, TextField } from "../../ui/form.tsx"
import { useWords } from "../../words/words.ts"
import { useKeyPairs } from "../lookups.ts"
import type { NewKey } from "./useCreateServer.ts"
import { words } from "./words.ts"

interface KeyFieldsProps {
  readonly keyName: string
  readonly onKeyName: (name: string) => void
  /** The key that is being typed; undefined while one of the list is chosen. */
  readonly newKey: NewKey | undefined
  readonly onNewKey: (key: NewKey | undefined) => void
}

/** Names cannot begin with a space, so that no key pair has these. */
const none = " none"
const imported = " import"

/** Chooses a key pair, or imports one. */
export const KeyFields = ({ keyName, newKey, onKeyName, onNewKey }: KeyFieldsProps) => {
  const t = useWords(words)
  const known = useKeyPairs().data ?? []
  return (
    <>
      <SelectField
        label={t.key}
        value={newKey === undefined ? (keyName === "" ? none : keyName) : imported}
        onChange={(value) => {
          onNewKey(value === imported ? { name: "", publicKey: "" } : undefined)
          onKeyName(value === imported || value === none ? "" : value)
        }}
        choices={[
          { value: none, label: t.noKey },
          ...known.map(({ name }) => ({ value: name, label: name })),
          { value: imported, label: t.newKey }
        ]}
      />
      {newKey === undefined ? null : (
        <>
          <TextField label={t.keyName} value={newKey.name} onChange={(name) => onNewKey({ ...newKey, name })} />
          <TextArea
            label={t.publicKey}
            help={t.publicKeyHelp}
            value={newKey.publicKey}
            onChange={(publicKey) => onNewKey({ ...newKey, publicKey })}
          />
        </>
      )}
    </>
  )
}
