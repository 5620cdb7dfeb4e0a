import { type Write, useAct } from "../../api/useAct.ts"
import { useAnswer } from "../../api/useAnswer.ts"
import { CopyAs } from "../../app/CopyAs.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog, Foot } from "../../ui/Dialog.tsx"
import { CheckField, Form, Pair, SelectField, TextArea, TextField } from "../../ui/form.tsx"
import { RefusalBox } from "../../ui/RefusalBox.tsx"
import { toast } from "../../ui/toasts.tsx"
import { useDraft } from "../../ui/useDraft.ts"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import { type IssuerDraft, type TierText, tierTexts } from "./issuer.ts"
import { words } from "./words.ts"

interface IssuerDialogProps<Input, Output> {
  readonly title: string
  readonly verb: string
  readonly done: string
  readonly initial: IssuerDraft
  readonly write: Write<Input, Output>
  readonly inputOf: (draft: IssuerDraft) => NoInfer<Input>
  /** A registered one keeps its issuer and its project. */
  readonly isNew: boolean
  readonly onClose: () => void
}

/** A cluster and what its workloads may do. */
export const IssuerDialog = <Input extends object, Output>(props: IssuerDialogProps<Input, Output>) => {
  const { done, initial, inputOf, isNew, onClose, title, verb, write } = props
  const t = useWords(words)
  const { draft, set } = useDraft(initial)
  const projects = useAnswer(operator.projects.list, { limit: 200 }, { enabled: isNew })
  const act = useAct(write, {
    onDone: () => {
      toast(done)
      onClose()
    }
  })
  const fields = act.refusal?.fields ?? {}
  const input = inputOf(draft)
  return (
    <Dialog open onClose={onClose} title={title}>
      <Form onSubmit={() => void act.act(input)}>
        {isNew ? (
          <>
            <TextField
              label={t.issuer}
              help={t.issuerHelp}
              value={draft.issuer}
              onChange={set("issuer")}
              error={fields["issuer"]}
            />
            <SelectField
              label={t.project}
              value={draft.project}
              onChange={set("project")}
              error={fields["project_id"]}
              choices={[
                { value: "", label: "–" },
                ...(projects.data?.projects ?? []).map((_) => ({ value: _.project_id, label: _.name }))
              ]}
            />
          </>
        ) : null}
        <Pair>
          <SelectField<TierText>
            label={t.tier}
            value={draft.tier}
            onChange={set("tier")}
            choices={tierTexts.map((value) => ({ value, label: value }))}
          />
          <TextField
            label={t.audience}
            help={t.audienceHelp}
            value={draft.audience}
            onChange={set("audience")}
            error={fields["audience"]}
          />
        </Pair>
        <TextArea
          label={t.subjects}
          help={t.subjectsHelp}
          value={draft.subjects}
          onChange={set("subjects")}
          error={fields["subjects"] ?? fields["subjects.0"]}
        />
        <TextField
          label={t.jwks}
          help={t.jwksHelp}
          value={draft.jwks}
          onChange={set("jwks")}
          error={fields["jwks_uri"]}
          optional
        />
        <TextArea label={t.ca} help={t.caHelp} value={draft.ca} onChange={set("ca")} error={fields["ca"]} optional />
        <CheckField label={t.enabled} checked={draft.enabled} onChange={set("enabled")} />
        <RefusalBox refusal={act.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: act.operation, input }]} />
          <Button type="submit" kind="primary" busy={act.pending}>
            {verb}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
