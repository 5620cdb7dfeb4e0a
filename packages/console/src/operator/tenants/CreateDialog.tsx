import { useAct } from "../../api/useAct.ts"
import { useAnswer } from "../../api/useAnswer.ts"
import { CopyAs } from "../../app/CopyAs.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog, Foot } from "../../ui/Dialog.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { RefusalBox } from "../../ui/RefusalBox.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useDraft } from "../../ui/useDraft.ts"
import { useWords } from "../../words/words.ts"
import { AdmissionTable } from "../common/AdmissionTable.tsx"
import { FirstCredential } from "../common/FirstCredential.tsx"
import { OnboardingSteps, useOnboarding } from "../common/OnboardingSteps.tsx"
import { TierField } from "../common/TierField.tsx"
import type { Tier } from "../common/capacity.ts"
import { operator } from "../portico.ts"
import { words } from "./words.ts"

const empty: { readonly name: string; readonly tier: Tier } = { name: "", tier: "discovery" }

export const CreateDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("create")
  const { draft, reset, set } = useDraft(empty)
  const onboard = useAct(operator.tenants.onboard, {
    once: true,
    touches: ["projects", "signups", "monitoring", "accounts"]
  })
  const capacity = useAnswer(operator.signups.capacity, {}, { enabled: dialog.open })
  const onboarding = useOnboarding(draft.name, onboard.pending)
  const numbers = capacity.data?.tiers.find((_) => _.tier === draft.tier)
  const close = () => {
    onboard.reset()
    reset()
    dialog.close()
  }
  if (onboard.answer !== undefined) return <FirstCredential credential={onboard.answer.credential} onClose={close} />
  return (
    <Dialog open={dialog.open} onClose={close} title={t.create} wide keep={onboard.pending}>
      <Form onSubmit={() => void onboard.act(draft)}>
        <p>{t.createText}</p>
        <TextField
          label={t.org}
          help={t.orgHelp}
          value={draft.name}
          onChange={set("name")}
          error={onboard.refusal?.fields["name"]}
        />
        <TierField value={draft.tier} onChange={set("tier")} capacity={capacity.data} />
        {numbers === undefined ? null : <AdmissionTable numbers={numbers} />}
        {onboard.pending ? <p role="status">{t.stays}</p> : null}
        {onboarding === undefined ? null : <OnboardingSteps onboarding={onboarding} />}
        <RefusalBox refusal={onboard.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: onboard.operation, input: draft }]} />
          <Button type="submit" kind="primary" busy={onboard.pending}>
            {t.create}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
