import { Activity, Pause, Play } from "lucide-react"
import { useEffect, useState } from "react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { Page } from "../app/Page.tsx"
import { onEvent, type Told } from "../live/live.ts"
import { Answered } from "../ui/Answered.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { Mono } from "../ui/layout.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { topicOf, topics } from "./topics.ts"
import { words } from "./words.ts"

/** Where resources are whose ids are the keys of such events. */
const places: ReadonlyArray<readonly [kind: RegExp, path: string]> = [
  [/^credential\./, "/credentials"],
  [/^server\./, "/compute/servers"],
  [/^volume\./, "/storage/volumes"]
]

/** The page of what an event is about; undefined where there is none, or no longer. */
const hrefOf = ({ key, kind }: Pick<Told, "key" | "kind">): string | undefined => {
  const path = places.find(([of]) => of.test(kind))?.[1]
  return path === undefined || kind.endsWith(".delete") ? undefined : `${path}/${encodeURIComponent(key)}`
}

/** What came since the page is open. While paused it waits, and its number is known. */
const useFresh = (paused: boolean) => {
  const [events, setEvents] = useState<ReadonlyArray<Told>>([])
  const [shown, setShown] = useState(0)
  useEffect(() => onEvent((told) => setEvents((before) => [told, ...before].slice(0, 500))), [])
  const count = events.length
  useEffect(() => {
    if (!paused) setShown(count)
  }, [paused, count])
  return { fresh: events.slice(count - shown), waiting: count - shown }
}

const Key = ({ event }: { readonly event: Told }) => {
  const href = hrefOf(event)
  const key = <Mono>{event.key}</Mono>
  return href === undefined ? key : <Link href={href}>{key}</Link>
}

const useColumns = (): ReadonlyArray<Column<Told>> => {
  const t = useWords(words)
  const payload = useDialog("event")
  return [
    { title: t.when, cell: (_) => <Time at={_.at} /> },
    { title: t.topic, cell: (_) => <Badge>{_.topic}</Badge> },
    { title: t.kind, cell: (_) => <Mono>{_.kind}</Mono> },
    { title: t.key, cell: (_) => <Key event={_} /> },
    {
      title: "",
      end: true,
      cell: (_) => (
        <Button kind="quiet" onClick={() => payload.show(_.id)}>
          {t.payload}
        </Button>
      )
    }
  ]
}

const Payload = ({ events }: { readonly events: ReadonlyArray<Told> }) => {
  const t = useWords(words)
  const dialog = useDialog("event")
  const event = events.find((_) => _.id === dialog.of)
  return (
    <Dialog open={dialog.open && event !== undefined} onClose={dialog.close} title={event?.kind ?? ""} wide>
      <Code label={t.payload} text={JSON.stringify(event, null, 2) ?? ""} />
    </Dialog>
  )
}

const isKind = (text: string): boolean => /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/.test(text)

const EventsPage = () => {
  const t = useWords(words)
  const [topicText, setTopic] = useFilter("topic")
  const [kind, setKind] = useFilter("kind")
  const [key, setKey] = useFilter("key")
  const [paused, setPaused] = useState(false)
  const topic = topicOf(topicText)
  const answer = usePages(portico.events.list, {
    order: "desc" as const,
    limit: 100,
    topic: topic === undefined ? undefined : [topic],
    kind: isKind(kind) ? [kind] : undefined
  })
  const { fresh, waiting } = useFresh(paused)
  const columns = useColumns()
  const fits = (_: Told) =>
    (topic === undefined || _.topic === topic) && (kind === "" || _.kind.startsWith(kind)) && _.key.includes(key)
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <Button icon={paused ? Play : Pause} onClick={() => setPaused(!paused)}>
          {paused ? t.goOn(waiting) : t.pause}
        </Button>
      }
    >
      <FilterBar>
        <SelectField
          label={t.topic}
          value={topic ?? ""}
          onChange={setTopic}
          choices={[{ value: "", label: t.anyTopic }, ...topics.map((value) => ({ value, label: value }))]}
        />
        <TextField label={t.kind} placeholder="volume.create" value={kind} onChange={setKind} type="search" />
        <TextField label={t.key} value={key} onChange={setKey} type="search" />
      </FilterBar>
      <Answered answer={answer}>
        {(pages) => {
          const stored: ReadonlyArray<Told> = pages.flatMap((_) => _.events)
          const known = new Set(stored.map((_) => _.id))
          const events = [...fresh.filter((_) => !known.has(_.id)), ...stored].filter(fits)
          return (
            <>
              <Table
                label={t.title}
                columns={columns}
                rows={events}
                keyOf={(_) => _.id}
                hasMore={answer.hasMore}
                more={answer.more}
                loadingMore={answer.loadingMore}
                empty={
                  <EmptyState icon={Activity} title={t.none}>
                    {t.noneText}
                  </EmptyState>
                }
              />
              <Payload events={events} />
            </>
          )
        }}
      </Answered>
    </Page>
  )
}

export default EventsPage
