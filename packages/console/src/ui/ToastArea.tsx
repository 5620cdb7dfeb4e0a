import { Toast } from "@base-ui/react/toast"
import { X } from "lucide-react"
import { useEffect } from "react"
import { useWords } from "../words/words.ts"
import { IconButton } from "./Button.tsx"
import styles from "./toasts.module.css"
import { words } from "./words.ts"

const manager = Toast.createToastManager()

/** Said before there is an area to show it: the manager forgets what nobody listens to. */
const early: Array<string> = []
let shown = false

export const add = (title: string): void => {
  if (shown) manager.add({ title })
  else early.push(title)
}

const useShown = () =>
  useEffect(() => {
    shown = true
    for (const title of early.splice(0)) add(title)
    return () => {
      shown = false
    }
  }, [])

const List = () => {
  const t = useWords(words)
  return Toast.useToastManager().toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles["toast"]}>
      <Toast.Content className={styles["content"]}>
        <Toast.Title render={<span />} />
        <Toast.Close render={<IconButton icon={X} label={t.close} />} />
      </Toast.Content>
    </Toast.Root>
  ))
}

/** Where toasts appear. */
const ToastArea = () => {
  useShown()
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className={styles["viewport"]}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

export default ToastArea
