import { Languages, LogOut, Moon, Sun, SunMoon, UserRound } from "lucide-react"
import { useLocation } from "wouter"
import { changePreferences, usePreferences } from "../preferences/preferences.ts"
import { signInAsAnother, signOut } from "../session/signIn.ts"
import { IconButton } from "../ui/Button.tsx"
import { Menu, MenuHeading, MenuItem } from "../ui/Menu.tsx"
import { toast } from "../ui/toasts.tsx"
import { useWords } from "../words/words.ts"
import { useMe } from "./me.ts"
import { words } from "./words.ts"
import { WorksButton } from "./WorksButton.tsx"

/** Who is signed in, and how the console looks to them. */
const PersonMenu = () => {
  const t = useWords(words)
  const { user_email, user_name, roles, tier } = useMe()
  const { language } = usePreferences()
  useLocation()
  const stay = () => toast(t.stillSignedIn)
  return (
    <Menu trigger={<IconButton icon={UserRound} label={t.person} />}>
      <MenuHeading>
        {user_email === "" ? user_name : user_email}
        <br />
        {roles.join(", ")} · {t.tier(tier)}
      </MenuHeading>
      <MenuItem icon={Languages} onSelect={() => changePreferences({ language: language === "en" ? "de" : "en" })}>
        {t.language}
      </MenuItem>
      <MenuHeading>{t.theme}</MenuHeading>
      <MenuItem icon={SunMoon} onSelect={() => changePreferences({ theme: "system" })}>
        {t.themeSystem}
      </MenuItem>
      <MenuItem icon={Sun} onSelect={() => changePreferences({ theme: "light" })}>
        {t.themeLight}
      </MenuItem>
      <MenuItem icon={Moon} onSelect={() => changePreferences({ theme: "dark" })}>
        {t.themeDark}
      </MenuItem>
      <MenuHeading> </MenuHeading>
      <MenuItem icon={UserRound} onSelect={() => void signInAsAnother().catch(stay)}>
        {t.signInAs}
      </MenuItem>
      <MenuItem icon={LogOut} onSelect={() => void signOut().catch(stay)}>
        {t.signOut}
      </MenuItem>
    </Menu>
  )
}

/** The menus at the end of the bar. Menus are large: the first page does not wait for them. */
const BarMenus = () => (
  <>
    <WorksButton />
    <PersonMenu />
  </>
)

export default BarMenus
