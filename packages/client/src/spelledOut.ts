export { hiddenCharacter, isVisible, spelledOut } from "@portico/contract/spelledOut"
