import { Autocomplete } from "@base-ui/react/autocomplete"
import { useQuery } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"
import { useLocation } from "wouter"
import { Dialog } from "../ui/Dialog.tsx"
import { Muted } from "../ui/layout.tsx"
import { useBilingual, useWords } from "../words/words.ts"
import { type Found, isListed, type Plane } from "./definitions.ts"
import { useMe } from "./me.ts"
import styles from "./Palette.module.css"
import { words } from "./words.ts"

interface PaletteProps {
  readonly plane: Plane
  readonly onClose: () => void
}

interface Group {
  readonly value: string
  readonly items: ReadonlyArray<Found>
}

/** Pages and actions that the person has, by their names. */
const usePlaces = (plane: Plane, wanted: string): ReadonlyArray<Group> => {
  const t = useWords(words)
  const text = useBilingual()
  const me = useMe()
  const areas = plane.sections.flatMap((_) => _.areas)
  const fits = (...names: ReadonlyArray<string>) => names.join(" ").toLowerCase().includes(wanted.toLowerCase())
  const pages = areas.flatMap((area) =>
    area.pages
      .filter(
        (_) => isListed(_) && _.when?.(me) !== false && fits(_.title.en, _.title.de, text(area.title), _.keywords ?? "")
      )
      .map((_) => ({ title: text(_.title), kind: text(area.title), href: _.path }))
  )
  const acts = areas.flatMap((area) =>
    (area.acts ?? [])
      .filter((_) => _.when?.(me) !== false && fits(_.title.en, _.title.de))
      .map((_) => ({ title: text(_.title), kind: text(area.title), href: _.href }))
  )
  return [
    { value: t.acts, items: acts },
    { value: t.pages, items: pages }
  ]
}

/** Resources with the text in their names, of every area that can look for them. */
const useThings = (plane: Plane, wanted: string) =>
  useQuery({
    queryKey: ["palette", wanted],
    enabled: wanted.length >= 2,
    queryFn: async ({ signal }): Promise<ReadonlyArray<Found>> => {
      const finders = plane.sections
        .flatMap((_) => _.areas)
        .flatMap(({ finder }) => (finder === undefined ? [] : [finder]))
      const found = await Promise.all(
        finders.map((load) =>
          load()
            .then((_) => _.find(wanted, signal))
            .catch((): ReadonlyArray<Found> => [])
        )
      )
      return found.flat().slice(0, 40)
    }
  })

/** Finds any page, action or resource by name. */
const Palette = ({ onClose, plane }: PaletteProps) => {
  const t = useWords(words)
  return (
    <Dialog open onClose={onClose} title={t.search}>
      <Search plane={plane} onClose={onClose} />
    </Dialog>
  )
}

const Search = ({ onClose, plane }: PaletteProps) => {
  const t = useWords(words)
  const [, navigate] = useLocation()
  const [wanted, setWanted] = useState("")
  const late = useDeferredValue(wanted.trim())
  const things = useThings(plane, late)
  const groups = [{ value: t.things, items: things.data ?? [] }, ...usePlaces(plane, wanted.trim())].filter(
    (_) => _.items.length > 0
  )
  const go = (href: string) => {
    onClose()
    navigate(href)
  }
  return (
    <Autocomplete.Root
      items={groups}
      value={wanted}
      onValueChange={(value, { reason }) => {
        if (reason !== "item-press") setWanted(value)
      }}
      filter={null}
      autoHighlight="always"
      open
      inline
      itemToStringValue={(item: Found) => item.title}
    >
      <Autocomplete.Input className={styles["input"]} placeholder={t.searchHint} aria-label={t.search} autoFocus />
      <Muted small>
        <Autocomplete.Status>
          {things.isFetching ? t.searching : groups.length === 0 ? t.nothingFound : ""}
        </Autocomplete.Status>
      </Muted>
      <Autocomplete.List className={styles["list"]}>
        {(group: Group) => (
          <Autocomplete.Group key={group.value} items={group.items}>
            <Autocomplete.GroupLabel className={styles["group"]}>{group.value}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: Found) => (
                <Autocomplete.Item
                  key={`${item.kind} ${item.href}`}
                  value={item}
                  className={styles["item"]}
                  onClick={() => go(item.href)}
                >
                  <span>{item.title}</span>
                  <span className={styles["kind"]}>{item.kind}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}

export default Palette
