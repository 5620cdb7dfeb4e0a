import { useLocation } from "wouter"
import { ActDialog } from "../api/ActDialog.tsx"
import { useWords } from "../words/words.ts"
import type { Inputs, Resource } from "./Resource.ts"
import type { Sending } from "./target.ts"
import { words } from "./words.ts"

interface RemoveDialogProps<In extends Inputs, Target extends Sending> {
  readonly resource: Resource<In, Target>
  readonly target: Target
}

export const RemoveDialog = <In extends Inputs, Target extends Sending>(props: RemoveDialogProps<In, Target>) => {
  const { resource, target } = props
  const t = useWords(resource.words)
  const { remove: verb } = useWords(words)
  const [, go] = useLocation()
  const name = resource.nameOf(target)
  return (
    <ActDialog
      dialog="remove"
      write={resource.operations.remove}
      input={resource.of(resource.idOf(target))}
      title={`${verb}: ${name}`}
      name={name}
      verb={verb}
      done={t.removed}
      onDone={() => go(resource.path, { replace: true })}
    >
      {t.removeText}
    </ActDialog>
  )
}
