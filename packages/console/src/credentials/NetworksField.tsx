import { useConsoleConfig } from "../session/config.ts"
import { TextArea } from "../ui/form.tsx"
import { useWords } from "../words/words.ts"
import { isInside, networksOf } from "./networks.ts"
import { words } from "./words.ts"

interface NetworksFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

/** From where a credential may be used, and whether the person's own address is among that. */
export const NetworksField = ({ error, onChange, value }: NetworksFieldProps) => {
  const t = useWords(words)
  const address = useConsoleConfig()?.your_address ?? undefined
  const networks = networksOf(value)
  const isOutside = address !== undefined && networks.length > 0 && !networks.some((_) => isInside(address, _))
  return (
    <>
      <TextArea
        label={t.networks}
        help={address === undefined ? t.networksHelp : `${t.networksHelp} ${t.yourAddress(address)}`}
        value={value}
        onChange={onChange}
        error={error}
        optional
      />
      {isOutside ? <p role="status">{t.outside(address)}</p> : null}
    </>
  )
}
