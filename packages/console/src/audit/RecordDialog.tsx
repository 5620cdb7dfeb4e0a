import { Link } from "wouter"
import { useNames } from "../people/useNames.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { Facts, Mono } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useStateName } from "../ui/states.ts"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { AuditRecord } from "./record.ts"
import { words } from "./words.ts"

/** Everything that one record says; ids lead to what else is recorded of them. */
export const RecordDialog = ({ records }: { readonly records: ReadonlyArray<AuditRecord> }) => {
  const t = useWords(words)
  const dialog = useDialog("record")
  const record = records.find((_) => _.id === dialog.of)
  return (
    <Dialog open={dialog.open && record !== undefined} onClose={dialog.close} title={t.record} wide>
      {record === undefined ? null : <Shown record={record} />}
    </Dialog>
  )
}

const Same = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <Link href={`/audit?${new URLSearchParams({ [name]: value })}`}>
    <Mono>{value}</Mono>
  </Link>
)

const Shown = ({ record }: { readonly record: AuditRecord }) => {
  const t = useWords(words)
  const nameOf = useNames()
  const stateName = useStateName()
  const { actor, at, credential_id, fields, method, parameters, project_id, request_id } = record
  const { resources, route, source, status, tier, tool, user_id } = record
  return (
    <Facts
      facts={[
        { label: t.when, value: <Time at={at} as="moment" /> },
        { label: t.actor, value: stateName(actor) },
        ...(user_id === null
          ? []
          : [
              { label: t.who, value: nameOf(user_id) },
              { label: t.user, value: <Same name="user_id" value={user_id} /> }
            ]),
        ...(credential_id === null
          ? []
          : [{ label: t.credential, value: <Same name="credential_id" value={credential_id} /> }]),
        ...(tool === null ? [] : [{ label: t.tool, value: <Mono>{tool}</Mono> }]),
        { label: t.method, value: method ?? "–" },
        { label: t.route, value: route === null ? "–" : <Same name="route" value={route} /> },
        { label: t.status, value: status ?? t.noWait },
        {
          label: t.resources,
          value: resources.length === 0 ? "–" : resources.map((_) => <Same key={_} name="resource" value={_} />)
        },
        { label: t.parameters, value: <Mono>{parameters.join(", ") || "–"}</Mono> },
        { label: t.fields, value: <Mono>{fields?.join(", ") ?? "–"}</Mono> },
        { label: t.tier, value: tier ?? "–" },
        { label: t.from, value: source ?? "–" },
        { label: t.request, value: <Same name="request_id" value={request_id} /> },
        ...(project_id === null ? [] : [{ label: t.project, value: <Mono>{project_id}</Mono> }])
      ]}
    />
  )
}
