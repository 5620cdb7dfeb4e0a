import { ListChecks, Menu as MenuIcon, Search, UserRound } from "lucide-react"
import { Component, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react"
import { Link, useLocation } from "wouter"
import { Button, IconButton } from "../ui/Button.tsx"
import { Loading } from "../ui/Loading.tsx"
import { useWords } from "../words/words.ts"
import type { Plane } from "./definitions.ts"
import icon from "./icon.svg"
import { useMe } from "./me.ts"
import { Navigation } from "./Navigation.tsx"
import { Routes } from "./Routes.tsx"
import styles from "./Shell.module.css"
import { useOnline } from "./useOnline.ts"
import { words } from "./words.ts"

const Message = () => {
  const t = useWords(words)
  return (
    <div role="alert">
      <h1>{t.failed}</h1>
      <p>{t.failedText}</p>
      <Button onClick={() => location.reload()}>{t.reload}</Button>
    </div>
  )
}

/** A fault of one page leaves the others alone. */
class Crash extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override readonly state = { failed: false }
  static getDerivedStateFromError = () => ({ failed: true })
  override render(): ReactNode {
    return this.state.failed ? <Message /> : this.props.children
  }
}

const Palette = lazy(() => import("./Palette.tsx"))
const BarMenus = lazy(() => import("./BarMenus.tsx"))

const MenusToCome = () => {
  const t = useWords(words)
  return (
    <>
      <IconButton icon={ListChecks} label={t.works} disabled />
      <IconButton icon={UserRound} label={t.person} disabled />
    </>
  )
}

/** `/` and Cmd-K, unless somebody types. */
const useSearchKeys = (open: () => void) => {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.matches("input, textarea, select, [contenteditable]")
      const isShortcut = (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k"
      if (!isShortcut && (event.key !== "/" || isTyping || event.metaKey || event.ctrlKey || event.altKey)) return
      event.preventDefault()
      open()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [open])
}

export const Shell = ({ plane }: { readonly plane: Plane }) => {
  const t = useWords(words)
  const me = useMe()
  const [location] = useLocation()
  const [navigation, setNavigation] = useState(false)
  const [palette, setPalette] = useState(false)
  const online = useOnline()
  const main = useRef<HTMLElement>(null)
  useSearchKeys(() => setPalette(true))
  useEffect(() => setNavigation(false), [location])
  return (
    <div className={styles["shell"]}>
      <a href="#content" className={styles["skip"]}>
        {t.skip}
      </a>
      <header className={styles["bar"]}>
        <span className={styles["menu"]}>
          <IconButton
            icon={MenuIcon}
            label={t.menu}
            aria-expanded={navigation}
            onClick={() => setNavigation((_) => !_)}
          />
        </span>
        <Link href="/" className={styles["brand"]}>
          <img src={icon} alt={t.product} />
          <span>{t[plane.name]}</span>
        </Link>
        <span className={styles["project"]}>{me.tenant === null ? t.allProjects : me.tenant.name}</span>
        <span className={styles["grow"]} />
        <button type="button" className={styles["search"]} onClick={() => setPalette(true)} aria-label={t.search}>
          <Search aria-hidden />
          <span>{t.search}</span>
          <kbd>/</kbd>
        </button>
        <Suspense fallback={<MenusToCome />}>
          <BarMenus />
        </Suspense>
      </header>
      <Navigation plane={plane} open={navigation} />
      <main id="content" ref={main} className={styles["main"]} tabIndex={-1}>
        {online ? null : (
          <p className={styles["offline"]} role="status">
            {t.offline}
          </p>
        )}
        <Crash key={location}>
          <Suspense fallback={<Loading />}>
            <Routes plane={plane} />
          </Suspense>
        </Crash>
      </main>
      {palette ? (
        <Suspense fallback={null}>
          <Palette plane={plane} onClose={() => setPalette(false)} />
        </Suspense>
      ) : null}
    </div>
  )
}
