import { useWords } from "../words/words.ts"
import styles from "./Loading.module.css"
import { words } from "./words.ts"

export const Loading = () => {
  const t = useWords(words)
  return (
    <div className={styles["loading"]} role="status" aria-label={t.loading}>
      <div className={styles["line"]} />
      <div className={styles["line"]} />
      <div className={styles["line"]} />
    </div>
  )
}
