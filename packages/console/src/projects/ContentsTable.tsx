import { Badge } from "../ui/Badge.tsx"
import { Muted, Stack } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import type { Contents } from "./project.tsx"
import { words } from "./words.ts"

/** The names of a few, which tell somebody what they are. */
const shown = 3

const namesOf = ({ count, first }: Contents["contents"][number]): string => {
  const names = first.slice(0, shown).map((_) => (_.name === "" ? _.id : _.name))
  return count > names.length ? `${names.join(", ")} …` : names.join(", ")
}

export const ContentsTable = ({ contents }: { readonly contents: Contents }) => {
  const t = useWords(words)
  const { number } = useFormats()
  const guarded = contents.contents.flatMap((_) => _.guarded)
  return (
    <Stack>
      {guarded.length === 0 ? null : (
        <p>
          <Badge tone="warn">{t.guarded}</Badge>{" "}
          {guarded.map((_) => `${_.name === "" ? _.id : _.name} (${_.why})`).join(", ")}
        </p>
      )}
      <Table
        label={t.contents}
        rows={contents.contents.filter((_) => _.count > 0)}
        keyOf={(_) => `${_.service} ${_.kind}`}
        empty={<Muted>{t.empty}</Muted>}
        columns={[
          { title: t.kind, cell: (_) => `${_.service} · ${_.kind}` },
          { title: t.count, cell: (_) => number(_.count), end: true },
          { title: t.first, cell: namesOf }
        ]}
      />
      {contents.unseen.length === 0 ? null : (
        <div>
          <Badge tone="warn">{t.unseen}</Badge>
          <ul>
            {contents.unseen.map((_) => (
              <li key={`${_.service} ${_.kind}`}>
                {_.service} · {_.kind}: {_.reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Stack>
  )
}
