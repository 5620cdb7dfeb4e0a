import { SquareTerminal } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import { type ShownCall, useShownCalls } from "../api/shownCalls.ts"
import { Button } from "../ui/Button.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

const CopyAsDialog = lazy(() => import("./CopyAsDialog.tsx"))

interface CopyAsProps {
  /** The calls of an act; otherwise those whose answers are on the page. */
  readonly calls?: ReadonlyArray<ShownCall>
}

/** Shows calls as curl, as a command of `portico` and as code with the client, ready to paste. */
export const CopyAs = ({ calls }: CopyAsProps) => {
  const t = useWords(words)
  const shown = useShownCalls()
  const [open, setOpen] = useState<boolean>()
  const copied = calls ?? shown
  if (copied.length === 0) return null
  return (
    <>
      <Button icon={SquareTerminal} onClick={() => setOpen(true)}>
        {t.copyAs}
      </Button>
      {open === undefined ? null : (
        <Suspense fallback={null}>
          <CopyAsDialog calls={copied} open={open} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
