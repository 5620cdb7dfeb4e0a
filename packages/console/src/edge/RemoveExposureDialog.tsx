import { useLocation } from "wouter"
import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { useWords } from "../words/words.ts"
import type { Exposure } from "./exposure.ts"
import { words } from "./words.ts"

export const RemoveExposureDialog = ({ exposure: { exposure_id, name } }: { readonly exposure: Exposure }) => {
  const t = useWords(words)
  const [, go] = useLocation()
  return (
    <ActDialog
      dialog="remove-exposure"
      write={portico.edge.remove}
      input={{ exposure_id }}
      title={t.removeTitle(name)}
      name={name}
      verb={t.remove}
      done={t.removed}
      touches={["quotas"]}
      onDone={() => go("/edge/exposures")}
    >
      {t.removeText}
    </ActDialog>
  )
}
