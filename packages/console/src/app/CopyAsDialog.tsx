import { useQuery } from "@tanstack/react-query"
import { plane } from "#plane"
import type { ShownCall } from "../api/shownCalls.ts"
import { Code } from "../ui/Code.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Muted, Stack } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

/** The catalogue and what writes calls out: loaded when somebody asks for it. */
const load = async () => {
  const [{ operations }, copyAs] = await Promise.all([
    import("virtual:operations"),
    import("@portico/client/catalogue/copyAs")
  ])
  return { ...copyAs, shapeOf: (id: string) => operations.find((_) => _.id === id) }
}

type Catalogue = Awaited<ReturnType<typeof load>>

const callOf = (call: ShownCall, { shapeOf }: Catalogue) => {
  const somewhere = { base: location.origin, plane: plane.name }
  if (!("operation" in call)) return { ...somewhere, ...call }
  const operation = shapeOf(call.operation)
  return operation === undefined ? undefined : { ...somewhere, operation, input: { ...call.input } }
}

const nameOf = (call: ShownCall): string => ("operation" in call ? call.operation : `${call.method} ${call.path}`)

const Calls = ({ calls }: { readonly calls: ReadonlyArray<ShownCall> }) => {
  const t = useWords(words)
  const { data: catalogue } = useQuery({ queryKey: ["catalogue"], queryFn: load, staleTime: Infinity })
  if (catalogue === undefined) return null
  return calls.map((shown) => {
    const call = callOf(shown, catalogue)
    if (call === undefined) return null
    const command = catalogue.asCommand(call)
    return (
      <Stack tight key={JSON.stringify(shown)}>
        <h3>{nameOf(shown)}</h3>
        <Muted small>{t.copyCurl}</Muted>
        <Code label={t.copyCurl} text={catalogue.asCurl(call)} />
        {command === undefined ? null : (
          <>
            <Muted small>{t.copyCommand}</Muted>
            <Code label={t.copyCommand} text={command} />
          </>
        )}
        <Muted small>{t.copyClient}</Muted>
        <Code label={t.copyClient} text={catalogue.asClientCode(call)} />
      </Stack>
    )
  })
}

interface CopyAsDialogProps {
  readonly calls: ReadonlyArray<ShownCall>
  readonly open: boolean
  readonly onClose: () => void
}

const CopyAsDialog = ({ calls, onClose, open }: CopyAsDialogProps) => {
  const t = useWords(words)
  return (
    <Dialog open={open} onClose={onClose} title={t.copyAs} wide>
      {open ? <Calls calls={calls} /> : null}
    </Dialog>
  )
}

export default CopyAsDialog
