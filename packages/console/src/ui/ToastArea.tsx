import { Toast } from "@base-ui/react/toast"
import { X } from "lucide-react"
import { useWords } from "../words/words.ts"
import { IconButton } from "./Button.tsx"
import styles from "./toasts.module.css"
import { words } from "./words.ts"

const manager = Toast.createToastManager()

export const add = (title: string): void => void manager.add({ title })

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
const ToastArea = () => (
  <Toast.Provider toastManager={manager}>
    <Toast.Portal>
      <Toast.Viewport className={styles["viewport"]}>
        <List />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)

export default ToastArea
