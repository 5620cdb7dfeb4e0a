import { PersonMenu } from "./PersonMenu.tsx"
import { WorksButton } from "./WorksButton.tsx"

/** The menus at the end of the bar. Menus are large: the first page does not wait for them. */
const BarMenus = () => (
  <>
    <WorksButton />
    <PersonMenu />
  </>
)

export default BarMenus
