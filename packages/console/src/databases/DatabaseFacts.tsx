import { Link } from "wouter"
import { Facts, Mono } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { type DatabaseDetail, DatabaseState, pathOf } from "./database.tsx"
import { words } from "./words.ts"

export const DatabaseFacts = ({ database }: { readonly database: DatabaseDetail }) => {
  const t = useWords(words)
  const { number } = useFormats()
  const { backup, endpoint, reason, restored_from: source } = database
  return (
    <Facts
      facts={[
        { label: t.status, value: <DatabaseState status={database.status} /> },
        ...(reason === null ? [] : [{ label: t.reason, value: reason }]),
        { label: t.engine, value: `${database.engine} ${database.version}` },
        { label: t.sizeShort, value: t.sizeOf(number(database.size_gb), number(database.replicas)) },
        {
          label: t.address,
          value: endpoint === null ? t.noAddress : <Mono>{`${endpoint.host}:${endpoint.port}`}</Mono>
        },
        {
          label: t.backups,
          value: backup === null ? t.noBackup : t.backupOf(backup.schedule, number(backup.retention_days))
        },
        ...(source === null
          ? []
          : [
              {
                label: t.restoredFrom,
                value: <Link href={pathOf({ engine: database.engine, name: source })}>{source}</Link>
              }
            ]),
        { label: t.created, value: <Time at={database.created_at} as="moment" /> }
      ]}
    />
  )
}
