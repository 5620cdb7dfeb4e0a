import type { Shape } from "@portico/client/catalogue/Catalogue"
import { useDeferredValue, useEffect, useState } from "react"
import { useShownCall } from "../api/shownCalls.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { Button } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { Foot } from "../ui/Dialog.tsx"
import { Form } from "../ui/form.tsx"
import { Muted } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { type Draft, draftOf, type Input, inputIn, inputOf, linked } from "./draft.ts"
import { OperationForm } from "./OperationForm.tsx"
import { OperationFrame } from "./OperationFrame.tsx"
import { Replies } from "./Replies.tsx"
import { useSend } from "./useSend.ts"
import { useStream } from "./useStream.ts"
import { words } from "./words.ts"

/** What the form of an operation holds. Its address has the same without secrets, so that it is a link. */
const useInput = (shape: Shape) => {
  const [link, setLink] = useFilter("with")
  const [draft, setDraft] = useState<Draft>(() => draftOf(shape, inputIn(link)))
  const input = inputOf(shape, draft)
  // Browsers refuse a new address at every key.
  const late = useDeferredValue(linked(shape, input))
  useEffect(() => {
    if (late !== link) setLink(late)
    // The address follows the form, and not the other way round.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [late])
  return { draft, setDraft, input }
}

/** What is typed before it is sent: the name of what it ends. */
const nameOf = ({ id, parameters }: Shape, input: Input): string => {
  const last = parameters.at(-1)
  const value = last === undefined ? undefined : input[last.name]
  return value === undefined || value === "" ? id : String(value)
}

/** One operation: its form, the call that it makes, and the answer. */
export const Operation = ({ shape }: { readonly shape: Shape }) => {
  const t = useWords(words)
  const me = useMe()
  const [contentType, setContentType] = useState("application/json")
  const { draft, input, setDraft } = useInput(shape)
  const { clear, more, pending, refusal, replies, start } = useSend(shape, contentType)
  const stream = useStream(shape)
  const confirm = useDialog("send")
  const isIrreversible = shape.destroys === true || shape.method === "DELETE"
  const isTooLow = shape.tier !== undefined && shape.tier > me.tier
  const send = () => {
    if (isTooLow || pending) return
    if (isIrreversible) return confirm.show()
    if (shape.stream === undefined) void start(input)
    else stream.start(input)
  }
  const confirmed = () => void start(input).then((isDone) => isDone && confirm.close())
  useShownCall({ operation: shape.id, input }, true)
  const copy = <CopyAs calls={[{ operation: shape.id, input }]} />
  return (
    <OperationFrame shape={shape} input={input}>
      <Form onSubmit={send} label={shape.id}>
        <OperationForm
          shape={shape}
          draft={draft}
          onChange={setDraft}
          refusal={refusal ?? stream.refusal}
          contentType={contentType}
          onContentType={setContentType}
        />
        {confirm.open ? null : <RefusalBox refusal={refusal ?? stream.refusal} />}
        {isTooLow ? <Muted>{t.tierTooLow(shape.tier ?? 0, me.tier)}</Muted> : null}
        <Foot>
          {stream.open ? <Button onClick={stream.stop}>{t.stop}</Button> : null}
          <Button
            type="submit"
            kind={isIrreversible ? "danger" : "primary"}
            busy={pending}
            disabled={isTooLow || stream.open}
          >
            {t.send}
          </Button>
        </Foot>
      </Form>
      {stream.text === undefined ? null : (
        <>
          <p role="status">{stream.open ? t.following : t.over}</p>
          {stream.text === "" ? null : <Code label={t.answer} text={stream.text} />}
        </>
      )}
      <Replies shape={shape} replies={replies} more={more} pending={pending} onSaved={clear} />
      <ConfirmDialog
        open={confirm.open && isIrreversible}
        title={t.confirm(shape.id)}
        name={nameOf(shape, input)}
        verb={t.send}
        pending={pending}
        refusal={refusal}
        onConfirm={confirmed}
        onClose={confirm.close}
        aside={copy}
      >
        {t.confirmText}
      </ConfirmDialog>
    </OperationFrame>
  )
}
