import { areas } from "virtual:areas"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { hasRole, useMe } from "../app/me.ts"
import { useProject } from "../app/useProject.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, Pair, SelectField } from "../ui/form.tsx"
import { Muted, Stack } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { denyOf, isWithin, type Level, textOf } from "./denies.ts"
import type { Policy } from "./policy.ts"
import { words } from "./words.ts"

type Choice = Level | "allowed"

export const EditDialog = ({ policies }: { readonly policies: ReadonlyArray<Policy> }) => {
  const dialog = useDialog("policy")
  return dialog.open ? (
    <Asked key={dialog.of} ou={dialog.of} policy={policies.find((_) => _.ou === dialog.of)} onClose={dialog.close} />
  ) : null
}

/** Says whether the policy holds for the person who writes it. */
const OwnLimit = ({ ou }: { readonly ou: string }) => {
  const t = useWords(words)
  const me = useMe()
  const own = useAnswer(portico.policy.effective, {}, { enabled: me.tenant !== null })
  if (own.data === undefined || !isWithin(own.data.ou, ou)) return null
  return <p role="status">{hasRole(me, "customer-owner") ? t.lockOut : t.lockOutAdmin}</p>
}

interface AskedProps {
  readonly ou: string
  readonly policy: Policy | undefined
  readonly onClose: () => void
}

const tiers = { "0": 0, "1": 1, "2": 2 } as const
type Cap = keyof typeof tiers | ""

const Asked = ({ onClose, ou, policy }: AskedProps) => {
  const t = useWords(words)
  const { project_id } = useProject()
  const { change, draft } = useDraft<Readonly<Record<string, Choice>>>(
    Object.fromEntries((policy?.denies ?? []).map(denyOf).map(({ area, level }) => [area, level]))
  )
  const cap = useDraft<{ readonly cap: Cap }>({
    cap: (["0", "1", "2"] as const).find((_) => tiers[_] === policy?.max_tier) ?? ""
  })
  const put = useAct(portico.policy.putPolicy, {
    onDone: () => {
      toast(t.saved)
      onClose()
    },
    touches: ["credentials", "identity", "agents"]
  })
  const denies = Object.entries(draft).flatMap(([area, level]) =>
    level === "allowed" ? [] : [textOf({ area, level })]
  )
  const input = {
    ou,
    project_id,
    max_tier: cap.draft.cap === "" ? undefined : tiers[cap.draft.cap],
    denies: denies.length === 0 ? undefined : denies
  }
  return (
    <Dialog open onClose={onClose} title={t.editTitle(ou === "" ? t.account : ou)} wide>
      <Form onSubmit={() => void put.act(input)}>
        <SelectField<Cap>
          label={t.maxTier}
          help={t.maxTierHelp}
          value={cap.draft.cap}
          onChange={cap.set("cap")}
          error={put.refusal?.fields["max_tier"]}
          choices={[
            { value: "", label: t.noCap },
            ...(["0", "1", "2"] as const).map((value) => ({ value, label: t.tierOf(tiers[value]) }))
          ]}
        />
        <Stack tight>
          <strong>{t.denied}</strong>
          <Muted small>{t.deniedHelp}</Muted>
        </Stack>
        <Pair>
          {areas.map((area) => (
            <SelectField<Choice>
              key={area}
              label={area}
              value={draft[area] ?? "allowed"}
              onChange={(level) => change({ [area]: level })}
              choices={[
                { value: "allowed", label: t.allowed },
                { value: "destroy", label: t.levelDestroy },
                { value: "operate", label: t.levelOperate },
                { value: "read", label: t.levelRead }
              ]}
            />
          ))}
        </Pair>
        <OwnLimit ou={ou} />
        <RefusalBox refusal={put.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: put.operation, input }]} />
          <Button type="submit" kind="primary" busy={put.pending}>
            {t.save}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
