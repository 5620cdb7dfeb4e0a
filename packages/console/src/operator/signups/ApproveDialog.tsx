import { useAct } from "../../api/useAct.ts"
import { useAnswer } from "../../api/useAnswer.ts"
import { CopyAs } from "../../app/CopyAs.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog, Foot } from "../../ui/Dialog.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { RefusalBox } from "../../ui/RefusalBox.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useDraft } from "../../ui/useDraft.ts"
import { given } from "../../ui/useFilter.ts"
import { useWords } from "../../words/words.ts"
import { AdmissionTable } from "../common/AdmissionTable.tsx"
import { FirstCredential } from "../common/FirstCredential.tsx"
import { OnboardingSteps, useOnboarding } from "../common/OnboardingSteps.tsx"
import { TierField } from "../common/TierField.tsx"
import type { Tier } from "../common/capacity.ts"
import { operator } from "../portico.ts"
import type { Signup } from "./signup.ts"
import { words } from "./words.ts"

const empty: { readonly tier: Tier; readonly name: string } = { tier: "discovery", name: "" }

export const ApproveDialog = ({ signup }: { readonly signup: Signup }) => {
  const t = useWords(words)
  const dialog = useDialog("approve")
  const { draft, reset, set } = useDraft(empty)
  const approve = useAct(operator.signups.approve, {
    once: true,
    touches: ["tenants", "monitoring", "accounts"]
  })
  const capacity = useAnswer(operator.signups.capacity, {}, { enabled: dialog.open })
  const onboarding = useOnboarding(given(draft.name) ?? signup.org_name, approve.pending)
  const input = { signup_id: signup.signup_id, tier: draft.tier, tenant_name: given(draft.name) }
  const numbers = capacity.data?.tiers.find((_) => _.tier === draft.tier)
  const close = () => {
    approve.reset()
    reset()
    dialog.close()
  }
  if (approve.answer !== undefined) return <FirstCredential credential={approve.answer.credential} onClose={close} />
  return (
    <Dialog
      open={dialog.open && (signup.state === "pending" || approve.pending)}
      onClose={close}
      title={t.approveTitle(signup.org_name)}
      wide
      keep={approve.pending}
    >
      <Form onSubmit={() => void approve.act(input)}>
        <p>{t.approveText}</p>
        <TierField value={draft.tier} onChange={set("tier")} capacity={capacity.data} />
        {numbers === undefined ? null : <AdmissionTable numbers={numbers} />}
        <TextField
          label={t.tenantName}
          help={t.tenantNameHelp}
          value={draft.name}
          onChange={set("name")}
          error={approve.refusal?.fields["tenant_name"]}
          optional
        />
        {approve.pending ? <p role="status">{t.stays}</p> : null}
        {onboarding === undefined ? null : <OnboardingSteps onboarding={onboarding} />}
        <RefusalBox refusal={approve.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: approve.operation, input }]} />
          <Button type="submit" kind="primary" busy={approve.pending}>
            {t.approve}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
