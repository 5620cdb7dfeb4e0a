import { spelledOut } from "@portico/client/spelledOut"
import { SearchX } from "lucide-react"
import { type ComponentType, lazy, useEffect } from "react"
import { Route, Switch } from "wouter"
import { ButtonLink } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { useBilingual, useWords } from "../words/words.ts"
import { type PageDefinition, pagesOf, type Plane } from "./definitions.ts"
import { useMe } from "./me.ts"
import { words } from "./words.ts"

/** Each page is a file of its own, loaded with its first visit. */
const components = new Map<PageDefinition, ComponentType>()
const componentOf = (page: PageDefinition): ComponentType => {
  const known = components.get(page) ?? lazy(page.load)
  components.set(page, known)
  return known
}

const Titled = ({ page }: { readonly page: PageDefinition }) => {
  const text = useBilingual()
  const title = text(page.title)
  useEffect(() => {
    document.title = spelledOut(`${title} · Portico`)
  }, [title])
  const Page = componentOf(page)
  return <Page />
}

export const Routes = ({ plane }: { readonly plane: Plane }) => {
  const me = useMe()
  const pages = pagesOf(plane).filter((_) => _.when?.(me) !== false)
  return (
    <Switch>
      {pages.map((page) => (
        <Route key={page.path} path={page.path}>
          <Titled page={page} />
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

const NotFound = () => {
  const t = useWords(words)
  return (
    <EmptyState icon={SearchX} title={t.notFound} action={<ButtonLink href="/">{t.overview}</ButtonLink>}>
      {t.notFoundText}
    </EmptyState>
  )
}
