import { useState } from "react"
import { CopyAs } from "../app/CopyAs.tsx"
import { type PlatformWrite, shown, usePlatformAct } from "../platform/usePlatform.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { CheckField, Form, Pair, SelectField, TextField } from "../ui/form.tsx"
import { Muted, Stack } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { useGroups } from "../compute/lookups.ts"
import { words } from "./groupWords.ts"
import { nameOf } from "./network.ts"
import { bodyOf, type NewRule } from "./securityGroup.ts"

const empty: NewRule = { direction: "ingress", protocol: "tcp", ports: "", prefix: "", groupId: "" }

interface RuleFieldsProps {
  readonly draft: NewRule
  readonly set: ReturnType<typeof useDraft<NewRule>>["set"]
}

const RuleFields = ({ draft, set }: RuleFieldsProps) => {
  const t = useWords(words)
  const groups = useGroups().data ?? []
  const hasPorts = draft.protocol === "tcp" || draft.protocol === "udp"
  return (
    <>
      <Pair>
        <SelectField<NewRule["direction"]>
          label={t.direction}
          value={draft.direction}
          onChange={set("direction")}
          choices={[
            { value: "ingress", label: t.in },
            { value: "egress", label: t.out }
          ]}
        />
        <SelectField<NewRule["protocol"]>
          label={t.protocol}
          value={draft.protocol}
          onChange={set("protocol")}
          choices={(["tcp", "udp", "icmp", "any"] as const).map((value) => ({
            value,
            label: value === "any" ? t.any : value.toUpperCase()
          }))}
        />
      </Pair>
      {hasPorts ? <TextField label={t.ports} help={t.portsHelp} value={draft.ports} onChange={set("ports")} /> : null}
      <Pair>
        <TextField
          label={t.prefix}
          help={t.prefixHelp}
          value={draft.prefix}
          onChange={set("prefix")}
          disabled={draft.groupId !== ""}
        />
        <SelectField
          label={t.orGroup}
          value={draft.groupId}
          onChange={set("groupId")}
          choices={[{ value: "", label: t.noGroup }, ...groups.map((_) => ({ value: _.id, label: nameOf(_) }))]}
        />
      </Pair>
    </>
  )
}

/** A rule of a group. The gateway refuses what opens SSH to everybody, until the person insists. */
export const AddRuleDialog = ({ groupId }: { readonly groupId: string }) => {
  const t = useWords(words)
  const dialog = useDialog("rule")
  const { draft, set } = useDraft(empty)
  const [insists, setInsists] = useState(false)
  const add = usePlatformAct(() => {
    toast(t.ruleAdded)
    dialog.close()
  })
  const isWorldOpen = add.refusal?.code === "world_open_ssh"
  const write: PlatformWrite = {
    method: "POST",
    path: `network/security-group-rules${insists ? "?allow_ssh_from_anywhere=true" : ""}`,
    body: bodyOf(groupId, draft)
  }
  return (
    <Dialog open onClose={dialog.close} title={t.addRule}>
      <Form onSubmit={() => void add.act(write)}>
        <RuleFields draft={draft} set={set} />
        <RefusalBox refusal={add.refusal} />
        {isWorldOpen || insists ? (
          <Stack tight>
            <CheckField label={t.openSsh} checked={insists} onChange={setInsists} />
            <Muted small>{t.openSshHelp}</Muted>
          </Stack>
        ) : null}
        <Foot>
          <CopyAs calls={[shown(write)]} />
          <Button type="submit" kind="primary" busy={add.pending}>
            {t.addRule}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
