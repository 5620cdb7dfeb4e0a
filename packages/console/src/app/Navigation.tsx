import { Link, useLocation } from "wouter"
import { useBilingual, useWords } from "../words/words.ts"
import { type Area, isListed, type PageDefinition, type Plane } from "./definitions.ts"
import { type Me, useMe } from "./me.ts"
import styles from "./Shell.module.css"
import { words } from "./words.ts"

const listed = ({ pages }: Area, me: Me): ReadonlyArray<PageDefinition> =>
  pages.filter((_) => isListed(_) && _.when?.(me) !== false)

const isAt = (location: string, path: string): boolean =>
  location === path || (path !== "/" && location.startsWith(`${path}/`))

export const Navigation = ({ open, plane }: { readonly plane: Plane; readonly open: boolean }) => {
  const t = useWords(words)
  const text = useBilingual()
  const me = useMe()
  return (
    <nav className={styles["nav"]} data-open={open} aria-label={t.menu}>
      {plane.sections
        .map((section) => ({ ...section, areas: section.areas.filter((_) => listed(_, me).length > 0) }))
        .filter((_) => _.areas.length > 0)
        .map(({ areas, title }) => (
          <div key={text(title)}>
            {text(title) === "" ? null : <h2>{text(title)}</h2>}
            <ul>
              {areas.map((area) => (
                <Entry key={text(area.title)} area={area} pages={listed(area, me)} />
              ))}
            </ul>
          </div>
        ))}
    </nav>
  )
}

const Entry = ({ area, pages }: { readonly area: Area; readonly pages: ReadonlyArray<PageDefinition> }) => {
  const text = useBilingual()
  const [location] = useLocation()
  const [first, ...others] = pages
  const Icon = area.icon
  if (first === undefined) return null
  const isHere = area.pages.some((_) => isAt(location, _.path))
  const current = (path: string) =>
    isAt(location, path) && !pages.some((_) => _.path.length > path.length && isAt(location, _.path))
      ? "page"
      : undefined
  return (
    <li>
      <Link href={first.path} className={styles["item"]} aria-current={current(first.path)}>
        <Icon aria-hidden />
        {text(area.title)}
      </Link>
      {isHere && others.length > 0 ? (
        <ul>
          {others.map(({ path, title }) => (
            <li key={path}>
              <Link href={path} className={`${styles["item"]} ${styles["sub"]}`} aria-current={current(path)}>
                {text(title)}
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  )
}
