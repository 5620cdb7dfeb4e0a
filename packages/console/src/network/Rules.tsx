import { Trash2 } from "lucide-react"
import { Link } from "wouter"
import { useGroups } from "../compute/lookups.ts"
import { useMay } from "../platform/may.ts"
import { IconButton } from "../ui/Button.tsx"
import { Card, Mono, Muted } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./groupWords.ts"
import { portsOf, type Rule } from "./securityGroup.ts"

interface RulesProps {
  readonly direction: Rule["direction"]
  readonly rules: ReadonlyArray<Rule>
}

const Remote = ({ rule }: { readonly rule: Rule }) => {
  const t = useWords(words)
  const groups = useGroups().data ?? []
  if (rule.remote_group_id !== "") {
    const group = groups.find((_) => _.id === rule.remote_group_id)
    return <Link href={`/network/security-groups/${rule.remote_group_id}`}>{group?.name ?? rule.remote_group_id}</Link>
  }
  return rule.remote_ip_prefix === "" ? <>{t.everywhere}</> : <Mono>{rule.remote_ip_prefix}</Mono>
}

/** The rules of one direction. */
export const Rules = ({ direction, rules }: RulesProps) => {
  const t = useWords(words)
  const may = useMay()
  const remove = useDialog("deleteRule")
  const isIn = direction === "ingress"
  const title = isIn ? t.in : t.out
  return (
    <Card title={title}>
      <Table
        label={title}
        rows={rules.filter((_) => _.direction === direction)}
        keyOf={(_) => _.id}
        empty={<Muted>{isIn ? t.noIn : t.noOut}</Muted>}
        columns={[
          { title: isIn ? t.source : t.target, cell: (rule) => <Remote rule={rule} /> },
          { title: t.protocol, cell: (_) => `${_.protocol === "" ? t.any : _.protocol} · ${_.ethertype}` },
          { title: t.ports, cell: (rule) => portsOf(rule) || t.allPorts },
          {
            title: "",
            end: true,
            cell: ({ id }) =>
              may.destroy ? <IconButton icon={Trash2} label={t.deleteRule} onClick={() => remove.show(id)} /> : null
          }
        ]}
      />
    </Card>
  )
}
